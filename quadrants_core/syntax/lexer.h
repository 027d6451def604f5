#pragma once
// Splits Python source text into the tokens of one function, as CPython 3.11 does: indents and dedents by its two tab widths, lines joined
// by brackets and backslashes, strings over several lines. Comments are dropped. The input may be arbitrary bytes; on anything that is not
// certainly valid Python the lexer throws GiveUp.
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

/// Left uninitialised on allocation; the lexer writes every field.
struct Token {
    int line, column, end_line, end_column; ///< as in Extent
    uint32_t begin, length;                 ///< its bytes in the text
    Kind kind;
};

/// Thrown when the parser gives up; `open` is true if it did because the text ended.
struct GiveUp {
    bool open = false;
};

struct Tokens {
    std::unique_ptr<Token[]> list; ///< ends with Kind::end
    size_t length = 0;             ///< length of the function's text in bytes, up to the end of its last line
};

/// Returns the tokens of the function that begins on the first line of `text`; `first_line` is the number of that line in the enclosing
/// file. The function ends before the first line that is indented no more than its first line, decorators and header excepted.
Tokens lex_function(std::string_view text, int first_line);

} // namespace qd::syntax
