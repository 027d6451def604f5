#pragma once
// Locations in user source. Spans are stored once per function (ir::Function::spans) and referenced by SpanId from every instruction. A
// span made while inlining a func points to the span of its call, so that a message can print the whole chain.
#include <cstdint>
#include <string>
#include <vector>

namespace qd {

using SpanId = uint32_t;
inline constexpr SpanId no_span = 0;

struct Span {
    uint32_t file = 0;     ///< index into the function's files; files[0] is ""
    uint32_t line = 0;     ///< 1-based; 0 = unknown
    uint32_t column = 0;   ///< 0-based, in bytes of UTF-8, as CPython's col_offset
    uint32_t end_line = 0; ///< inclusive
    uint32_t end_column = 0;
    SpanId call = no_span; ///< span of the call that inlined this code
    uint32_t scope = 0;    ///< index into the function's scopes: name of the kernel or func
    friend bool operator==(const Span &, const Span &) = default;
};

/// A question to code generation: the span of the instruction at `offset` of the code.
struct SpanQuery {
    uint64_t offset = 0;
    SpanId span = no_span; ///< the answer
};

/// A span with its names resolved, for an error that outlives its function.
struct Location {
    std::string file;
    std::string scope;
    uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

} // namespace qd
