// Checks and conversions that annotations of parameters and results require.
#include "frontend/annotations.h"

#include "frontend/builtins.h"
#include "frontend/collect.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/scan.h"
#include "frontend/types.h"
#include "frontend/views.h"

#include <algorithm>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

Scalar dtype_scalar(Walk &w, const Node *node, PyObject *object) {
    if (!object) w.fail_type(node, "A data type such as qd.f32 is needed here, not a value of the kernel");
    if (object == reinterpret_cast<PyObject *>(&PyLong_Type)) return w.request.options.default_ip;
    if (object == reinterpret_cast<PyObject *>(&PyFloat_Type)) return w.request.options.default_fp;
    if (object == reinterpret_cast<PyObject *>(&PyBool_Type)) return Scalar::u1;
    if (w.objects.kind_of(object) != Kind::dtype)
        w.fail_type(node, "A data type such as qd.f32 is needed here, not " + repr(object));
    return Scalar(attribute_int(object, names()._qd_scalar_, 0));
}

/// The Python object that a value stands for; null if it is computed at run time.
static PyObject *python_object(const Val &v) {
    switch (v.tag()) {
    case Tag::constant: return v.object();
    case Tag::bundle: return v.bundle().object.get();
    case Tag::container: return v.container().field.get();
    case Tag::element: return v.element().elements.get();
    case Tag::relation: return v.relation().object.get();
    case Tag::sequence: return v.sequence().member.get();
    case Tag::none:
    case Tag::scalar:
    case Tag::matrix:
    case Tag::array:
    case Tag::dict:
    case Tag::structure:
    case Tag::loop:
    case Tag::method:
    case Tag::ref:
    case Tag::shared:
    case Tag::triplet: break;
    }
    return nullptr;
}

Scalar dtype_scalar(Walk &w, const Node *node, const Val &v) { return dtype_scalar(w, node, python_object(v)); }

bool is_dtype(Walk &w, PyObject *object) {
    return object == reinterpret_cast<PyObject *>(&PyLong_Type) ||
           object == reinterpret_cast<PyObject *>(&PyFloat_Type) ||
           object == reinterpret_cast<PyObject *>(&PyBool_Type) || w.objects.kind_of(object) == Kind::dtype;
}

void check_array_argument(Walk &w, const Node *node, PyObject *annotation, const Val &arg, const std::string &name) {
    if (!arg.is_array()) w.fail_type(node, "Expected ndarray in the kernel argument for argument " + name);
    const val::Array &array = arg.array();
    const auto number = [&](const char *field) {
        PyRef v = PyRef::steal(PyObject_GetAttrString(annotation, field));
        PyErr_Clear();
        return v && PyLong_Check(v.get()) ? PyLong_AsLong(v.get()) : -1;
    };
    const long ndim = number("ndim"), element_dim = number("element_dim");
    if (ndim >= 0 && ndim != array.ndim)
        w.fail(node, UserErrorKind::compilation,
               "Invalid value for argument " + name + " - required ndim=" + std::to_string(ndim) + ", but " +
                   std::to_string(array.ndim) + "d ndarray is provided");
    PyRef scalar_type_object = PyRef::steal(PyObject_GetAttrString(annotation, "scalar"));
    PyErr_Clear();
    if (element_dim < 0) return;
    const bool any_scalar = !scalar_type_object || !is_dtype(w, scalar_type_object.get());
    const Scalar elem = any_scalar ? array.elem : dtype_scalar(w, node, scalar_type_object.get());
    const long rows = number("rows"), cols = number("cols"); // 0: any
    const auto suits = [](long wanted, int given) { return wanted == 0 || wanted == given; };
    if (elem == array.elem && element_dim == array.element_dim &&
        (element_dim == 0 || (suits(rows, array.n) && suits(cols, array.m))))
        return;
    std::string given = ir::to_string(array.elem);
    if (array.element_dim > 0)
        given = "[Tensor (" + std::to_string(array.n) + (array.element_dim == 2 ? ", " + std::to_string(array.m) : "") +
                ") " + given + "]";
    if (element_dim == 0)
        w.fail_type(node,
                    "Expect element type " + ir::to_string(elem) + " for argument " + name + ", but get " + given);
    const auto extent = [](long n) { return n ? std::to_string(n) : std::string("any"); };
    const std::string required = (element_dim == 1 ? "VectorType[" + extent(rows) + ", "
                                                   : "MatrixType[" + extent(rows) + "," + extent(cols) + ", ") +
                                 ir::to_string(elem) + "]";
    w.fail(node, UserErrorKind::compilation,
           "Invalid value for argument " + name + " - required element type: " + required + ", but " + given +
               " is provided");
}

/// Checks an argument of a real func that is passed by reference: it must be a place of the caller.
Val reference(Walk &w, const Node *node, PyObject *annotation, const Val &arg, const std::string &name) {
    PyRef type = attribute(annotation, names().dtype);
    const bool scalar_type = type && is_dtype(w, type.get());
    const bool suits =
        arg.is_ref() && (scalar_type ? arg.ref()->ndim == 0 && arg.ref()->elem == dtype_scalar(w, node, type.get())
                                     : type && w.objects.kind_of(type.get()) == Kind::matrix_type &&
                                           arg.ref()->n == attribute_int(type.get(), names().n, 1) &&
                                           arg.ref()->m == attribute_int(type.get(), names().m, 1));
    if (!suits)
        w.fail_type(node, "Argument " + name + " is passed by reference: it must be a variable of type " +
                              (type ? repr(type.get()) : "?") + " of the caller");
    return arg;
}

void check_view_argument(Walk &w, const Node *node, PyObject *annotation, const Val &arg, const std::string &name) {
    if (!arg.is_array() || !is_view(w, arg))
        w.fail_type(node, "Argument " + name + " expects a BufferView, got " + type_text(w, arg));
    PyRef dtype = attribute(annotation, names().dtype);
    if (!dtype || dtype.get() == Py_None || dtype_scalar(w, node, dtype.get()) == arg.array().elem) return;
    w.fail_type(node, "Expect element type " + repr(dtype.get()) + " for argument " + name + ", but get " +
                          ir::to_string(arg.array().elem));
}

/// `elementwise`: a scalar type applies to each element of a vector or matrix, as it does for inlined funcs.
Val convert_to_annotation(Walk &w, const Node *node, PyObject *annotation, const Val &given, const std::string &what,
                          bool elementwise) {
    if (!annotation) return given;
    const Val v = w.places.load(given);
    if (is_dtype(w, annotation)) {
        const bool many =
            v.is_matrix() || v.is_sequence() || (v.is_constant() && w.objects.kind_of(v.object()) == Kind::matrix);
        if (elementwise && many) return cast(w, node, v, dtype_scalar(w, node, annotation));
        if (!v.is_scalar() && !is_number(v))
            w.fail_type(node, what + " (type=" + type_text(w, v) + ") cannot be converted into required type " +
                                  ir::to_string(dtype_scalar(w, node, annotation)));
        const Scalar type = dtype_scalar(w, node, annotation);
        return scalar(w, as(w, node, v, type));
    }
    if (w.objects.kind_of(annotation) == Kind::matrix_type) {
        const Names &n = names();
        const int rows = int(attribute_int(annotation, n.n, 1)), cols = int(attribute_int(annotation, n.m, 1));
        const int ndim = int(attribute_int(annotation, n.ndim, 1));
        if (v.is_scalar() || is_number(v))
            w.fail_syntax(node, what + " is expected to be a Matrix, but got " + type_text(w, v));
        const Val matrix = to_matrix(w, node, v);
        const val::Matrix &m = matrix.matrix();
        if (rows && m.n != rows) // 0: any
            w.fail_syntax(node, what + " is expected to be a Matrix with n " + std::to_string(rows) + ", but got " +
                                    std::to_string(m.n));
        if ((cols && m.m != cols) || m.ndim != ndim)
            w.fail_syntax(node, what + " is expected to be a Matrix with m " + std::to_string(cols) + ", but got " +
                                    std::to_string(m.m));
        PyRef dtype = attribute(annotation, n.dtype);
        if (!dtype || dtype.get() == Py_None) return matrix;
        return cast(w, node, matrix, dtype_scalar(w, node, dtype.get()));
    }
    if (w.objects.kind_of(annotation) == Kind::struct_type) return w.structs.convert_struct(node, annotation, v, what);
    return v;
}

Val converted_result(Walk &w, const Node *node, PyObject *annotation, const Val &v, bool elementwise) {
    if (!annotation || v.is_none()) return v;
    if (!elementwise && w.objects.kind_of(annotation) == Kind::struct_type)
        w.structs.check_returned(node, annotation, v);
    if (is_dtype(w, annotation) || w.objects.kind_of(annotation) == Kind::matrix_type ||
        w.objects.kind_of(annotation) == Kind::struct_type)
        return convert_to_annotation(w, node, annotation, v, "Return", elementwise);
    if (PyTuple_Check(annotation) && v.is_sequence() &&
        PyTuple_GET_SIZE(annotation) == Py_ssize_t(v.sequence().items.size())) {
        Val out = v;
        std::vector<Val> &items = out.sequence().items;
        for (size_t i = 0; i < items.size(); ++i)
            items[i] = converted_result(w, node, PyTuple_GET_ITEM(annotation, Py_ssize_t(i)), items[i], elementwise);
        return out;
    }
    return v;
}

} // namespace qd::frontend
