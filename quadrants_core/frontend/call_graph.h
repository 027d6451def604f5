#pragma once
// Which funcs a func calls, and which of them are recursive.
#include "frontend/walk.h"

namespace qd::frontend {

bool is_recursive(Walk &w, FuncInfo &info);
FuncInfo *cut_callee(Walk &w, const Node *node, bool *is_method = nullptr);
/// The class of a value as the owner of a method; null if it has none.
PyObject *class_of_receiver(const Val &v);
/// A method is called for an instance of this class: methods that it names are those of the class.
void set_receiver(FuncInfo &info, PyObject *cls);
bool calls_real(Walk &w, const Node *tree);
/// Whether the body hands this parameter, or a part of it, to a func that changes it there. `known`: by parameter the object of
/// Python's that it is, or null.
bool is_handed_to_change(Walk &w, FuncInfo &info, PyObject *parameter, const std::vector<PyObject *> &known);

} // namespace qd::frontend
