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

bool has_body(Node kind) {
    switch (kind) {
    case Node::If:
    case Node::While:
    case Node::For:
    case Node::With:
    case Node::Try:
    case Node::FunctionDef:
    case Node::ClassDef: return true;
    default: return false;
    }
}

/// The node where the header of a compound statement ends; the node itself for others.
PyObject *header_end(PyObject *node) {
    const Names &n = names();
    switch (node_kind(node)) {
    case Node::If:
    case Node::While: return child(node, n.test);
    case Node::For: return child(node, n.iter);
    case Node::With: {
        const Items items(child(node, n.items));
        return child(items[items.size() - 1], n.context_expr);
    }
    case Node::FunctionDef: {
        PyObject *returns = child(node, n.returns);
        return returns && returns != Py_None ? returns : node;
    }
    default: return node;
    }
}

} // namespace

/// Static loops and inlined funcs come to a node many times; its attributes are read once.
const Extent &Walker::extent_of(PyObject *node) {
    Extent &e = extents_[node];
    if (e.node) return e;
    const Names &n = names();
    e.node = PyRef::borrow(node);
    e.line = child_int(node, n.lineno);
    e.column = child_int(node, n.col_offset);
    PyObject *last = header_end(node);
    e.end_line = child_int(last, n.end_lineno);
    e.end_column = child_int(last, n.end_col_offset);
    if (last == node && has_body(node_kind(node))) { // a header without an expression: its line
        e.end_line = e.line;
        e.end_column = e.column + long(std::strlen(node_name(node_kind(node))));
    }
    return e;
}

SpanId Walker::span_of(PyObject *node) {
    const Frame &frame = frames_.back();
    const Extent &e = extent_of(node);
    const long shift = frame.source->first_line - 1;
    Span s;
    s.file = frame.file;
    s.scope = frame.scope;
    s.call = frame.call;
    s.line = uint32_t(e.line + shift);
    s.column = uint32_t(e.column + frame.source->indent);
    s.end_line = uint32_t(e.end_line + shift);
    s.end_column = uint32_t(e.end_column + frame.source->indent);
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

void Walker::fail(PyObject *node, UserErrorKind kind, const std::string &message, const std::string &hint) {
    PyErr_Clear();
    b_.span = span_of(node);
    fail_here(kind, message, hint);
}

void Walker::fail_syntax(PyObject *node, const std::string &message, const std::string &hint) {
    fail(node, UserErrorKind::syntax, message, hint);
}

void Walker::fail_type(PyObject *node, const std::string &message, const std::string &hint) {
    fail(node, UserErrorKind::type, message, hint);
}

void Walker::python_failed(PyObject *node) {
    auto error = std::make_shared<HeldError>(); // before the tree is read
    throw PythonError{fn_.trace(span_of(node)), std::move(error)};
}

void Walker::warn(PyObject *node, const std::string &category, const std::string &message) {
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
    PyObject *tree = request_.source.tree;
    b_.span = span_of(tree);
    frontend::scan_changed(request_.source, kernel_assigned_);
    declare_parameters();
    block(child(tree, names().body));
    b_.span = span_of(tree);
    finish_kernel(tree);
    settle_matrices();
    return Result{std::move(fn_), std::move(leaves_), std::move(inlined_), reads_.take()};
}

void Walker::finish_kernel(PyObject *tree) {
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
