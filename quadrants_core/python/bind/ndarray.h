#pragma once
// Storage of qd.ndarray: a C type that the Python classes derive from, so that a launch reads it without a call.
#include "python/bind/state.h"

#include "ir/types.h"

#include <vector>

namespace qd::bind {

inline constexpr int max_dims = 12;

/// The properties of an array argument that a kernel is compiled for: two arrays with the same signature run the same code.
using Signature = uint64_t;
constexpr int max_layouts = 1 << 16;
constexpr Signature signature_of(ir::Scalar elem, int ndim, int rows, int cols, int element_dim, int layout = 0) {
    return uint64_t(elem) | uint64_t(ndim) << 8 | uint64_t(element_dim) << 12 | uint64_t(rows) << 16 |
           uint64_t(cols) << 32 | uint64_t(layout) << 48;
}
constexpr int layout_in(Signature signature) { return int(signature >> 48); }

/// Returns the storage order with this number: the index of the user at each level, outermost first. Orders are numbered from 1; 0 is the
/// default order of arrays without a tag.
const std::vector<int> &layout_order(int layout);
/// Returns the number of an order; -1 if there are too many orders.
int layout_number(const std::vector<int> &order);

struct NdarrayObject {
    PyObject_HEAD;
    PyObject *weakrefs;
    PyObject *grad; ///< the array of its gradients; null or None if it has none
    qd::runtime::Buffer memory;
    uint64_t generation; ///< of the Program that owns `memory`
    Signature signature;
    uint64_t bytes;
    int64_t shape[max_dims]; ///< of storage, outermost level first
    int32_t ndim, rows, cols, element_dim;
    int32_t layout; ///< number of the storage order
    ir::Scalar elem;

    int components() const { return rows * cols; }
    /// Returns the extent along an index of the user.
    int64_t extent(int axis) const;
    bool alive() const { return generation == bind::runtime.generation && memory.address; }
};

extern PyTypeObject *ndarray_type;
extern PyTypeObject
    *usual_ndarray_type; ///< type of the first array, a subtype of ndarray_type; most other arrays have it too
inline bool is_ndarray(PyObject *o) { return Py_TYPE(o) == usual_ndarray_type || PyObject_TypeCheck(o, ndarray_type); }

/// Returns the interned string "grad", the name of gradients in Python and in kernels.
PyObject *grad_word();

/// Sets the error for an object whose Program has ended.
void raise_dead(const char *what);

/// Number and size of the ndarrays of the running program.
struct NdarrayMemory {
    uint64_t generation = 0;
    int64_t count = 0, bytes = 0;
};
NdarrayMemory ndarray_memory();

/// Creates the type and adds it to the module; false with an error set.
bool add_ndarray_type(PyObject *module);

} // namespace qd::bind
