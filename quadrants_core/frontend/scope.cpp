// Names: kernel-local scopes first, then the closure, then globals, then builtins (read now, baked into the kernel).
#include "frontend/scope.h"

#include "frontend/builtins.h"

#include <string_view>

namespace qd::frontend {

Binding *Scopes::find_local(PyObject *name) {
    const size_t first = w_.frames.back().first_binding;
    for (size_t i = bindings_.size(); i > first; --i)
        if (bindings_[i - 1].name == name) return &bindings_[i - 1];
    return nullptr;
}

void Scopes::bind(PyObject *name, Val value) {
    Binding binding;
    binding.name = name;
    binding.value = std::move(value);
    binding.value.is_static = false; // said of the expression, not of the name
    bindings_.push_back(std::move(binding));
}

PyRef Scopes::find_global(PyObject *name) {
    PyObject *function = w_.frames.back().function;
    PyRef found = function ? find_name(function, name) : PyRef::borrow(PyDict_GetItem(PyEval_GetBuiltins(), name));
    if (found) w_.reads.name(function, name, found.get());
    return found;
}

} // namespace qd::frontend
