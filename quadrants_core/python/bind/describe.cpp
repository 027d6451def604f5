// What a kernel was specialised for, as plain Python data.
#include "python/bind/plan.h"

#include <algorithm>

namespace qd::bind {
namespace {

const char *kind_name(frontend::ParamKind kind) {
    switch (kind) {
    case frontend::ParamKind::scalar: return "scalar";
    case frontend::ParamKind::matrix: return "matrix";
    case frontend::ParamKind::array: return "array";
    case frontend::ParamKind::constant: return "constant";
    case frontend::ParamKind::buffer_view: return "view";
    case frontend::ParamKind::bundle: return "bundle";
    case frontend::ParamKind::structure: return "struct";
    }
    return "";
}

/// The order of storage that an array is tagged with, or None.
PyObject *layout_of(const BoundParam &p) {
    const std::vector<int> &order = layout_order(layout_in(p.signature));
    if (order.empty()) Py_RETURN_NONE;
    PyObject *all = PyTuple_New(Py_ssize_t(order.size()));
    for (size_t i = 0; all && i < order.size(); i++) PyTuple_SET_ITEM(all, Py_ssize_t(i), PyLong_FromLong(order[i]));
    return all;
}

/// (argument, name, kind, scalar, ndim, rows, cols, element_dim, layout, clamp, of_host, with_gradient, value), the
/// value of constants by weak reference or as it is, of bundles their type; None of all others.
PyObject *describe(const BoundParam &p, const std::string &name) {
    PyObject *value = p.weak ? p.weak : p.value ? p.value : Py_None;
    const auto flag = [](bool b) { return b ? Py_True : Py_False; };
    return Py_BuildValue("(issiiiiiNOOOO)", int(p.argument), name.c_str(), kind_name(p.kind), int(p.elem), int(p.ndim),
                         int(p.rows), int(p.cols), int(p.element_dim), layout_of(p), flag(p.clamp), flag(p.of_host),
                         flag(p.with_gradient), value);
}

bool is_current(const Plan &plan) {
    return plan.generation == runtime.generation && std::ranges::none_of(plan.params, [](const BoundParam &p) {
               return p.weak && PyWeakref_GetObject(p.weak) == Py_None;
           });
}

PyObject *describe(const Plan &plan) {
    PyObject *params = PyTuple_New(Py_ssize_t(plan.params.size()));
    for (size_t i = 0; params && i < plan.params.size(); i++) {
        PyObject *one = describe(plan.params[i], plan.names[i]);
        if (!one) {
            Py_DECREF(params);
            return nullptr;
        }
        PyTuple_SET_ITEM(params, Py_ssize_t(i), one);
    }
    if (!params) return nullptr;
    const auto flag = [](bool b) { return b ? Py_True : Py_False; };
    const auto &[keyed, recalled, kept, cached] = plan.provenance;
    return Py_BuildValue("(IN{s:O,s:O,s:O,s:O})", plan.number, params, "keyed", flag(keyed), "recalled", flag(recalled),
                         "kept", flag(kept), "cached", flag(cached));
}

} // namespace

PyObject *describe_plans(const KernelObject *kernel) {
    PyObject *all = PyList_New(0);
    for (const std::shared_ptr<Plan> &plan : *kernel->plans) {
        if (!all || !plan->kernel || !is_current(*plan)) continue;
        PyObject *one = describe(*plan);
        if (!one || PyList_Append(all, one) != 0) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

} // namespace qd::bind
