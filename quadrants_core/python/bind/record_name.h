#pragma once
// What a record is found by: all that can be told of a specialisation without walking its kernel, as bytes that people
// can be told about.
#include "frontend/frontend.h"

#include <span>
#include <vector>

namespace qd::bind {

struct RecordName {
    std::vector<uint8_t> bytes; ///< empty: there is none
    size_t of_source = 0;       ///< so many of them say which compiler, source and options
    std::string kernel, file;
};

/// `source`: text and place of the kernel.
RecordName record_name(const frontend::Source &source, const frontend::Request &request, uint64_t code_options);

/// {"compiler", "python", "file", "name", "line", "text", "options", "parameters", "closure"}, or None if these bytes
/// are none of a name; null with an error set.
PyObject *describe_name(std::span<const uint8_t> bytes);

} // namespace qd::bind
