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
/// Returns a list of the items of an iterable, up to the first whose truth is `last`. Fails after `max_items` items and on Stop.
PyRef collect_items(Walk &w, const Node *node, PyObject *iterable, std::optional<bool> last = {});
/// Prepares an argument of a Python function: an iterator that the function would exhaust, which Stop could not interrupt, is replaced by a
/// list of its items.
PyRef collect_argument(Walk &w, const Node *node, PyObject *callee, PyRef argument);
Val wrap(Walk &w, PyRef object);
PyRef to_python(const Val &v); ///< null if it holds run-time values
/// Evaluates an expression and loads the result if it is a place.
inline Val value(Walk &w, const Node *node, Use use = Use::value) {
    if (const Ref *variable = scalar_variable(w, node)) return scalar(w, w.places.load_part(*variable, 0));
    Val v = eval(w, node, use);
    return v.is_ref() ? w.places.read_place(node, v) : w.places.load(std::move(v));
}

} // namespace qd::frontend
