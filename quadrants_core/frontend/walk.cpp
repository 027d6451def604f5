#include "frontend/walk.h"

#include "frontend/control.h"
#include "frontend/funcs.h"
#include "frontend/message.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/scan.h"

#include <cstring>

namespace qd::frontend {

namespace {

bool is_compound(NodeKind kind) { return is_statement(kind) && has_field(kind, Field::body); }

/// The last node in the header of a compound statement; the node itself for other nodes, and if the header has none.
const Node *header_end(const Node *node) {
    if (!is_compound(node->kind)) return node;
    if (const Items items = items_of(node, Field::items); !items.empty())
        return child(items.back(), Field::context_expr);
    for (const Field field : {Field::test, Field::iter, Field::returns})
        if (const Node *end = child(node, field)) return end;
    return node;
}

} // namespace

SpanId Walk::span_of(const Node *node) {
    const Frame &frame = frames.back();
    const long shift = frame.source->first_line - 1;
    const Node *last = header_end(node);
    Span s;
    s.file = frame.file;
    s.scope = frame.scope;
    s.call = frame.call;
    s.line = uint32_t(node->at.line + shift);
    s.column = uint32_t(node->at.column);
    s.end_line = uint32_t(last->at.end_line + shift);
    s.end_column = uint32_t(last->at.end_column);
    if (last == node && is_compound(node->kind)) { // a header without an expression: its line
        s.end_line = s.line;
        s.end_column = s.column + uint32_t(std::strlen(kind_name(node->kind)));
    }
    return fn.intern_span(s);
}

/// The current location: the calls of inlined funcs, then the current node.
std::vector<Level> Walk::levels() const {
    const std::vector<Location> trace = fn.trace(b.span);
    std::vector<Level> out;
    for (size_t i = 0; i < trace.size(); ++i) out.push_back({trace[i], i < frames.size() ? frames[i].source : nullptr});
    return out;
}

void Walk::fail_here(UserErrorKind kind, const std::string &message, const std::string &hint) {
    PyErr_Clear(); // replaces an error that Python set
    LoweringError error(kind, message, fn.trace(b.span), hint);
    error.rendered = render(levels(), message, hint);
    throw error;
}

void Walk::fail(const Node *node, UserErrorKind kind, const std::string &message, const std::string &hint) {
    PyErr_Clear();
    b.span = span_of(node);
    fail_here(kind, message, hint);
}

void Walk::fail_syntax(const Node *node, const std::string &message, const std::string &hint) {
    fail(node, UserErrorKind::syntax, message, hint);
}

void Walk::fail_type(const Node *node, const std::string &message, const std::string &hint) {
    fail(node, UserErrorKind::type, message, hint);
}

void Walk::python_failed(const Node *node) {
    auto error = std::make_shared<HeldError>(); // taken before the tree is read
    throw PythonError{fn.trace(span_of(node)), std::move(error)};
}

void Walk::warn(const Node *node, const std::string &category, const std::string &message) {
    if (!request.warn || request.mode == autodiff::Mode::reverse) return; // the kernel itself has issued it
    std::vector<Location> trace = fn.trace(span_of(node));
    request.warn(category, message, trace.empty() ? Location{} : trace.back());
    if (PyErr_Occurred()) python_failed(node);
}

void Walk::fail_too_long(const Node *node) {
    fail_type(node, "A list or tuple of more than 1048576 items is too long");
}

} // namespace qd::frontend
