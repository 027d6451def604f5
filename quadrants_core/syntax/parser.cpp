#include "syntax/parser.h"

#include "syntax/grammar.h"

namespace qd::syntax {

const List *TokenCursor::Pending::every_second(size_t start) const {
    std::vector<const Node *> &picked = parser_.picked_;
    picked.clear();
    for (size_t i = start; i < size(); i += 2) picked.push_back((*this)[i]);
    return parser_.tree_.list(picked);
}

const List *TokenCursor::Pending::of_kind(NodeKind kind, bool wanted) const {
    std::vector<const Node *> &picked = parser_.picked_;
    picked.clear();
    for (const Node *node : nodes())
        if ((node->kind == kind) == wanted) picked.push_back(node);
    return parser_.tree_.list(picked);
}

Outcome parse_function(Tree &tree, std::string_view text, int first_line, size_t *length) {
    try {
        Tokens tokens = lex_function(text, first_line);
        if (length) *length = tokens.length;
        StatementRules rules(tree, text, std::move(tokens), first_line);
        tree.root = rules.function();
        return Outcome::parsed;
    } catch (const GiveUp &cannot) {
        PyErr_Clear();
        return cannot.open ? Outcome::open : Outcome::cannot;
    }
}

} // namespace qd::syntax
