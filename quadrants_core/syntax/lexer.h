#pragma once
// Python source text -> tokens of one function, as CPython 3.11 cuts it: indents and dedents by its two widths of a
// tab, brackets and backslashes that join lines, strings over several lines. Comments are left out. Any bytes may come;
// what is not for sure valid Python is given up by throwing Cannot.
#include "syntax/tree.h"

#include <memory>
#include <string_view>

namespace qd::syntax {

enum class Kind : uint8_t {
#define OTHER(id) id,
#include "syntax/tokens.def"
#define KEYWORD(id, text) id,
#include "syntax/tokens.def"
};
#define OTHER(id) +1
inline constexpr size_t token_kinds = 0
#include "syntax/tokens.def"
#define KEYWORD(id, text) +1
#include "syntax/tokens.def"
    ;

/// Written in place and not set to anything before.
struct Token {
    int line, column, end_line, end_column; ///< as in Extent
    uint32_t begin, length;                 ///< its bytes in the text
    Kind kind;
};

/// Thrown where the parser does not go on; `open`: because the text ended.
struct Cannot {
    bool open = false;
};

struct Tokens {
    std::unique_ptr<Token[]> list; ///< the last one is Kind::end
    size_t length = 0;             ///< of the function's text: up to the end of its last line
};

/// Tokens of the function that begins with the first line of `text`, which is line `first_line` of what it stands in.
/// Its end is the first line that is indented no more than its first one, decorators and the header left aside.
Tokens lex_function(std::string_view text, int first_line);

} // namespace qd::syntax
