#pragma once
// Checks and conversions that annotations of parameters and results require.
#include "frontend/walk.h"

namespace qd::frontend {

Val reference(Walk &w, const Node *node, PyObject *annotation, const Val &arg, const std::string &name);
ir::Scalar dtype_scalar(Walk &w, const Node *node, PyObject *object);
/// Returns the data type that an argument denotes.
ir::Scalar dtype_scalar(Walk &w, const Node *node, const Val &v);
bool is_dtype(Walk &w, PyObject *object);
void check_array_argument(Walk &w, const Node *node, PyObject *annotation, const Val &arg, const std::string &name);
void check_view_argument(Walk &w, const Node *node, PyObject *annotation, const Val &arg, const std::string &name);
Val converted_result(Walk &w, const Node *node, PyObject *annotation, const Val &v, bool elementwise = false);
Val convert_to_annotation(Walk &w, const Node *node, PyObject *annotation, const Val &v, const std::string &what,
                          bool elementwise = false);

} // namespace qd::frontend
