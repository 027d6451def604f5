// Coverage probes. A run of simple statements, with the header of the compound one that ends it, is executed as a whole
// and shares one counter, whose span reaches from its first to its last line.
#include "frontend/walker.h"

namespace qd::frontend {

namespace {

bool is_compound(Node kind) {
    return kind == Node::If || kind == Node::For || kind == Node::While || kind == Node::With;
}

bool is_docstring(PyObject *statement) {
    if (node_kind(statement) != Node::Expr) return false;
    PyObject *value = child(statement, names().value);
    return node_kind(value) == Node::Constant;
}

} // namespace

Py_ssize_t Walker::end_of_run(const Items &statements, Py_ssize_t first) {
    Py_ssize_t end = first;
    while (end < statements.size())
        if (is_compound(node_kind(statements[end++]))) break;
    return end;
}

void Walker::cover_run(PyObject *first, PyObject *last) {
    if (is_docstring(first) && first == last) return;
    AtNode at(*this, first);
    Span span = fn_.spans[b_.span];
    const Node kind = node_kind(last);
    const long shift = frames_.back().source->first_line - 1;
    long end = child_int(last, names().end_lineno);
    if (kind == Node::If || kind == Node::While)
        end = child_int(child(last, names().test), names().end_lineno);
    else if (kind == Node::For)
        end = child_int(child(last, names().iter), names().end_lineno);
    else if (kind == Node::With)
        end = child_int(last, names().lineno);
    span.end_line = uint32_t(end + shift);
    ir::Counter counter;
    counter.what = ir::Counter::What::line;
    counter.span = fn_.intern_span(span);
    fn_.counters.push_back(counter);
    const ir::Value one = b_.i64(1);
    b_.count(uint32_t(fn_.counters.size() - 1), one);
}

void Walker::cover(ir::Counter::What what, PyObject *node, ir::Value amount) {
    if (!request_.options.coverage) return;
    AtNode at(*this, node);
    ir::Counter counter;
    counter.what = what;
    counter.span = b_.span;
    fn_.counters.push_back(counter);
    if (!amount) amount = b_.i64(1);
    b_.count(uint32_t(fn_.counters.size() - 1), amount);
}

/// Whether a serial loop is entered, or has nothing to do.
void Walker::count_trips(PyObject *node, std::span<const ir::Value> lower, std::span<const ir::Value> upper) {
    if (!request_.options.coverage) return;
    const ir::Value any = inside(lower, lower, upper);
    const ir::Value entered = b_.cast(any, ir::Scalar::i64);
    const ir::Value one = b_.i64(1);
    const ir::Value skipped = b_.sub(one, entered);
    cover(ir::Counter::What::entered, node, entered);
    cover(ir::Counter::What::zero_trips, node, skipped);
}

} // namespace qd::frontend
