#include "python/bind/dlpack.h"

#include "python/bind/errors.h"

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace qd::bind {

using frontend::PyRef;

namespace {

// The structures of the protocol, laid out as its specification requires.
struct Device {
    int32_t type, id;
};
struct DataType {
    uint8_t code, bits;
    uint16_t lanes;
};
struct Tensor {
    void *data;
    Device device;
    int32_t ndim;
    DataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct Managed {
    Tensor tensor;
    void *context;
    void (*deleter)(Managed *);
};
struct Versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(Versioned *);
    uint64_t flags;
    Tensor tensor;
};
enum Code : uint8_t { code_int = 0, code_uint = 1, code_float = 2, code_bool = 6 };
constexpr int32_t device_cpu = 1, device_cuda_host = 3;
constexpr uint64_t flag_read_only = 1, flag_copied = 2;

DataType type_of(ir::Scalar s) {
    const auto bits = uint8_t(8 * ir::size_of(s));
    if (s == ir::Scalar::u1) return {code_bool, 8, 1};
    if (ir::is_float(s)) return {code_float, bits, 1};
    return {ir::is_signed(s) ? code_int : code_uint, bits, 1};
}

ir::Scalar scalar_of(DataType t) {
    for (int s = 1; s <= int(ir::Scalar::f64); s++) {
        const DataType known = type_of(ir::Scalar(s));
        if (known.code == t.code && known.bits == t.bits && t.lanes == 1) return ir::Scalar(s);
    }
    return ir::Scalar::none;
}

/// Everything that an exported array keeps alive.
struct Lent {
    PyObject *owner;
    std::shared_ptr<engine::Program> program;
    std::vector<int64_t> shape, strides;
    Managed plain;
    Versioned versioned;
};

void give_back(void *context) {
    auto *lent = static_cast<Lent *>(context);
    const PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(lent->owner);
    PyGILState_Release(gil);
    delete lent;
}

void end_capsule(PyObject *capsule) { // only for a capsule that no consumer has taken over
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        auto *m = static_cast<Managed *>(PyCapsule_GetPointer(capsule, "dltensor"));
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        auto *m = static_cast<Versioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
        m->deleter(m);
    }
}

bool read_numbers(PyObject *tuple, std::vector<int64_t> *out) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
        out->push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
    return !PyErr_Occurred();
}

bool read_tensor(const Tensor &t, HostArray *out) {
    if (t.device.type != device_cpu && t.device.type != device_cuda_host) {
        raise(ErrorClass::runtime,
              "the array is not in host memory, where kernels of this arch run; move it there first");
        return false;
    }
    if (t.ndim > HostArray::max_tensor_dims) {
        raise(ErrorClass::value, "an array of more than 16 dimensions cannot be passed to a kernel");
        return false;
    }
    out->data = static_cast<char *>(t.data) + t.byte_offset;
    out->ndim = t.ndim;
    out->elem = scalar_of(t.dtype);
    int64_t step = 1;
    for (int i = t.ndim - 1; i >= 0; i--) {
        out->shape[i] = t.shape[i];
        if (t.strides && t.strides[i] != step && t.shape[i] > 1) out->contiguous = false;
        step *= t.shape[i];
    }
    if (step == 0) out->contiguous = true;
    return true;
}

} // namespace

bool has_dlpack(PyObject *o) {
    PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(o));
    return PyObject_HasAttrString(type, "__dlpack__") &&
           !PyObject_HasAttrString(type, "_qd_kind_"); // fields are not arrays
}

namespace {

bool is_true(PyObject *o, const char *name) {
    PyObject *found = PyObject_GetAttrString(o, name);
    if (!found) PyErr_Clear();
    Py_XDECREF(found);
    return found == Py_True;
}

} // namespace

bool requires_gradient(PyObject *o) { return is_true(o, "requires_grad"); }

PyObject *gradient_of(PyObject *tensor) {
    PyObject *found = PyObject_GetAttrString(tensor, "grad");
    if (found != Py_None) return found;
    Py_DECREF(found);
    PyObject *shape = PyObject_GetAttrString(tensor, "shape");
    PyObject *plain = shape ? PyObject_CallMethod(tensor, "detach", nullptr) : nullptr;
    PyObject *zeros = plain ? PyObject_CallMethod(plain, "new_zeros", "(O)", shape) : nullptr;
    Py_XDECREF(plain);
    Py_XDECREF(shape);
    if (zeros && PyObject_SetAttrString(tensor, "grad", zeros) < 0) Py_CLEAR(zeros);
    return zeros;
}

bool provide_gradient(PyObject *tensor) {
    if (!is_true(tensor, "is_leaf")) return true;
    PyObject *gradient = gradient_of(tensor);
    Py_XDECREF(gradient);
    return gradient != nullptr;
}

namespace {

/// Capsules older than DLPack 1.0 cannot mark memory as read-only. Returns true for types of libraries that export only writeable memory
/// in such capsules, and for types derived from them.
bool exports_writeable_memory(PyTypeObject *type) {
    static constexpr std::string_view libraries[] = {"torch", "numpy", "cupy", "quadrants"};
    PyObject *bases = type->tp_mro;
    for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); i++) {
        const PyRef module = PyRef::steal(PyObject_GetAttrString(PyTuple_GET_ITEM(bases, i), "__module__"));
        if (!module) PyErr_Clear();
        const std::string name = frontend::text(module.get());
        for (const std::string_view library : libraries)
            if (name.substr(0, name.find('.')) == library) return true;
    }
    return false;
}

/// Returns `o.__dlpack__()`, in the form of DLPack 1.0 if the library supports it; null with an error set.
PyRef capsule_of(PyObject *o) {
    static PyTypeObject *older = nullptr; // the last class that refused the keyword, owned
    PyTypeObject *type = Py_TYPE(o);
    if (type != older) {
        static PyObject *const method = PyUnicode_InternFromString("__dlpack__");
        static PyObject *const names = Py_BuildValue("(s)", "max_version");
        static PyObject *const version = Py_BuildValue("(ii)", 1, 0);
        PyObject *const args[] = {o, version};
        PyObject *made = PyObject_VectorcallMethod(method, args, 1, names);
        if (made || !PyErr_ExceptionMatches(PyExc_TypeError)) return PyRef::steal(made);
        PyErr_Clear();
    }
    PyRef made = PyRef::steal(PyObject_CallMethod(o, "__dlpack__", nullptr));
    if (made && type != older) {
        Py_INCREF(reinterpret_cast<PyObject *>(type));
        Py_XDECREF(reinterpret_cast<PyObject *>(std::exchange(older, type)));
    }
    return made;
}

} // namespace

void Exported::give_back() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    capsule_ = PyRef();
    PyErr_Restore(type, value, trace);
}

bool read_dlpack(PyObject *o, HostArray *out, Exported *memory) {
    const PyRef plain =
        requires_gradient(o) ? PyRef::steal(PyObject_CallMethod(o, "detach", nullptr)) : PyRef::borrow(o);
    const PyRef capsule = plain ? capsule_of(plain.get()) : PyRef();
    if (!capsule) return false;
    *memory = Exported(capsule);
    bool ok = false;
    if (PyCapsule_IsValid(capsule.get(), "dltensor")) {
        ok = read_tensor(static_cast<Managed *>(PyCapsule_GetPointer(capsule.get(), "dltensor"))->tensor, out);
        out->access = exports_writeable_memory(Py_TYPE(plain.get())) ? Access::writeable : Access::unknown;
    } else if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned")) {
        auto *m = static_cast<Versioned *>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
        if (m->major != 1) {
            raise(ErrorClass::value, "__dlpack__(max_version=(1, 0)) returned a capsule of DLPack " +
                                         std::to_string(m->major) + ", which is not supported");
            return false;
        }
        ok = read_tensor(m->tensor, out);
        out->access = m->flags & flag_read_only ? Access::read_only
                      : m->flags & flag_copied  ? Access::copy
                                                : Access::writeable;
    } else {
        raise(ErrorClass::value, "__dlpack__() did not return a DLPack capsule");
    }
    return ok;
}

PyObject *export_dlpack(PyObject *, PyObject *args) {
    if (!may_touch_memory("to_dlpack")) return nullptr;
    PyObject *owner, *shape, *strides;
    unsigned long long address;
    int scalar, versioned;
    if (!PyArg_ParseTuple(args, "OKO!O!ip", &owner, &address, &PyTuple_Type, &shape, &PyTuple_Type, &strides, &scalar,
                          &versioned))
        return nullptr;
    if (!need_program()) return nullptr;
    auto lent = std::make_unique<Lent>();
    if (!read_numbers(shape, &lent->shape) || !read_numbers(strides, &lent->strides)) return nullptr;
    lent->owner = Py_NewRef(owner);
    lent->program = runtime.program;
    const Tensor tensor{reinterpret_cast<void *>(address),
                        {device_cpu, 0},
                        int32_t(lent->shape.size()),
                        type_of(ir::Scalar(scalar)),
                        lent->shape.data(),
                        lent->strides.data(),
                        0};
    lent->plain = {tensor, lent.get(), [](Managed *m) { give_back(m->context); }};
    lent->versioned = {1, 0, lent.get(), [](Versioned *m) { give_back(m->context); }, 0, tensor};
    void *pointer = versioned ? static_cast<void *>(&lent->versioned) : &lent->plain;
    PyObject *capsule = PyCapsule_New(pointer, versioned ? "dltensor_versioned" : "dltensor", end_capsule);
    if (!capsule) {
        Py_DECREF(lent->owner);
        return nullptr;
    }
    lent.release();
    return capsule;
}

PyObject *hold_program(PyObject *, PyObject *) {
    if (!need_program()) return nullptr;
    auto *held = new std::shared_ptr<engine::Program>(runtime.program);
    return PyCapsule_New(held, "quadrants.program", [](PyObject *capsule) {
        delete static_cast<std::shared_ptr<engine::Program> *>(PyCapsule_GetPointer(capsule, "quadrants.program"));
    });
}

} // namespace qd::bind
