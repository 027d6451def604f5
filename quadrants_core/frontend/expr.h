#pragma once
// Expressions.
#include "frontend/place.h"
#include "frontend/types.h"

namespace qd::frontend {

Val eval(Walk &w, const Node *node, Use use = Use::value);
const Ref *scalar_variable(Walk &w, const Node *node);
Val attribute_of(Walk &w, const Node *node, const Val &base, PyObject *name);
Val eval_sequence(Walk &w, const Node *node, bool is_tuple);
Val bound_method(const Val &base, PyObject *name, PyRef callee = {});
Val sequence_items(Walk &w, const Node *node, const Val &v);
/// A list of what an iterable gives, up to the first item that is as true as `last`. It ends with an error past
/// `most_items`, and by Stop.
PyRef drawn(Walk &w, const Node *node, PyObject *iterable, std::optional<bool> last = {});
/// An argument of a function of Python: of one that goes through an iterator to its end, which Stop could not end, what
/// it gives.
PyRef drawn_for(Walk &w, const Node *node, PyObject *callee, PyRef argument);
Val wrap(Walk &w, PyRef object);
PyRef to_python(const Val &v); ///< empty if it holds run-time values
/// An expression as a value: a place is read.
inline Val value(Walk &w, const Node *node, Use use = Use::value) {
    if (const Ref *variable = scalar_variable(w, node)) return scalar(w, w.places.load_part(*variable, 0));
    Val v = eval(w, node, use);
    return v.is_ref() ? w.places.read_place(node, v) : w.places.load(std::move(v));
}

} // namespace qd::frontend
