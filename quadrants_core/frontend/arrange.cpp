// Python functions that only rearrange their arguments, such as enumerate and zip, over run-time values: Python runs them on stand-ins,
// which are then replaced by the values in the result.
#include "frontend/arrange.h"

#include "frontend/call.h"
#include "frontend/expr.h"
#include "frontend/place.h"
#include "frontend/types.h"

#include <algorithm>
#include <unordered_set>

namespace qd::frontend {

namespace {

constexpr const char *stand_in_name = "quadrants.run_time_value";

bool arranges(PyObject *callee, const std::string &module, const std::string &name) {
    PyObject *const types[] = {reinterpret_cast<PyObject *>(&PyEnum_Type), reinterpret_cast<PyObject *>(&PyZip_Type),
                               reinterpret_cast<PyObject *>(&PyReversed_Type),
                               reinterpret_cast<PyObject *>(&PyTuple_Type), reinterpret_cast<PyObject *>(&PyList_Type)};
    if (std::find(std::begin(types), std::end(types), callee) != std::end(types)) return true;
    static constexpr std::string_view of_itertools[] = {"chain",   "combinations", "combinations_with_replacement",
                                                        "islice",  "pairwise",     "permutations",
                                                        "product", "zip_longest"};
    return module == "itertools" && PyType_Check(callee) &&
           std::find(std::begin(of_itertools), std::end(of_itertools), name) != std::end(of_itertools);
}

/// The items of `v` with a stand-in for each non-constant: a capsule with its index in `values`, from 1.
PyRef stand_in(const Val &v, std::vector<Val> &values) {
    if (const val::Constant *known = v.if_constant(); known && known->node < 0) return known->object;
    if (!v.is_sequence()) {
        values.push_back(v);
        return PyRef::steal(PyCapsule_New(reinterpret_cast<void *>(values.size()), stand_in_name, nullptr));
    }
    const std::vector<Val> &given = v.sequence().items;
    PyRef items = PyRef::steal(PyTuple_New(Py_ssize_t(given.size())));
    for (size_t i = 0; i < given.size(); ++i)
        PyTuple_SET_ITEM(items.get(), Py_ssize_t(i), Py_NewRef(stand_in(given[i], values).get()));
    return v.is_tuple() ? items : PyRef::steal(PySequence_List(items.get()));
}

/// `seen`: sequences already visited; a list may contain itself.
bool holds_stand_in(PyObject *object, std::unordered_set<PyObject *> &seen) {
    if (PyCapsule_IsValid(object, stand_in_name)) return true;
    if ((!PyTuple_CheckExact(object) && !PyList_CheckExact(object)) || !seen.insert(object).second) return false;
    PyObject **items = PySequence_Fast_ITEMS(object);
    return std::any_of(items, items + PySequence_Fast_GET_SIZE(object),
                       [&](PyObject *item) { return holds_stand_in(item, seen); });
}

} // namespace

static Val with_values(Walk &w, PyObject *object, const std::vector<Val> &values) {
    std::unordered_set<PyObject *> seen;
    if (!holds_stand_in(object, seen)) return wrap(w, PyRef::borrow(object));
    if (void *at = PyCapsule_IsValid(object, stand_in_name) ? PyCapsule_GetPointer(object, stand_in_name) : nullptr)
        return values[reinterpret_cast<size_t>(at) - 1];
    val::Sequence out{{}, PyTuple_CheckExact(object) ? val::Sequence::Type::tuple : val::Sequence::Type::list};
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
        out.items.push_back(with_values(w, PySequence_Fast_GET_ITEM(object, i), values));
    return out;
}

/// The result of such a function for arguments with run-time values; nothing for other functions, or without run-time values.
std::optional<Val> arranged(Walk &w, const Node *node, PyObject *callee, const Call &call, const std::string &module,
                            const std::string &name) {
    if (!arranges(callee, module, name)) return {};
    std::vector<Val> values;
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size())));
    for (size_t i = 0; i < call.args.size(); ++i) {
        const Val &arg = call.args[i];
        const bool has_components = arg.is_matrix() || (arg.is_ref() && arg.ref()->ndim > 0);
        const Val items = has_components ? sequence_items(w, node, w.places.load(arg)) : unpacked(w, node, arg);
        if (!items.is_sequence() && !items.is_constant()) return {};
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), Py_NewRef(stand_in(items, values).get()));
    }
    if (values.empty()) return {};
    PyRef kwargs = PyRef::steal(PyDict_New());
    for (const auto &[key, v] : call.kwargs) {
        if (!v.is_constant()) return {};
        PyDict_SetItem(kwargs.get(), key, v.object());
    }
    PyRef made = PyRef::steal(PyObject_Call(callee, args.get(), kwargs.get()));
    PyRef iterator = made ? PyRef::steal(PyObject_GetIter(made.get())) : PyRef{};
    if (!iterator) w.python_failed(node);
    val::Sequence out{{}, PyTuple_CheckExact(made.get()) ? val::Sequence::Type::tuple : val::Sequence::Type::list};
    double total = 0;
    while (PyRef item = PyRef::steal(PyIter_Next(iterator.get()))) {
        total += PyTuple_CheckExact(item.get()) ? double(PyTuple_GET_SIZE(item.get())) : 1;
        if (total > max_items) w.fail_too_long(node);
        out.items.push_back(with_values(w, item.get(), values));
    }
    if (PyErr_Occurred()) w.python_failed(node);
    return out;
}

} // namespace qd::frontend
