#pragma once
// The lines of a file or cell as the package stores them, and the lines at which a function among them may end.
#include <Python.h>

#include <string_view>

namespace qd::bind {

/// A list of str, borrowed, and the index of the line at which a function begins.
struct Lines {
    PyObject *list = nullptr;
    Py_ssize_t start = 0;

    Py_ssize_t size() const { return PyList_GET_SIZE(list); }
    /// Returns line i; empty if it cannot be encoded in UTF-8.
    std::string_view operator[](Py_ssize_t i) const;
};

size_t indent_of(std::string_view line);

/// True if the function may end before line `end`: quadrants._source parses it up to such lines.
bool may_end(const Lines &lines, Py_ssize_t end);

/// Returns the first such line after the header.
Py_ssize_t first_end(const Lines &lines);

} // namespace qd::bind
