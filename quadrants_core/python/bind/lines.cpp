#include "python/bind/lines.h"

#include <algorithm>

namespace qd::bind {

std::string_view Lines::operator[](Py_ssize_t i) const {
    Py_ssize_t bytes = 0;
    PyObject *line = PyList_GET_ITEM(list, i);
    const char *data = PyUnicode_Check(line) ? PyUnicode_AsUTF8AndSize(line, &bytes) : nullptr;
    if (!data) PyErr_Clear();
    return {data ? data : "", size_t(bytes)};
}

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t\n\r\f\v"), line.size()); }

bool may_end(const Lines &lines, Py_ssize_t end) {
    if (end >= lines.size()) return true;
    const std::string_view line = lines[end];
    const size_t indent = indent_of(line);
    return indent < line.size() && line[indent] != '#' && indent <= indent_of(lines[lines.start]);
}

Py_ssize_t first_end(const Lines &lines) {
    bool header_seen = false;
    for (Py_ssize_t end = lines.start + 1; end < lines.size(); end++) {
        std::string_view line = lines[end - 1];
        line.remove_prefix(indent_of(line));
        header_seen = header_seen || line.starts_with("def ") || line.starts_with("async def ");
        if (header_seen && may_end(lines, end)) return end;
    }
    return lines.size();
}

} // namespace qd::bind
