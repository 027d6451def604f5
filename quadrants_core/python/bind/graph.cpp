#include "python/bind/graph.h"

#include "python/bind/errors.h"
#include "python/bind/plan.h"

#include <algorithm>

namespace qd::bind {

using frontend::PyRef;

namespace {

std::string attribute_text(PyObject *object, const char *name) {
    const PyRef found = PyRef::steal(PyObject_GetAttrString(object, name));
    if (!found) PyErr_Clear();
    return frontend::text(found.get());
}

/// Returns an attribute that the package sets to True or False.
bool says(const KernelObject *kernel, const char *name) {
    const PyRef found = PyRef::steal(PyObject_GetAttrString(kernel->info, name));
    if (!found) PyErr_Clear();
    return found.get() == Py_True;
}

/// Returns the name of a kernel without its enclosing scopes.
std::string short_name(PyObject *info) {
    const std::string name = attribute_text(info, "name");
    return name.substr(name.rfind('.') + 1);
}

void refuse_kernel() {
    raise(ErrorClass::runtime, "`from_checkpoint=` is only valid for kernels that contain at least one qd.checkpoint");
}

PyObject *describe_levels(const Plan &plan) {
    PyObject *all = PyList_New(0);
    const std::vector<abi::DoWhile> &levels = engine::kernel_info(*plan.kernel).graph.levels;
    for (size_t i = 0; all && i < levels.size(); i++) {
        const PyRef one = PyRef::steal(
            Py_BuildValue("(siI)", plan.graph->levels[i].c_str(), int(levels[i].parent), unsigned(levels[i].flag)));
        if (!one || PyList_Append(all, one.get()) != 0) Py_CLEAR(all);
    }
    return all;
}

PyObject *describe_checkpoints(const Plan &plan) {
    PyObject *all = PyList_New(0);
    const std::vector<abi::Checkpoint> &checkpoints = engine::kernel_info(*plan.kernel).graph.checkpoints;
    for (size_t i = 0; all && i < checkpoints.size(); i++) {
        const PlanGraph::Checkpoint &own = plan.graph->checkpoints[i];
        const long argument = own.labelled ? long(checkpoints[i].flag) : -1;
        const PyRef one = PyRef::steal(Py_BuildValue("(Ozl)", own.labelled ? own.label.get() : Py_None,
                                                     own.labelled ? own.flag.c_str() : nullptr, argument));
        if (!one || PyList_Append(all, one.get()) != 0) Py_CLEAR(all);
    }
    return all;
}

} // namespace

PlanGraph::PlanGraph(const frontend::GraphNames &names) : levels(names.levels) {
    for (const frontend::GraphNames::Checkpoint &from : names.checkpoints) {
        Checkpoint to;
        to.flag = from.flag;
        to.labelled = bool(from.label);
        if (to.labelled) {
            to.label = from.label;
            const PyRef value = PyRef::steal(PyNumber_Long(from.label.get()));
            if (!value) throw frontend::PythonError{};
            to.value = frontend::repr(value.get());
            if (!PyLong_CheckExact(from.label.get())) {
                PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(from.label.get()));
                to.module = attribute_text(type, "__module__");
                to.type = attribute_text(type, "__qualname__");
            }
        }
        checkpoints.push_back(std::move(to));
    }
}

void PlanGraph::restore_labels(PyObject *function) {
    for (Checkpoint &checkpoint : checkpoints) {
        if (!checkpoint.labelled || checkpoint.label) continue;
        const PyRef restore = PyRef::steal(package_attr("quadrants._language.graph", "restore_label"));
        checkpoint.label =
            PyRef::steal(restore ? PyObject_CallFunction(restore.get(), "sssO", checkpoint.module.c_str(),
                                                         checkpoint.type.c_str(), checkpoint.value.c_str(), function)
                                 : nullptr);
        if (!checkpoint.label) throw frontend::PythonError{};
    }
}

bool PlanGraph::has_labels() const {
    return std::ranges::any_of(checkpoints, [](const Checkpoint &checkpoint) { return checkpoint.labelled; });
}

int32_t PlanGraph::find(PyObject *info, PyObject *label) const {
    std::string known;
    for (size_t i = 0; i < checkpoints.size(); i++) {
        const Checkpoint &own = checkpoints[i];
        if (!own.labelled) continue;
        const int equal = PyObject_RichCompareBool(own.label.get(), label, Py_EQ);
        if (equal < 0) return -1;
        if (equal) return int32_t(i);
        known += (known.empty() ? "" : ", ") + frontend::repr(own.label.get());
    }
    if (known.empty()) {
        refuse_kernel();
    } else {
        raise(ErrorClass::runtime, "from_checkpoint=" + frontend::repr(label) +
                                       " does not match any qd.checkpoint(cp_id=...) in kernel '" + short_name(info) +
                                       "'. Available cp_id labels (source-declaration order): [" + known + "].");
    }
    return -1;
}

PyObject *PlanGraph::status(const abi::GraphWords &words) const {
    static PyObject *const type =
        package_attr("quadrants._language.graph", "GraphStatus"); // kept alive, as its module is
    static PyObject *const names[] = {PyUnicode_InternFromString("yielded"), PyUnicode_InternFromString("checkpoint")};
    if (!type) return nullptr;
    const bool yielded = words.yielded >= 0;
    PyObject *label = yielded ? checkpoints[size_t(words.yielded)].label.get() : Py_None;
    PyTypeObject *of = reinterpret_cast<PyTypeObject *>(type);
    PyObject *made = of->tp_alloc(of, 0);
    if (made && (PyObject_SetAttr(made, names[0], yielded ? Py_True : Py_False) != 0 ||
                 PyObject_SetAttr(made, names[1], label) != 0))
        Py_CLEAR(made);
    return made;
}

void write(Writer &w, const PlanGraph &graph) {
    w.number(uint64_t(graph.levels.size()));
    for (const std::string &flag : graph.levels) w.text(flag);
    w.number(uint64_t(graph.checkpoints.size()));
    for (const PlanGraph::Checkpoint &checkpoint : graph.checkpoints) {
        w.number(checkpoint.labelled);
        for (const std::string *word : {&checkpoint.module, &checkpoint.type, &checkpoint.value, &checkpoint.flag})
            w.text(*word);
    }
}

PlanGraph read_graph(Reader &r) {
    PlanGraph graph;
    graph.levels.resize(r.count());
    for (std::string &flag : graph.levels) flag = r.text();
    graph.checkpoints.resize(r.count());
    for (PlanGraph::Checkpoint &checkpoint : graph.checkpoints) {
        checkpoint.labelled = r.number<bool>();
        for (std::string *word : {&checkpoint.module, &checkpoint.type, &checkpoint.value, &checkpoint.flag})
            *word = r.text();
    }
    return graph;
}

bool has_graph(const KernelObject *kernel) { return says(kernel, "graph"); }

bool may_resume(const KernelObject *kernel, PyObject *label) {
    if (!PyLong_Check(label)) {
        raise(ErrorClass::runtime,
              "from_checkpoint= must be an int or IntEnum value matching the cp_id of a qd.checkpoint, got " +
                  frontend::repr(label) + ".");
        return false;
    }
    if (says(kernel, "checkpoints")) return true;
    refuse_kernel();
    return false;
}

PyObject *describe_graph(const Plan &plan) {
    if (!plan.graph || !plan.kernel) return Py_BuildValue("([][])");
    PyObject *levels = describe_levels(plan);
    PyObject *checkpoints = levels ? describe_checkpoints(plan) : nullptr;
    if (!checkpoints) {
        Py_XDECREF(levels);
        return nullptr;
    }
    return Py_BuildValue("(NN)", levels, checkpoints);
}

const Plan *newest_plan(const KernelObject *kernel) {
    return kernel->last ? kernel->last : kernel->plans->empty() ? nullptr : kernel->plans->back().get();
}

PyObject *describe_graph(PyObject *o, PyObject *) {
    const Plan *plan = newest_plan(reinterpret_cast<const KernelObject *>(o));
    return plan ? describe_graph(*plan) : Py_BuildValue("([][])");
}

} // namespace qd::bind
