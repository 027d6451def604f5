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

bool has_body(NodeKind kind) {
    switch (kind) {
    case NodeKind::If:
    case NodeKind::While:
    case NodeKind::For:
    case NodeKind::With:
    case NodeKind::Try:
    case NodeKind::FunctionDef:
    case NodeKind::ClassDef: return true;
    default: return false;
    }
}

/// The node where the header of a compound statement ends; the node itself for others.
const Node *header_end(const Node *node) {
    switch (node->kind) {
    case NodeKind::If:
    case NodeKind::While: return child(node, Field::test);
    case NodeKind::For: return child(node, Field::iter);
    case NodeKind::With: return child(items_of(node, Field::items).back(), Field::context_expr);
    case NodeKind::FunctionDef: {
        const Node *returns = child(node, Field::returns);
        return returns ? returns : node;
    }
    default: return node;
    }
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
    if (last == node && has_body(node->kind)) { // a header without an expression: its line
        s.end_line = s.line;
        s.end_column = s.column + uint32_t(std::strlen(kind_name(node->kind)));
    }
    return fn.intern_span(s);
}

/// Where the walk is: the calls of inlined funcs, then the current node.
std::vector<Level> Walk::levels() const {
    const std::vector<Location> trace = fn.trace(b.span);
    std::vector<Level> out;
    for (size_t i = 0; i < trace.size(); ++i) out.push_back({trace[i], i < frames.size() ? frames[i].source : nullptr});
    return out;
}

void Walk::fail_here(UserErrorKind kind, const std::string &message, const std::string &hint) {
    PyErr_Clear(); // if Python's own words led here, they are replaced
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
    auto error = std::make_shared<HeldError>(); // before the tree is read
    throw PythonError{fn.trace(span_of(node)), std::move(error)};
}

void Walk::warn(const Node *node, const std::string &category, const std::string &message) {
    if (!request.warn) return;
    std::vector<Location> trace = fn.trace(span_of(node));
    request.warn(category, message, trace.empty() ? Location{} : trace.back());
    if (PyErr_Occurred()) python_failed(node);
}

void Walk::fail_too_long(const Node *node) {
    fail_type(node, "A list or tuple of more than 1048576 items is too long");
}

} // namespace qd::frontend
