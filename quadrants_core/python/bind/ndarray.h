#pragma once
// Storage of qd.ndarray: a C type that the Python classes derive from, so that a launch reads it without a call.
#include "python/bind/state.h"

#include "ir/types.h"

namespace qd::bind {

inline constexpr int max_dims = 12;

/// What a kernel must know of an array argument: two arrays with the same signature run the same code.
using Signature = uint64_t;
constexpr Signature signature_of(ir::Scalar elem, int ndim, int rows, int cols, int element_dim) {
    return uint64_t(elem) | uint64_t(ndim) << 8 | uint64_t(rows) << 16 | uint64_t(cols) << 32 |
           uint64_t(element_dim) << 48;
}

struct NdarrayObject {
    PyObject_HEAD;
    PyObject *weakrefs;
    char *data;
    uint64_t generation; ///< of the Program that owns `data`
    Signature signature;
    uint64_t bytes;
    int64_t shape[max_dims];
    int32_t ndim, rows, cols, element_dim;
    ir::Scalar elem;

    int components() const { return rows * cols; }
    bool alive() const { return generation == runtime.generation && data; }
};

extern PyTypeObject *ndarray_type;
inline bool is_ndarray(PyObject *o) { return PyObject_TypeCheck(o, ndarray_type); }

/// Sets the error for an array whose Program is gone.
void raise_dead(const char *what);

int64_t live_ndarrays();

/// Creates the type and adds it to the module; false with an error set.
bool add_ndarray_type(PyObject *module);

} // namespace qd::bind
