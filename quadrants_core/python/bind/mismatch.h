#pragma once
// Errors for arguments that do not suit their parameter: what is wrong, and what to write instead.
#include "python/bind/arguments.h"

namespace qd::bind {

struct KernelObject;

/// "(3, 4)".
std::string shape_text(const int64_t *shape, int n);
/// "f32", "VectorType[3, f32]", "MatrixType[2,2, f32]".
std::string type_text(ir::Scalar elem, int rows, int cols, int element_dim);
/// The element type of an array in messages: "f32", "[Tensor (3) f32]".
std::string element_text(ir::Scalar elem, int rows, int cols, int element_dim);

/// Sets a QuadrantsRuntimeTypeError that is a ValueError too, as the caller may expect. `hint`: what to write instead.
void raise_mismatch(const std::string &message, const std::string &hint = "");
/// The same: "Invalid value for argument x - ...".
void raise_value(const std::string &name, const std::string &what, const std::string &hint = "");
/// Sets "Invalid type for argument x, got ...".
void raise_invalid_type(const std::string &name, PyObject *arg);
/// Sets "Argument (i,) (type=...) cannot be converted into required type ...", with the name of the parameter.
void raise_unconvertible(size_t index, const std::string &name, PyObject *arg, const std::string &type);
/// Sets the error for an array of another library with elements of type `given`.
void raise_elem(const ParamSpec &spec, PyObject *arg, ir::Scalar given);
/// Sets the error for an array of another library that is not C-contiguous.
void raise_strided(const std::string &name, PyObject *arg);
/// Sets the error for an array that a kernel writes to but may not.
void raise_unwriteable(const std::string &name, PyObject *arg, Access access);

/// Adds the name of `kernel` to the error that is set, if it is about arguments. Returns null.
PyObject *refused(const KernelObject *kernel);

} // namespace qd::bind
