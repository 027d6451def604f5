#include "python/bind/arguments.h"

#include "python/bind/errors.h"
#include "python/bind/mismatch.h"

#include "base/stack.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace qd::bind {

PyTypeObject *numpy_type = nullptr;
PyTypeObject *tensor_type = nullptr, *buffer_view_type = nullptr;

ir::Scalar default_of(ir::Scalar code) {
    const ir::Scalar integer = runtime.options.default_ip;
    if (code == default_float) return runtime.options.default_fp;
    if (code != default_unsigned) return integer;
    return ir::bits_of(integer) == 64 ? ir::Scalar::u64 : ir::Scalar::u32;
}

std::string repr(PyObject *o) {
    PyObject *text = PyObject_Repr(o);
    const char *utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
    std::string s = utf8 ? utf8 : "?";
    if (!utf8) PyErr_Clear();
    Py_XDECREF(text);
    if (s.size() > 200) s = s.substr(0, 200) + "...";
    return s;
}

namespace {

/// True if an element of this shape suits; an extent of 0 in the annotation accepts any.
bool suits_element(const ParamSpec &spec, int64_t rows, int64_t cols) {
    return (spec.rows == 0 || spec.rows == rows) && (spec.cols == 0 || spec.cols == cols);
}

bool describe_ndarray(const ParamSpec &spec, NdarrayObject *a, ArrayFacts *out) {
    *out = {a->elem, a->ndim, a->rows, a->cols, a->element_dim, a->layout};
    bool element_differs = (spec.elem != ir::Scalar::none && spec.elem != a->elem) ||
                           (spec.element_dim >= 0 && spec.element_dim != a->element_dim) ||
                           (spec.element_dim > 0 && !suits_element(spec, a->rows, a->cols));
    if (element_differs) {
        const std::string given = element_text(a->elem, a->rows, a->cols, a->element_dim);
        const ir::Scalar elem = spec.elem == ir::Scalar::none ? a->elem : spec.elem;
        const std::string required = type_text(elem, spec.rows, spec.cols, std::max(spec.element_dim, 0));
        const std::string hint = "make the array with that element type, or annotate the parameter with the array's";
        if (spec.element_dim > 0)
            raise_value(spec.name, "required element type: " + required + ", but " + given + " is provided", hint);
        else
            raise_mismatch("Expect element type " + required + " for argument " + spec.name + ", but get " + given,
                           hint);
        return false;
    }
    if (spec.ndim >= 0 && spec.ndim != a->ndim) {
        int64_t shape[max_dims];
        for (int i = 0; i < a->ndim; i++) shape[i] = a->extent(i);
        raise_value(spec.name,
                    "required ndim=" + std::to_string(spec.ndim) + ", but " + std::to_string(a->ndim) +
                        "d ndarray with shape " + shape_text(shape, a->ndim) + " is provided",
                    "pass an ndarray with as many axes, or annotate the parameter with ndim=" +
                        std::to_string(a->ndim));
        return false;
    }
    return true;
}

HostArray view_of(NumpyArray *a) {
    HostArray out;
    out.data = a->data;
    out.ndim = std::min(a->ndim, HostArray::max_tensor_dims);
    std::copy_n(a->shape, out.ndim, out.shape);
    out.elem = a->elem();
    out.contiguous = a->c_contiguous();
    out.access = a->writeable() ? Access::writeable : Access::read_only;
    return out;
}

bool describe_host_array(const ParamSpec &spec, const HostArray &a, PyObject *arg, ArrayFacts *out) {
    const int element_dim = std::max(spec.element_dim, 0);
    if (a.elem == ir::Scalar::none || (spec.elem != ir::Scalar::none && spec.elem != a.elem)) {
        raise_elem(spec, arg, a.elem);
        return false;
    }
    if ((spec.ndim >= 0 && a.ndim != spec.ndim + element_dim) || a.ndim < element_dim || a.ndim > max_dims) {
        std::string hint;
        if (spec.ndim >= 0 && a.ndim >= element_dim)
            hint = "reshape the array, or annotate the parameter with ndim=" + std::to_string(a.ndim - element_dim);
        if (element_dim) hint += (hint.empty() ? "" : "; ") + std::string("the last axes are those of the elements");
        raise_value(spec.name,
                    "required array has " +
                        (spec.ndim >= 0 ? "ndim=" + std::to_string(spec.ndim) : "at most 12 dimensions,") +
                        (element_dim ? " element_dim=" + std::to_string(element_dim) : "") + ", array with " +
                        std::to_string(a.ndim) + " dimensions is provided",
                    hint);
        return false;
    }
    const int ndim = a.ndim - element_dim;
    const int64_t want[2] = {spec.rows, spec.cols};
    const int64_t rows = element_dim > 0 ? a.shape[ndim] : 1, cols = element_dim > 1 ? a.shape[ndim + 1] : 1;
    if (element_dim > 0 && !suits_element(spec, rows, cols)) {
        raise_value(spec.name,
                    "required element_shape=" + shape_text(want, element_dim) + ", array with element shape of " +
                        shape_text(a.shape + ndim, element_dim) + " is provided",
                    "the last axes of the array are those of its elements");
        return false;
    }
    constexpr int64_t max_components = 1 << 12;
    if (rows < 1 || cols < 1 || rows > max_components || cols > max_components || rows * cols > max_components) {
        raise_value(spec.name, "element shape " + shape_text(a.shape + ndim, element_dim) +
                                   " is not that of a vector or matrix of 1 to " + std::to_string(max_components) +
                                   " components");
        return false;
    }
    if (!a.contiguous) {
        raise_strided(spec.name, arg);
        return false;
    }
    *out = {a.elem, ndim, int(rows), int(cols), element_dim};
    return true;
}

/// Writes the numbers of a nested list or tuple in row-major order; returns their count, or -1 if one is not a number of type `s`.
int flatten(PyObject *value, ir::Scalar s, uint64_t *slots, int room) {
    if (!PyList_Check(value) && !PyTuple_Check(value)) return room > 0 && to_slot(value, s, slots) ? 1 : -1;
    if (stack_is_short()) return -1; // lists nested without end
    int done = 0;
    for (Py_ssize_t i = 0; done >= 0 && i < PySequence_Fast_GET_SIZE(value); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(value, i)); // converting an item may change the list
        const int n = flatten(item, s, slots + done, room - done);
        Py_DECREF(item);
        done = n < 0 ? -1 : done + n;
    }
    return done;
}

Match put_extents(uint64_t *slots, uint64_t address, const int64_t *shape, int n) {
    slots[0] = address;
    for (int i = 0; i < n; i++) slots[abi::extent_slot(0, uint32_t(i))] = uint64_t(shape[i]);
    return Match::yes;
}

Match match_host_array(const BoundParam &p, const HostArray &a, uint64_t *slots, Arrays *arrays, Access *denied) {
    if (a.elem != p.elem || a.ndim != p.ndim + p.element_dim || !a.contiguous || layout_in(p.signature))
        return Match::no;
    if (p.element_dim > 0 && a.shape[p.ndim] != p.rows) return Match::no;
    if (p.element_dim > 1 && a.shape[p.ndim + 1] != p.cols) return Match::no;
    if (p.written && a.access != Access::writeable) {
        *denied = a.access;
        return Match::error;
    }
    uint64_t n = uint64_t(ir::size_of(p.elem));
    for (int i = 0; i < a.ndim; i++) {
        n *= uint64_t(a.shape[i]);
        if (a.shape[i] > INT32_MAX) {
            raise(ErrorClass::runtime,
                  "Ndarray index might be out of int32 boundary but int64 indexing is not supported yet.");
            return Match::error;
        }
    }
    arrays->bytes += n;
    arrays->foreign = true;
    if (!runtime.host_visible) [[unlikely]]
        arrays->put_aside().staged.push_back(&p);
    return put_extents(slots, reinterpret_cast<uint64_t>(a.data), a.shape, p.ndim);
}

bool layout_agrees(PyObject *array) {
    auto *a = reinterpret_cast<NumpyArray *>(array);
    return a->ndim == 2 && a->shape[0] == 3 && a->shape[1] == 5 && a->strides[0] == 20 && a->strides[1] == 4 &&
           a->elem() == ir::Scalar::f32 && a->c_contiguous() && a->writeable();
}

} // namespace

ir::Scalar NumpyArray::elem() const {
    using ir::Scalar;
    constexpr Scalar long_type = sizeof(long) == 8 ? Scalar::i64 : Scalar::i32;
    constexpr Scalar ulong_type = sizeof(long) == 8 ? Scalar::u64 : Scalar::u32;
    constexpr Scalar table[] = {Scalar::u1, Scalar::i8, Scalar::u8,  Scalar::i16, Scalar::u16, Scalar::i32, Scalar::u32,
                                long_type,  ulong_type, Scalar::i64, Scalar::u64, Scalar::f32, Scalar::f64};
    if (descr->byteorder == '>') return Scalar::none;
    if (descr->type_num == 23) return Scalar::f16;
    return unsigned(descr->type_num) < std::size(table) ? table[descr->type_num] : Scalar::none;
}

void find_numpy() {
    if (numpy_type) return;
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *numpy = PyDict_GetItemString(modules, "numpy"); // borrowed
    PyObject *type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : nullptr;
    PyObject *probe = type ? PyObject_CallMethod(numpy, "zeros", "((ii)s)", 3, 5, "float32") : nullptr;
    if (probe && PyType_Check(type) && layout_agrees(probe))
        numpy_type = reinterpret_cast<PyTypeObject *>(Py_NewRef(type));
    Py_XDECREF(type);
    Py_XDECREF(probe);
    PyErr_Clear();
}

bool describe_array(const ParamSpec &spec, PyObject *arg, ArrayFacts *out) {
    if (is_ndarray(arg)) return describe_ndarray(spec, reinterpret_cast<NdarrayObject *>(arg), out);
    find_numpy();
    if (NumpyArray *a = as_numpy(arg)) return describe_host_array(spec, view_of(a), arg, out);
    Exported memory;
    if (HostArray a; has_dlpack(arg)) return read_dlpack(arg, &a, &memory) && describe_host_array(spec, a, arg, out);
    raise_invalid_type(spec.name, arg);
    return false;
}

bool write_components(ir::Scalar elem, int n, PyObject *arg, uint64_t *slots) {
    PyObject *items = nullptr;
    if (PyList_Check(arg) || PyTuple_Check(arg)) {
        items = Py_NewRef(arg);
    } else if (PyObject_HasAttrString(arg, "_entries")) {
        items = PyObject_GetAttrString(arg, "_entries");
    } else if (PyObject_HasAttrString(arg, "tolist")) {
        items = PyObject_CallMethod(arg, "tolist", nullptr);
    }
    int done = items && (PyList_Check(items) || PyTuple_Check(items)) ? flatten(items, elem, slots, n) : -1;
    Py_XDECREF(items);
    PyErr_Clear();
    return done == n;
}

Match match_array(const BoundParam &p, PyObject *arg, uint64_t *slots, Arrays *arrays, Access *denied) {
    if (is_ndarray(arg)) {
        auto *a = reinterpret_cast<NdarrayObject *>(arg);
        if (a->signature != p.signature) return Match::no;
        if (p.gradient != BoundParam::Gradient::either) [[unlikely]]
            if (has_gradient(arg) != (p.gradient == BoundParam::Gradient::needed)) return Match::no;
        if (!a->alive()) {
            raise_dead("ndarray");
            return Match::error;
        }
        arrays->bytes += a->bytes;
        return put_extents(slots, a->memory.address, a->shape, a->ndim);
    }
    if (NumpyArray *a = as_numpy(arg)) return match_host_array(p, view_of(a), slots, arrays, denied);
    if (PyObject *inner = unwrapped(arg); inner != arg) return match_array(p, inner, slots, arrays, denied);
    HostArray a;
    if (arg == Py_None || !has_dlpack(arg)) return Match::no;
    if (requires_gradient(arg)) {
        if (p.gradient == BoundParam::Gradient::refused) return Match::no;
        if (!provide_gradient(arg)) return Match::error;
    }
    Exported memory;
    if (!read_dlpack(arg, &a, &memory)) return Match::error;
    arrays->put_aside().memory.push_back(std::move(memory));
    return match_host_array(p, a, slots, arrays, denied);
}

namespace {

/// Returns the array of a view (borrowed from the view), its offset and its size; null with an error set.
NdarrayObject *open_view(PyObject *view, int64_t *offset, int64_t *size) {
    PyObject *array = PyObject_GetAttrString(view, "arr"), *at = PyObject_GetAttrString(view, "offset");
    PyObject *count = PyObject_GetAttrString(view, "size");
    NdarrayObject *found = nullptr;
    if (array && at && count && is_ndarray(array)) {
        *offset = PyLong_AsLongLong(at);
        *size = PyLong_AsLongLong(count);
        auto *a = reinterpret_cast<NdarrayObject *>(array);
        const bool inside =
            a->ndim == 1 && *size >= 0 && *size <= a->shape[0] && *offset >= 0 && *offset <= a->shape[0] - *size;
        if (inside && !PyErr_Occurred()) found = a;
    }
    if (!found && !PyErr_Occurred()) raise(ErrorClass::value, "BufferView out of range");
    Py_XDECREF(array);
    Py_XDECREF(at);
    Py_XDECREF(count);
    return found;
}

} // namespace

bool describe_view(const ParamSpec &spec, PyObject *arg, ArrayFacts *out) {
    if (!is_buffer_view(arg)) {
        raise(ErrorClass::runtime_type,
              "Argument " + spec.name + " expects a BufferView, got " + std::string(Py_TYPE(arg)->tp_name));
        return false;
    }
    int64_t offset, size;
    NdarrayObject *a = open_view(arg, &offset, &size);
    if (!a) return false;
    const bool differs =
        spec.elem != ir::Scalar::none && (spec.elem != a->elem || std::max(spec.element_dim, 0) != a->element_dim ||
                                          spec.rows != a->rows || spec.cols != a->cols);
    if (differs) {
        raise_mismatch("Expect element type " +
                       type_text(spec.elem, spec.rows, spec.cols, std::max(spec.element_dim, 0)) + " for argument " +
                       spec.name + ", but get " + element_text(a->elem, a->rows, a->cols, a->element_dim));
        return false;
    }
    *out = {a->elem, a->ndim, a->rows, a->cols, a->element_dim};
    return true;
}

Match match_view(const BoundParam &p, PyObject *arg, uint64_t *slots, Arrays *arrays) {
    if (!is_buffer_view(arg)) return Match::no;
    int64_t offset, size;
    NdarrayObject *a = open_view(arg, &offset, &size);
    if (!a) return Match::error;
    if ((a->signature ^ p.signature) << 16)
        return Match::no; // ignores the storage order, which is meaningless for one index
    if (!a->alive()) {
        raise_dead("ndarray");
        return Match::error;
    }
    const int64_t element = ir::size_of(a->elem) * a->components();
    arrays->bytes += uint64_t(size * element);
    return put_extents(slots, a->memory.address + uint64_t(offset * element), &size, 1);
}

bool read_spec(PyObject *tuple, ParamSpec *spec) {
    const char *name, *form;
    int elem, clamp, optional, needs_grad;
    PyObject *cls;
    if (!PyArg_ParseTuple(tuple, "ssiiiiippOi", &name, &form, &elem, &spec->ndim, &spec->rows, &spec->cols,
                          &spec->element_dim, &clamp, &optional, &cls, &needs_grad)) {
        return false;
    }
    spec->needs_grad = needs_grad > 0;
    spec->constant = needs_grad < 0;
    spec->name = name;
    spec->elem = ir::Scalar(elem);
    spec->clamp = clamp != 0;
    spec->cls = cls == Py_None ? nullptr : cls;
    spec->optional = optional != 0;
    static constexpr std::pair<std::string_view, ParamForm> forms[] = {
#define PARAMETER(kind, name, passes) {name, ParamForm::kind},
#define FORM(form, name) {name, ParamForm::form},
#include "frontend/parameters.def"
    };
    for (const auto &[word, which] : forms) {
        if (word != form) continue;
        spec->form = which;
        if (which == ParamForm::tensor) spec->optional = true;
        return true;
    }
    PyErr_Format(PyExc_SystemError, "no form of parameters: %s", form);
    return false;
}

uint32_t leaves_of(const BoundParam &p) {
    switch (frontend::passes(p.kind)) {
    case frontend::Passes::nothing: return 0;
    case frontend::Passes::number:
    case frontend::Passes::array: return 1;
    case frontend::Passes::numbers: return p.shape ? uint32_t(p.shape->slots) : uint32_t(p.rows * p.cols);
    }
    return 0;
}

bool has_gradient(PyObject *array) {
    if (is_ndarray(array)) {
        const PyObject *own = reinterpret_cast<NdarrayObject *>(array)->grad;
        return own && own != Py_None;
    }
    PyObject *grad = PyObject_GetAttr(array, grad_word());
    PyErr_Clear();
    Py_XDECREF(grad);
    return grad && grad != Py_None;
}

PyObject *unwrapped(PyObject *o) {
    if (!is_tensor(o)) return o;
    PyObject *inner = PyObject_GetAttrString(o, "_impl");
    if (!inner) {
        PyErr_Clear();
        return o;
    }
    Py_DECREF(inner); // the wrapper keeps it alive
    return inner;
}

PyObject *number_in(PyObject *o) {
    if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE)) return nullptr; // not a class defined in Python
    PyObject *marked = PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(o)), "_qd_is_number_");
    PyObject *number = marked == Py_True ? PyObject_GetAttrString(o, "value") : nullptr;
    Py_XDECREF(marked);
    PyErr_Clear();
    return number;
}

namespace {

/// Equality that distinguishes 1, 1.0 and True, inside tuples too. Tuples nested more deeply than the stack allows count as different.
bool equal_values(PyObject *a, PyObject *b) {
    if (a == b) return true;
    if (Py_TYPE(a) != Py_TYPE(b)) return false;
    if (PyTuple_CheckExact(a)) {
        if (stack_is_short() || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); i++)
            if (!equal_values(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
        return true;
    }
    int equal = PyObject_RichCompareBool(a, b, Py_EQ);
    if (equal < 0) PyErr_Clear();
    return equal == 1;
}

} // namespace

bool same_constant(const BoundParam &p, PyObject *arg) {
    arg = unwrapped(arg);
    if (p.weak) return p.value == arg && PyWeakref_GetObject(p.weak) == arg;
    if (p.value == arg) return true;
    if (!p.by_value) return false;
    if (equal_values(p.value, arg)) return true;
    PyObject *number = number_in(arg);
    const bool same = number && equal_values(p.value, number);
    Py_XDECREF(number);
    return same;
}

} // namespace qd::bind
