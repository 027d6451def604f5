#pragma once
// Storage of qd.ndarray: a C type that the Python classes derive from, so that a launch reads it without a call.
#include "python/bind/state.h"

#include "ir/types.h"

#include <vector>

namespace qd::bind {

inline constexpr int max_dims = 12;

/// What a kernel must know of an array argument: two arrays with the same signature run the same code.
using Signature = uint64_t;
constexpr int most_layouts = 1 << 16;
constexpr Signature signature_of(ir::Scalar elem, int ndim, int rows, int cols, int element_dim, int layout = 0) {
    return uint64_t(elem) | uint64_t(ndim) << 8 | uint64_t(element_dim) << 12 | uint64_t(rows) << 16 |
           uint64_t(cols) << 32 | uint64_t(layout) << 48;
}
constexpr int layout_in(Signature signature) { return int(signature >> 48); }

/// Orders of storage that an array is tagged with are numbered from 1: the index of the user at each level, outermost
/// first. 0 is that of arrays without a tag, the order as written.
const std::vector<int> &layout_order(int layout);
/// The number of an order; -1 if there are too many.
int layout_number(const std::vector<int> &order);

struct NdarrayObject {
    PyObject_HEAD;
    PyObject *weakrefs;
    PyObject *grad; ///< the array of its gradients; null or None: it has none
    qd::runtime::Buffer memory;
    uint64_t generation; ///< of the Program that owns `memory`
    Signature signature;
    uint64_t bytes;
    int64_t shape[max_dims]; ///< of storage, outermost level first
    int32_t ndim, rows, cols, element_dim;
    int32_t layout; ///< number of the order of storage
    ir::Scalar elem;

    int components() const { return rows * cols; }
    /// Extent along an index of the user.
    int64_t extent(int axis) const;
    bool alive() const { return generation == bind::runtime.generation && memory.address; }
};

extern PyTypeObject *ndarray_type;
extern PyTypeObject *usual_ndarray_type; ///< of the first array, below ndarray_type; most others have it, too
inline bool is_ndarray(PyObject *o) { return Py_TYPE(o) == usual_ndarray_type || PyObject_TypeCheck(o, ndarray_type); }

/// The word by which Python and kernels name it, interned.
PyObject *grad_word();

/// Sets the error for an array whose Program is gone.
void raise_dead(const char *what);

/// Those of the running program.
struct NdarrayMemory {
    uint64_t generation = 0;
    int64_t count = 0, bytes = 0;
};
NdarrayMemory ndarray_memory();

/// Creates the type and adds it to the module; false with an error set.
bool add_ndarray_type(PyObject *module);

} // namespace qd::bind
