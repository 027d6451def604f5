#include "python/bind/mismatch.h"

#include "python/bind/errors.h"
#include "python/bind/plan.h"

namespace qd::bind {
namespace {

/// Returns the name of a type in NumPy and torch.
std::string dtype_word(ir::Scalar s) {
    if (s == ir::Scalar::u1) return "bool";
    return (ir::is_float(s) ? "float" : ir::is_signed(s) ? "int" : "uint") + std::to_string(8 * ir::size_of(s));
}

bool is_of(PyObject *o, std::string_view library) {
    const frontend::PyRef module =
        frontend::PyRef::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(o)), "__module__"));
    if (!module) PyErr_Clear();
    return frontend::text(module.get()) == library;
}

/// Returns the hint that says how to convert the array `name`.
std::string conversion(const std::string &name, PyObject *arg, ir::Scalar to) {
    if (as_numpy(arg)) return "pass `" + name + ".astype(np." + dtype_word(to) + ")`, which is a copy";
    if (is_of(arg, "torch")) return "pass `" + name + ".to(torch." + dtype_word(to) + ")`, which is a copy";
    return "convert the array to " + dtype_word(to);
}

} // namespace

std::string shape_text(const int64_t *shape, int n) {
    std::string s = "(";
    for (int i = 0; i < n; i++) s += (i ? ", " : "") + std::to_string(shape[i]);
    return s + (n == 1 ? ",)" : ")");
}

std::string type_text(ir::Scalar elem, int rows, int cols, int element_dim) {
    const auto extent = [](int n) { return n ? std::to_string(n) : "any"; };
    std::string scalar = scalar_name(elem);
    if (element_dim == 1) return "VectorType[" + extent(rows) + ", " + scalar + "]";
    if (element_dim == 2) return "MatrixType[" + extent(rows) + "," + extent(cols) + ", " + scalar + "]";
    return scalar;
}

std::string element_text(ir::Scalar elem, int rows, int cols, int element_dim) {
    if (element_dim == 0) return scalar_name(elem);
    return "[Tensor (" + std::to_string(rows) + (element_dim == 2 ? ", " + std::to_string(cols) : "") + ") " +
           scalar_name(elem) + "]";
}

void raise_mismatch(const std::string &message, const std::string &hint) {
    raise(ErrorClass::mismatch, hint.empty() ? message : message + "\nHint: " + hint);
}

void raise_value(const std::string &name, const std::string &what, const std::string &hint) {
    raise_mismatch("Invalid value for argument " + name + " - " + what, hint);
}

void raise_invalid_type(const std::string &name, PyObject *arg) {
    std::string hint;
    if (PyList_Check(arg) || PyTuple_Check(arg))
        hint = "convert it to an array: `np.array(" + name + ")`";
    else if (PyLong_Check(arg) || PyFloat_Check(arg))
        hint = "expected an array; for a single number, use `qd.ndarray(dtype, ())`";
    raise(ErrorClass::runtime_type,
          "Invalid type for argument " + name + ", got " + repr(arg) + (hint.empty() ? "" : "\nHint: " + hint));
}

void raise_unconvertible(size_t index, const std::string &name, PyObject *arg, const std::string &type) {
    raise(ErrorClass::runtime_type,
          "Argument (" + std::to_string(index) + ",) (type=" + repr(reinterpret_cast<PyObject *>(Py_TYPE(arg))) +
              ") cannot be converted into required type " + type + " of the parameter `" + name + "`");
}

void raise_elem(const ParamSpec &spec, PyObject *arg, ir::Scalar given) {
    const bool is_any = spec.elem == ir::Scalar::none, is_known = given != ir::Scalar::none;
    const frontend::PyRef dtype = frontend::PyRef::steal(PyObject_GetAttrString(arg, "dtype"));
    if (!dtype) PyErr_Clear();
    const std::string named = is_known ? scalar_name(given) : dtype ? repr(dtype.get()) : "?";
    const std::string wanted = is_any ? "a number type of the host's byte order" : scalar_name(spec.elem);
    std::string hint;
    if (!is_any) hint = conversion(spec.name, arg, spec.elem);
    if (is_known) hint += std::string(hint.empty() ? "" : "; or ") + "annotate the parameter with qd." + named;
    raise_value(spec.name, "required array has dtype=" + wanted + ", array with dtype=" + named + " is provided", hint);
}

void raise_strided(const std::string &name, PyObject *arg) {
    const std::string text =
        as_numpy(arg) ? "Non contiguous numpy arrays are not supported, please call np.ascontiguousarray(arr) before "
                        "passing it into quadrants kernels. This is argument " +
                            name
                      : "Non contiguous tensors are not supported, please call tensor.contiguous() before passing it "
                        "into quadrants kernels. This is argument " +
                            name;
    raise_mismatch(text, "pass `" + (as_numpy(arg) ? "np.ascontiguousarray(" + name + ")" : name + ".contiguous()") +
                             "`, a copy; what the kernel writes goes there");
}

void raise_unwriteable(const std::string &name, PyObject *arg, Access access) {
    const std::string type = Py_TYPE(arg)->tp_name;
    const std::string copy = "make a writable copy, such as `np.array(" + name + ")`, and use it afterwards";
    const std::string array =
        "the " + std::string(as_numpy(arg) ? "numpy " : "") + "array of argument " + name + " is read-only";
    const std::string writes = ", but the kernel writes to it";
    if (access == Access::read_only) return raise_mismatch(array + writes, copy);
    if (access == Access::copy)
        return raise_mismatch(array + writes + ": " + type + ".__dlpack__() returned a copy", copy);
    raise_mismatch(array + writes + ": " + type +
                       ".__dlpack__() does not mark the memory as writable, which requires DLPack 1.0",
                   copy);
}

PyObject *refused(const KernelObject *kernel) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = package_attr("quadrants._exceptions", "name_kernel");
    PyObject *done = name && value ? PyObject_CallFunctionObjArgs(name, value, kernel->info, nullptr) : nullptr;
    Py_XDECREF(name);
    Py_XDECREF(done);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return nullptr;
}

} // namespace qd::bind
