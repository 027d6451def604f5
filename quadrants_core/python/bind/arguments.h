#pragma once
// Conversion of the Python arguments of a call to the slots of a launch record. For each parameter, a plan records what its code
// was compiled for; `fit` checks this and writes the slots in one pass.
#include "python/bind/dlpack.h"
#include "python/bind/ndarray.h"
#include "python/bind/scalar.h"
#include "python/bind/structs.h"

#include <string>
#include <vector>

namespace qd::bind {

/// Scalar codes of the annotations int and float, and of the unsigned type as wide as int. They resolve to the defaults of the program
/// that is running when a kernel is compiled.
inline constexpr ir::Scalar default_int{100}, default_float{101}, default_unsigned{102};
ir::Scalar default_of(ir::Scalar code);
inline ir::Scalar resolve(ir::Scalar s) { return s < default_int ? s : default_of(s); }

/// The form of parameter that an annotation asks for, as listed in frontend/parameters.def.
enum class ParamForm : uint8_t {
#define PARAMETER(kind, name, passes) kind,
#define FORM(form, name) form,
#include "frontend/parameters.def"
};

/// A parameter as the annotation states it.
struct ParamSpec {
    std::string name;
    ParamForm form = ParamForm::scalar;
    ir::Scalar elem = ir::Scalar::none; ///< none: any (arrays)
    int ndim = -1;                      ///< -1: any (arrays)
    int rows = 1, cols = 1;             ///< matrix values; elements of arrays
    int element_dim = -1;               ///< -1: any (arrays)
    bool clamp = false;
    bool needs_grad = false; ///< an ndarray must have a gradient
    bool constant = false;   ///< no gradient flows to it
    bool optional = false;   ///< None is accepted
    PyObject *cls = nullptr; ///< bundle: the dataclass; structure: the struct type; borrowed
};

/// The same parameter in one plan.
struct BoundParam {
    frontend::ParamKind kind = frontend::ParamKind::scalar;
    ir::Scalar elem = ir::Scalar::none;
    uint32_t slot = 0;
    uint16_t object = 0;         ///< index of the object that it is read from: an argument, or a member of the plan
    uint16_t argument = 0;       ///< the argument that contains it, for messages
    bool runtime_number = false; ///< a number that is read at every launch, as its class asks
    std::shared_ptr<const StructShape> shape; ///< structs
    // arrays
    Signature signature = 0;
    uint8_t ndim = 0, element_dim = 0;
    uint16_t rows = 1, cols = 1;
    bool written = false;
    bool of_host = false;       ///< was not an ndarray in the call that the plan was made for
    bool with_gradient = false; ///< had a gradient in that call
    enum class Gradient : uint8_t { either, needed, refused };
    Gradient gradient = Gradient::either; ///< which ndarrays fit
    bool clamp = false;                   ///< out-of-range indices are clamped to the edge
    // for constants and bundles; the type of a bundle
    PyObject *value = nullptr; ///< compared by identity; borrowed if `weak` is set, owned otherwise
    PyObject *weak = nullptr;  ///< weak reference to it, owned
    bool by_value = false;     ///< a number, string or tuple, which is compared by value
};

/// Returns the number of IR parameters that the parameter becomes, if it is passed to the code.
uint32_t leaves_of(const BoundParam &p);

enum class Match : uint8_t { yes, no, error };

/// The parts of a numpy array object that its stable C layout promises.
struct NumpyArray {
    PyObject_HEAD;
    char *data;
    int ndim;
    Py_ssize_t *shape, *strides;
    PyObject *base;
    struct Descr {
        PyObject_HEAD;
        PyTypeObject *typeobj;
        char kind, type, byteorder, flags;
        int type_num;
    } *descr;
    int flags;
    bool c_contiguous() const { return flags & 0x1; }
    bool f_contiguous() const { return flags & 0x2; }
    bool writeable() const { return flags & 0x400; }
    ir::Scalar elem() const; ///< none if a kernel cannot use it
};
/// The type numpy.ndarray, or null as long as numpy is not imported, or if its arrays do not have the layout above.
extern PyTypeObject *numpy_type;
void find_numpy();
inline NumpyArray *as_numpy(PyObject *o) {
    return Py_TYPE(o) == numpy_type || (numpy_type && PyType_IsSubtype(Py_TYPE(o), numpy_type))
               ? reinterpret_cast<NumpyArray *>(o)
               : nullptr;
}

/// Element type, dimensions and element shape of an array argument. The functions below return false, with an error set, if it does not
/// suit the annotation.
struct ArrayFacts {
    ir::Scalar elem = ir::Scalar::none;
    int ndim = 0, rows = 1, cols = 1, element_dim = 0, layout = 0;
};
bool describe_array(const ParamSpec &spec, PyObject *arg, ArrayFacts *out);

/// The same for a qd.BufferView.
bool describe_view(const ParamSpec &spec, PyObject *arg, ArrayFacts *out);

/// Writes the `n` components of a matrix value to `slots`; returns false if the value does not suit.
bool write_components(ir::Scalar elem, int n, PyObject *arg, uint64_t *slots);

/// Reads (name, form, scalar, ndim, rows, cols, element_dim, clamp, optional, class, needs_grad), as quadrants._language.signature makes
/// it; returns false with an error set.
bool read_spec(PyObject *tuple, ParamSpec *spec);

/// The classes qd.Tensor and qd.BufferView; null until the package has defined them.
extern PyTypeObject *tensor_type, *buffer_view_type;
inline bool is_tensor(PyObject *o) { return tensor_type && PyObject_TypeCheck(o, tensor_type); }
inline bool is_buffer_view(PyObject *o) { return buffer_view_type && PyObject_TypeCheck(o, buffer_view_type); }
/// Returns the object that a qd.Tensor wraps, or `o` itself if it is not one. Borrowed from the wrapper.
PyObject *unwrapped(PyObject *o);

/// Returns a new reference to the current value of an object that represents a number (a parameter of the inspector), or null.
PyObject *number_in(PyObject *o);
/// True if the array has a `grad` that is not None.
bool has_gradient(PyObject *array);

std::string repr(PyObject *o);

/// Totals over all arrays of a launch.
struct Arrays {
    struct Aside {
        /// Arrays that are copied to the device, because it cannot access host memory.
        std::vector<const BoundParam *> staged;
        std::vector<Exported> memory; ///< memory that other libraries exported for this launch
    };
    uint64_t bytes = 0;
    bool foreign = false;         ///< some are not ndarrays, so they may lie anywhere
    std::unique_ptr<Aside> aside; ///< null: none
    Aside &put_aside() {
        if (!aside) aside = std::make_unique<Aside>();
        return *aside;
    }
    bool has_staged() const { return aside && !aside->staged.empty(); }
};

/// Returns the size of an array whose slots are filled.
inline uint64_t array_bytes(const BoundParam &p, const uint64_t *slots) {
    uint64_t bytes = uint64_t(ir::size_of(p.elem)) * p.rows * p.cols;
    for (uint32_t axis = 0; axis < p.ndim; axis++) bytes *= slots[abi::extent_slot(p.slot, axis)];
    return bytes;
}

/// Writes the slots of `arg` and adds the array to `arrays`. `no`: another plan may fit. `error`: an error is set, or `denied` says why
/// the kernel may not write to the array.
Match match_array(const BoundParam &p, PyObject *arg, uint64_t *slots, Arrays *arrays, Access *denied);
Match match_view(const BoundParam &p, PyObject *arg, uint64_t *slots, Arrays *arrays);
bool same_constant(const BoundParam &p, PyObject *arg);

} // namespace qd::bind
