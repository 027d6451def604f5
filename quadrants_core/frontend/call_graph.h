#pragma once
// The call graph of funcs and its recursive funcs.
#include "frontend/walk.h"

namespace qd::frontend {

bool is_recursive(Walk &w, FuncInfo &info);
FuncInfo *cut_callee(Walk &w, const Node *node, bool *is_method = nullptr);
/// The class whose methods a value has; null if there is none.
PyObject *class_of_receiver(const Val &v);
/// Sets the class of the instance that a method is called on; methods that it names are looked up in that class.
void set_receiver(FuncInfo &info, PyObject *cls);
bool calls_real(Walk &w, const Node *tree);
/// True if the body passes this parameter, or a part of it, to a func that modifies it. `known`: for each parameter the Python object that
/// it stands for, or null.
bool is_modified_by_callee(Walk &w, FuncInfo &info, PyObject *parameter, const std::vector<PyObject *> &known);

} // namespace qd::frontend
