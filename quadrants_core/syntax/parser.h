#pragma once
// Parses the source text of one function into a tree that equals the output of CPython's parser in every field and source range (nodes.def
// lists the fields), in a fraction of the time.
//
//     text --lexer.cpp--> tokens --statements.cpp, parameters.cpp, expressions.cpp, atoms.cpp, literals.cpp--> Tree
//
// The text is that of a function that Python has already compiled, so nothing here reports errors: the parser gives up on anything that it
// does not certainly understand, and the caller asks CPython instead. This applies to `async`, `match`, `except*`, `\N{...}`, indentation
// or line endings that CPython would translate first, and nesting beyond fixed limits. The input may be arbitrary bytes. Invalid Python may
// yield a tree; valid Python yields the right tree or none.
//
// A recursive descent parser that follows CPython's grammar, with precedence climbing for binary operators. A source range spans the first
// and the last token of a rule, so brackets around an operand belong to the range of the expression that contains the operand, as in
// CPython. Each name is interned once. f-strings are passed to CPython and converted by from_python.h.
#include "syntax/tree.h"

#include <string_view>

namespace qd::syntax {

enum class Outcome : uint8_t {
    parsed,
    open,   ///< the text ended before the function did: more text may help
    cannot, ///< ask CPython
};

/// Parses the function whose decorators or header are on the first line of `text`, indented or not; text behind the function is ignored.
/// The first line has the number `first_line`; columns are relative to the text. If the outcome is `parsed`, sets the tree's root and, if
/// `length` is not null, `*length` to the bytes up to the end of the function's last line. Never leaves a Python error set.
Outcome parse_function(Tree &tree, std::string_view text, int first_line, size_t *length = nullptr);

} // namespace qd::syntax
