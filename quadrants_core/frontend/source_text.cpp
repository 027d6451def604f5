// The source text of nodes, for messages.
#include "frontend/format.h"

namespace qd::frontend {

namespace {

/// The part of a text in a source range.
std::string text_between(const std::string &text, const Extent &at) {
    size_t line = 0, first = 0, last = 0;
    for (int number = 1; number <= at.end_line && line != std::string::npos; ++number) {
        if (number == at.line) first = line + size_t(at.column);
        if (number == at.end_line) last = line + size_t(at.end_column);
        line = text.find('\n', line);
        line += line != std::string::npos;
    }
    return first < last && last <= text.size() ? text.substr(first, last - first) : "";
}

} // namespace

/// A short expression as written in the source; empty if it is long.
std::string short_source(Walk &w, const Node *node) {
    constexpr size_t longest = 60;
    if (node->at.end_line != node->at.line || node->at.end_column - node->at.column > long(longest)) return {};
    return text_between(w.frames.back().source->text, node->at);
}

/// The source of an expression, as `ast.unparse` writes it.
std::string source_text(Walk &w, const Node *node) {
    PyRef ast = PyRef::steal(PyImport_ImportModule("ast"));
    const std::string source = "(" + text_between(w.frames.back().source->text, node->at) + "\n)";
    PyRef tree = PyRef::steal(ast ? PyObject_CallMethod(ast.get(), "parse", "s", source.c_str()) : nullptr);
    PyRef words = PyRef::steal(tree ? PyObject_CallMethod(ast.get(), "unparse", "O", tree.get()) : nullptr);
    if (!words) {
        PyErr_Clear();
        return "assertion failed";
    }
    return text(words.get());
}

} // namespace qd::frontend
