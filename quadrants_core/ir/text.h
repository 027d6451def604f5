#pragma once
// Text form of the IR: print ∘ parse is the identity. Printing numbers values in order of appearance.
#include "ir/function.h"

#include <optional>
#include <string_view>

namespace qd::ir {

struct PrintOptions {
    bool spans = false; ///< adds `@line:col` to each instruction
};
std::string print(const Function &fn, const PrintOptions &options = {});

struct ParseError {
    int line = 0, column = 0;
    std::string message;
};
/// Reads one or more functions. Never throws: on failure `error` is set.
struct ParseResult {
    std::vector<Function> functions;
    std::optional<ParseError> error;
};
ParseResult parse(std::string_view text);

} // namespace qd::ir
