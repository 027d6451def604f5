#pragma once
// From the Python arguments of a call to the slots of abi::LaunchData::args. A plan holds, per parameter, what its code
// was made for; `fit` checks that and writes the slots in one go.
#include "python/bind/dlpack.h"
#include "python/bind/ndarray.h"
#include "python/bind/scalar.h"
#include "python/bind/structs.h"

#include <string>
#include <vector>

namespace qd::bind {

/// Scalar codes of the annotations int and float, and of the unsigned type as wide as int: the defaults of the program
/// that runs when a kernel is compiled.
inline constexpr ir::Scalar default_int{100}, default_float{101}, default_unsigned{102};
ir::Scalar default_of(ir::Scalar code);
inline ir::Scalar resolve(ir::Scalar s) { return s < default_int ? s : default_of(s); }

/// What an annotation asks for, as frontend/parameters.def says.
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
    uint16_t object = 0;                      ///< the object that it is read from: an argument, or a member of the plan
    uint16_t argument = 0;                    ///< for messages: the argument that holds it
    bool lifted = false;                      ///< a number that a class has read at every launch
    std::shared_ptr<const StructShape> shape; ///< structs
    // arrays
    Signature signature = 0;
    uint8_t ndim = 0, element_dim = 0;
    uint16_t rows = 1, cols = 1;
    bool written = false;
    bool of_host = false;       ///< was no ndarray in the call that the plan was made for
    bool with_gradient = false; ///< had a gradient then
    enum class Gradient : uint8_t { either, needed, refused };
    Gradient gradient = Gradient::either; ///< which ndarrays fit
    bool clamp = false;                   ///< indices outside are those of the edge
    // constants; bundles: the type
    PyObject *value = nullptr; ///< identity; borrowed if `weak` is set, owned otherwise
    PyObject *weak = nullptr;  ///< weak reference to it, owned
    bool by_value = false;     ///< a number, text or tuple: equal ones fit
};

/// How many parameters of the IR it is, if the code gets it.
uint32_t leaves_of(const BoundParam &p);

enum class Fit : uint8_t { yes, no, error };

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
/// The type numpy.ndarray, or null while numpy is not imported or its arrays are not laid out as above.
extern PyTypeObject *numpy_type;
void find_numpy();
inline NumpyArray *as_numpy(PyObject *o) {
    return Py_TYPE(o) == numpy_type || (numpy_type && PyType_IsSubtype(Py_TYPE(o), numpy_type))
               ? reinterpret_cast<NumpyArray *>(o)
               : nullptr;
}

/// Element type, dimensions and elements of the array `arg` for parameter `spec`; false with an error set if it does
/// not suit the annotation.
struct ArrayFacts {
    ir::Scalar elem = ir::Scalar::none;
    int ndim = 0, rows = 1, cols = 1, element_dim = 0, layout = 0;
};
bool describe_array(const ParamSpec &spec, PyObject *arg, ArrayFacts *out);

/// The same of a qd.BufferView.
bool describe_view(const ParamSpec &spec, PyObject *arg, ArrayFacts *out);

/// The `n` components of a matrix value into `slots`; false if it does not suit.
bool write_components(ir::Scalar elem, int n, PyObject *arg, uint64_t *slots);

/// (name, form, scalar, ndim, rows, cols, element_dim, clamp, optional, class), as quadrants._language.signature makes it; false
/// with an error set.
bool read_spec(PyObject *tuple, ParamSpec *spec);

/// The classes qd.Tensor and qd.BufferView, once the package has defined them.
extern PyTypeObject *tensor_type, *buffer_view_type;
inline bool is_tensor(PyObject *o) { return tensor_type && PyObject_TypeCheck(o, tensor_type); }
inline bool is_buffer_view(PyObject *o) { return buffer_view_type && PyObject_TypeCheck(o, buffer_view_type); }
/// What a qd.Tensor wraps; anything else as it is. Borrowed: the wrapper holds it.
PyObject *unwrapped(PyObject *o);

/// A new reference to what an object that stands for a number (a parameter of the inspector) says now, or null.
PyObject *number_in(PyObject *o);
/// Whether the `grad` of an array is one.
bool has_gradient(PyObject *array);

std::string repr(PyObject *o);

/// The arrays of a launch, all in all.
struct Arrays {
    struct Aside {
        /// Those that are copied to the device, because it does not see the memory of the host.
        std::vector<const BoundParam *> staged;
        std::vector<Exported> memory; ///< what other libraries exported for this launch
    };
    uint64_t bytes = 0;
    bool foreign = false;         ///< some are no ndarrays: they may lie anywhere
    std::unique_ptr<Aside> aside; ///< null: nothing
    Aside &put_aside() {
        if (!aside) aside = std::make_unique<Aside>();
        return *aside;
    }
    bool has_staged() const { return aside && !aside->staged.empty(); }
};

/// Of an array whose slots are filled.
inline uint64_t array_bytes(const BoundParam &p, const uint64_t *slots) {
    uint64_t bytes = uint64_t(ir::size_of(p.elem)) * p.rows * p.cols;
    for (uint32_t axis = 0; axis < p.ndim; axis++) bytes *= slots[abi::extent_slot(p.slot, axis)];
    return bytes;
}

/// Writes the slots of `arg`. `no`: another plan may fit. `error`: set, or in `denied` if the kernel may not write to the array.
/// Adds the array to `arrays`.
Fit fit_array(const BoundParam &p, PyObject *arg, uint64_t *slots, Arrays *arrays, Access *denied);
Fit fit_view(const BoundParam &p, PyObject *arg, uint64_t *slots, Arrays *arrays);
bool same_constant(const BoundParam &p, PyObject *arg);

} // namespace qd::bind
