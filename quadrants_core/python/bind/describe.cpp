// Descriptions of the specialisations of a kernel as plain Python data, and the kernel methods by which tools inspect them.
#include "python/bind/errors.h"
#include "python/bind/match.h"
#include "python/bind/plan.h"
#include "python/bind/scalar.h"

#include <algorithm>

namespace qd::bind {
namespace {

KernelObject *kernel_of(PyObject *o) { return reinterpret_cast<KernelObject *>(o); }

/// Returns the storage order that an array is tagged with, or None.
PyObject *layout_of(const BoundParam &p) {
    const std::vector<int> &order = layout_order(layout_in(p.signature));
    if (order.empty()) Py_RETURN_NONE;
    PyObject *all = PyTuple_New(Py_ssize_t(order.size()));
    for (size_t i = 0; all && i < order.size(); i++) PyTuple_SET_ITEM(all, Py_ssize_t(i), PyLong_FromLong(order[i]));
    return all;
}

/// Returns (argument, name, kind, scalar, ndim, rows, cols, element_dim, layout, clamp, of_host, with_gradient, value). The value is a
/// constant, as a weak reference or as it is, the type of a bundle, or None.
PyObject *describe(const BoundParam &p, const std::string &name) {
    PyObject *value = p.weak ? p.weak : p.value ? p.value : Py_None;
    const auto flag = [](bool b) { return b ? Py_True : Py_False; };
    return Py_BuildValue("(issiiiiiNOOOO)", int(p.argument), name.c_str(), frontend::kind_name(p.kind), int(p.elem),
                         int(p.ndim), int(p.rows), int(p.cols), int(p.element_dim), layout_of(p), flag(p.clamp),
                         flag(p.of_host), flag(p.with_gradient), value);
}

PyObject *describe(const Plan &plan) {
    PyObject *params = describe_params(plan);
    if (!params) return nullptr;
    const auto flag = [](bool b) { return b ? Py_True : Py_False; };
    const auto &[keyed, matched, recalled, kept, cached] = plan.provenance;
    return Py_BuildValue("(IN{s:O,s:O,s:O,s:O,s:O,s:s})", plan.number, params, "keyed", flag(keyed), "matched",
                         flag(matched), "recalled", flag(recalled), "kept", flag(kept), "cached", flag(cached), "key",
                         engine::kernel_key(*plan.kernel).c_str());
}

} // namespace

bool are_arguments(const KernelObject *kernel, PyObject *tuple) {
    if (PyTuple_Check(tuple) && size_t(PyTuple_GET_SIZE(tuple)) == kernel->params->size()) return true;
    PyErr_Format(PyExc_TypeError, "a tuple of %zu arguments is needed, not %R", kernel->params->size(), tuple);
    return false;
}

PyObject *describe_params(const Plan &plan) {
    PyObject *params = PyTuple_New(Py_ssize_t(plan.params.size()));
    for (size_t i = 0; params && i < plan.params.size(); i++) {
        PyObject *one = describe(plan.params[i], plan.names[i]);
        if (!one) {
            Py_DECREF(params);
            return nullptr;
        }
        PyTuple_SET_ITEM(params, Py_ssize_t(i), one);
    }
    return params;
}

PyObject *describe_plans(const KernelObject *kernel) {
    PyObject *all = PyList_New(0);
    for (const std::shared_ptr<Plan> &plan : plans_of(kernel)) {
        if (!all || !plan->kernel || plan->generation != runtime.generation) continue;
        PyObject *one = describe(*plan);
        if (!one || PyList_Append(all, one) != 0) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

/// _passed() -> [(name, kind, scalar type)] of the last call, in the order of the slots
PyObject *passed(PyObject *o, PyObject *) {
    const Plan *plan = kernel_of(o)->last;
    PyObject *all = PyList_New(0);
    if (!plan || !all) return all;
    std::vector<const BoundParam *> order;
    for (const BoundParam &p : plan->params)
        if (frontend::passes(p.kind) != frontend::Passes::nothing) order.push_back(&p);
    std::sort(order.begin(), order.end(), [](const BoundParam *a, const BoundParam *b) { return a->slot < b->slot; });
    for (const BoundParam *p : order) {
        PyObject *one = Py_BuildValue("(sss)", plan->names[size_t(p - plan->params.data())].c_str(),
                                      frontend::kind_name(p->kind), scalar_name(p->elem));
        if (!one || PyList_Append(all, one) != 0) Py_CLEAR(all);
        Py_XDECREF(one);
        if (!all) break;
    }
    return all;
}

/// _last_plan() -> (number of the plan that the last call used or None, True if that call made the plan)
PyObject *last_plan(PyObject *o, PyObject *) {
    const KernelObject *kernel = kernel_of(o);
    const Plan *plan = kernel->last;
    if (!plan || plan->generation != runtime.generation) return Py_BuildValue("(OO)", Py_None, Py_False);
    return Py_BuildValue("(IO)", plan->number, kernel->made_by_last ? Py_True : Py_False);
}

/// _find(tuple of arguments) -> (number, True if it came from a cache entry) of the specialisation that accepts them, or None
PyObject *find_plan(PyObject *o, PyObject *tuple) {
    KernelObject *kernel = kernel_of(o);
    if (!are_arguments(kernel, tuple) || !need_program()) return nullptr;
    Objects objects;
    for (const std::shared_ptr<Plan> &plan : plans_of(kernel)) {
        if (plan->generation != runtime.generation) continue;
        std::vector<uint64_t> slots(plan->slots + 1);
        Arrays arrays;
        if (!objects.fetch(*plan, kernel->params->size(), &PyTuple_GET_ITEM(tuple, 0))) continue;
        const Match f = match(*plan, objects.all(), slots.data(), &arrays);
        if (f == Match::error) return nullptr;
        if (f == Match::yes) return Py_BuildValue("(IO)", plan->number, plan->provenance.recalled ? Py_True : Py_False);
    }
    Py_RETURN_NONE;
}

/// _specialise(tuple of arguments): makes a specialisation that accepts them
PyObject *make_plan(PyObject *o, PyObject *tuple) {
    if (!are_arguments(kernel_of(o), tuple) || !need_program() ||
        !specialise(kernel_of(o), &PyTuple_GET_ITEM(tuple, 0)))
        return nullptr;
    Py_RETURN_NONE;
}

/// _fetched(tuple of arguments) -> [(object, key, True for an item, value)] of the members that a launch fetches from them
PyObject *fetched_members(PyObject *o, PyObject *tuple) {
    const KernelObject *kernel = kernel_of(o);
    if (!are_arguments(kernel, tuple)) return nullptr;
    if (!kernel->last || kernel->last->generation != runtime.generation || kernel->last->members.empty())
        return PyList_New(0);
    const std::shared_ptr<Plan> plan = kernel->last->shared_from_this();
    Objects objects;
    const size_t direct = kernel->params->size();
    if (!objects.fetch(*plan, direct, &PyTuple_GET_ITEM(tuple, 0))) return PyList_New(0);
    PyObject *all = PyList_New(0);
    for (size_t i = 0; all && i < plan->members.size(); i++) {
        const Member &m = plan->members[i];
        PyObject *one = Py_BuildValue("(OOOO)", objects.all()[m.parent], m.key, m.item ? Py_True : Py_False,
                                      objects.all()[direct + i]);
        if (!one || PyList_Append(all, one) < 0) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

/// _trees() -> slots of the field trees that the specialisations of the kernel read and write
PyObject *used_trees(PyObject *o, PyObject *) {
    PyObject *slots = PySet_New(nullptr);
    for (const std::shared_ptr<Plan> &plan : plans_of(kernel_of(o))) {
        if (plan->generation != runtime.generation) continue;
        for (const std::shared_ptr<TreeMemory> &tree : plan->trees) {
            PyObject *slot = PyLong_FromUnsignedLong(tree->slot);
            if (!slots || !slot || PySet_Add(slots, slot) < 0) Py_CLEAR(slots);
            Py_XDECREF(slot);
        }
    }
    return slots;
}

/// _forget_frozen(): drops the slots that plans keep for frozen dataclasses, so that the next call reads them again
PyObject *forget_frozen(PyObject *o, PyObject *) {
    for (const std::shared_ptr<Plan> &plan : plans_of(kernel_of(o))) {
        std::vector<FrozenSlots> recent;
        recent.swap(plan->recent);
        for (FrozenSlots &entry : recent)
            for (PyObject *weak : entry.instances) Py_DECREF(weak);
    }
    Py_RETURN_NONE;
}

} // namespace qd::bind
