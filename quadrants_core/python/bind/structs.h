#pragma once
// Conversion of struct values between Python and slots: one slot per scalar, depth first.
#include "python/bind/state.h"

#include "ir/types.h"

#include <memory>
#include <string>
#include <vector>

namespace qd::bind {

/// The scalars, vectors and matrices of a struct type, including nested ones, in order.
struct StructShape {
    struct Leaf {
        PyObject *path; ///< tuple of member names, borrowed from `leaves`
        ir::Scalar elem;
        int rows, cols, element_dim;
    };
    PyObject *type, *leaves; ///< owned
    std::vector<Leaf> all;
    uint32_t slots = 0;
    StructShape(PyObject *type, PyObject *leaves);
    StructShape(const StructShape &) = delete;
    ~StructShape();
};

/// Returns the shape of a struct type; null with an error set.
std::shared_ptr<const StructShape> shape_of(PyObject *struct_type);

/// Writes the members of a qd.Struct or dict to slots; returns false if it does not suit.
bool write_struct(const StructShape &shape, PyObject *arg, uint64_t *slots);

/// Returns a new reference to the qd.Struct at `ret`.
PyObject *read_struct(const StructShape &shape, const char *ret);

/// Sets "Argument <class ...> cannot be converted into required type <qd.StructType ...>".
void raise_unlike(const StructShape &shape, PyObject *arg);

} // namespace qd::bind
