#pragma once
// Source text of one function -> its tree, equal to what CPython's parser gives in every field and place (nodes.def
// says which fields there are), in a small part of the time.
//
//     text --lexer.cpp--> tokens --statements.cpp, parameters.cpp, expressions.cpp, atoms.cpp, literals.cpp--> Tree
//
// The text is that of a function that Python has compiled already, so nothing here reports errors: at whatever is not
// for sure understood the parser gives up, and the caller asks CPython instead. That is so for `async`, `match`,
// `except*`, `\N{...}`, indentation or line ends that CPython would translate first, and nesting beyond fixed limits.
// Any bytes may come. Text that is no valid Python may get a tree; text that is valid gets the right one or none.
//
// Descent by recursion after CPython's grammar; binary operators climb by precedence. A place is made of the first and
// the last token of a rule, so brackets around an operand count for what holds the operand, as they do in CPython.
// Names are interned once each. f-strings are handed to CPython and come back through from_python.h.
#include "syntax/tree.h"

#include <string_view>

namespace qd::syntax {

enum class Outcome : uint8_t {
    parsed,
    open,   ///< the text ended before the function did: more text may help
    cannot, ///< ask CPython
};

/// The function whose decorators or header stand in the first line of `text`, indented or not; what follows it is not
/// looked at. Its line is `first_line`, columns are those of the text. Sets the tree's root if the outcome is `parsed`,
/// and `length`, if wanted, to the bytes up to the end of its last line. Never leaves a Python error behind.
Outcome parse_function(Tree &tree, std::string_view text, int first_line, size_t *length = nullptr);

} // namespace qd::syntax
