#pragma once
// The name of a cache entry: everything known about a specialisation without walking its kernel, as bytes that can be decoded for users.
#include "frontend/frontend.h"

#include <span>
#include <vector>

namespace qd::bind {

struct EntryName {
    std::vector<uint8_t> bytes; ///< empty: no name
    size_t of_source = 0;       ///< length of the prefix that identifies compiler, source and options
    std::string kernel, file;
};

/// `source`: text and location of the kernel.
EntryName entry_name(const frontend::Source &source, const frontend::Request &request, uint64_t code_options);

/// Returns {"compiler", "python", "file", "name", "line", "text", "options", "code_options", "parameters", "closure"}, or None if the
/// bytes are not a name; null with an error set.
PyObject *describe_name(std::span<const uint8_t> bytes);

} // namespace qd::bind
