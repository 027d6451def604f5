// Names: kernel-local scopes first, then the closure, globals and builtins, which are read now and compiled into the kernel.
#include "frontend/scope.h"

#include "frontend/builtins.h"

#include <algorithm>

namespace qd::frontend {

Binding *Scopes::find_local(PyObject *name) {
    const size_t first = w_.frames.back().first_binding;
    for (size_t i = bindings_.size(); i > first; --i)
        if (bindings_[i - 1].name == name) return bindings_[i - 1].maybe ? nullptr : &bindings_[i - 1];
    return nullptr;
}

void Scopes::bind(PyObject *name, Val value) {
    Binding binding;
    binding.name = name;
    binding.value = std::move(value);
    binding.value.is_static = false; // applies to the expression, not to the name
    bindings_.push_back(std::move(binding));
}

void Scopes::bind_from_arm(PyObject *name, Val value, bool maybe) {
    bind(name, std::move(value));
    bindings_.back().maybe = maybe;
    has_maybes_ = has_maybes_ || maybe;
}

bool Scopes::may_be_unbound(PyObject *name) const {
    if (!has_maybes_) return false;
    for (size_t i = bindings_.size(); i > w_.frames.back().first_binding; --i)
        if (bindings_[i - 1].name == name) return bindings_[i - 1].maybe;
    return false;
}

void Scopes::reveal(const std::unordered_set<PyObject *> &names) {
    for (PyObject *name : names) {
        if (!may_be_unbound(name)) continue;
        const auto is_it = [&](const Binding &binding) { return binding.name == name; };
        Binding known = *std::find_if(bindings_.rbegin(), bindings_.rend(), is_it);
        known.maybe = false;
        bindings_.push_back(std::move(known));
    }
}

PyRef Scopes::find_global(PyObject *name) {
    PyObject *function = w_.frames.back().function;
    PyRef found = function ? find_name(function, name) : PyRef::borrow(PyDict_GetItem(PyEval_GetBuiltins(), name));
    if (found) w_.dependencies.name(function, name, found.get());
    return found;
}

} // namespace qd::frontend
