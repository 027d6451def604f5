#include "frontend/walker.h"

#include "frontend/message.h"
#include "frontend/scan.h"

#include <cstring>

namespace qd::frontend {

Walker::Walker(const Request &request) : request_(request), reads_(request), b_(fn_) {
    fn_.name = request.source.name;
    fn_.fast_math = request.options.fast_math;
    fn_.debug = request.options.debug;
    fn_.body = fn_.make_block();
    b_.block = fn_.body;
    region_ = fn_.body;
    Frame frame;
    frame.source = &request.source;
    frame.is_kernel = true;
    frame.assigned = &kernel_assigned_;
    frame.has_return_type = !request.returns.empty();
    frame.file = uint32_t(fn_.files.size());
    fn_.files.push_back(request.source.file);
    frame.scope = uint32_t(fn_.scopes.size());
    fn_.scopes.push_back(request.source.name);
    frame.function = request.function;
    frames_.push_back(std::move(frame));
}

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

SpanId Walker::span_of(const Node *node) {
    const Frame &frame = frames_.back();
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
    return fn_.intern_span(s);
}

/// Where the walk is: the calls of inlined funcs, then the current node.
std::vector<Level> Walker::levels() const {
    const std::vector<Location> trace = fn_.trace(b_.span);
    std::vector<Level> out;
    for (size_t i = 0; i < trace.size(); ++i)
        out.push_back({trace[i], i < frames_.size() ? frames_[i].source : nullptr});
    return out;
}

void Walker::fail_here(UserErrorKind kind, const std::string &message, const std::string &hint) {
    PyErr_Clear(); // if Python's own words led here, they are replaced
    LoweringError error(kind, message, fn_.trace(b_.span), hint);
    error.rendered = render(levels(), message, hint);
    throw error;
}

void Walker::fail(const Node *node, UserErrorKind kind, const std::string &message, const std::string &hint) {
    PyErr_Clear();
    b_.span = span_of(node);
    fail_here(kind, message, hint);
}

void Walker::fail_syntax(const Node *node, const std::string &message, const std::string &hint) {
    fail(node, UserErrorKind::syntax, message, hint);
}

void Walker::fail_type(const Node *node, const std::string &message, const std::string &hint) {
    fail(node, UserErrorKind::type, message, hint);
}

void Walker::python_failed(const Node *node) {
    auto error = std::make_shared<HeldError>(); // before the tree is read
    throw PythonError{fn_.trace(span_of(node)), std::move(error)};
}

void Walker::warn(const Node *node, const std::string &category, const std::string &message) {
    if (!request_.warn) return;
    std::vector<Location> trace = fn_.trace(span_of(node));
    request_.warn(category, message, trace.empty() ? Location{} : trace.back());
    if (PyErr_Occurred()) python_failed(node);
}

PyObject *Walker::intern(const std::string &name) {
    PyObject *str = PyUnicode_InternFromString(name.c_str());
    kept_.push_back(PyRef::steal(str));
    return str;
}

Result Walker::run() {
    const Node *tree = request_.source.tree;
    b_.span = span_of(tree);
    frontend::scan_changed(request_.source, kernel_assigned_);
    declare_parameters();
    block(items_of(tree, Field::body));
    b_.span = span_of(tree);
    finish_kernel(tree);
    settle_matrices();
    return Result{std::move(fn_), std::move(leaves_), std::move(inlined_), reads_.take()};
}

void Walker::finish_kernel(const Node *tree) {
    std::vector<ir::Value> values;
    const std::optional<Val> &result = frames_.back().result;
    if (!request_.returns.empty() && !result)
        fail_syntax(tree, "Kernel has a return type but does not have a return statement",
                    "end the kernel with `return <value>`, or remove the return annotation");
    if (result) values = return_values(tree, *result);
    for (const ir::Value v : values) fn_.returns.push_back(fn_.type(v));
    b_.ret(values);
}

Result lower(const Request &request) {
    Walker walker(request);
    return walker.run();
}

} // namespace qd::frontend
