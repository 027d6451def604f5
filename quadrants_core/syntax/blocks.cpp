// Compound statements.
#include "syntax/grammar.h"

namespace qd::syntax {

Extent TokenCursor::extent_of_block(const Token *first) const {
    const Token *last = next_ - 1;
    while (last->kind == Kind::newline || last->kind == Kind::dedent) last--;
    return {first->line, first->column, last->end_line, last->end_column};
}

/// Each `elif` becomes an `if` statement in the else block of the previous one.
const Node *StatementRules::if_statement() {
    struct Part {
        const Token *first;
        const Node *test;
        const List *body;
    };
    std::vector<Part> parts;
    do {
        const Token *first = next_;
        links_ = 0;
        step();
        const Node *test = named_expression();
        parts.push_back({first, test, block()});
    } while (kind() == Kind::elif_);
    if (parts.size() > size_t(max_elifs)) cannot();
    const List *orelse = else_block();
    for (size_t i = parts.size() - 1;; --i) {
        const Part &part = parts[i];
        const Node *made = tree_.make(NodeKind::If, extent_of_block(part.first), {part.test, part.body, orelse});
        if (i == 0) return made;
        orelse = tree_.list({&made, 1});
    }
}

const Node *StatementRules::while_statement() {
    const Token *first = next_;
    expect(Kind::while_);
    const Node *test = named_expression();
    const List *body = block();
    const List *orelse = else_block();
    return tree_.make(NodeKind::While, extent_of_block(first), {test, body, orelse});
}

const Node *StatementRules::for_statement() {
    const Token *first = next_;
    expect(Kind::for_);
    const Node *target = star_targets();
    expect(Kind::in_);
    const Node *iter = star_expressions();
    const List *body = block();
    const List *orelse = else_block();
    return tree_.make(NodeKind::For, extent_of_block(first), {target, iter, body, orelse});
}

/// True if the brackets after `with` enclose its items, that is if a colon follows the closing bracket.
bool StatementRules::brackets_hold_with_items() const {
    if (kind() != Kind::lpar) return false;
    int open = 0;
    for (const Token *token = next_;; ++token) {
        switch (token->kind) {
        case Kind::lpar:
        case Kind::lsqb:
        case Kind::lbrace: open++; break;
        case Kind::rpar:
        case Kind::rsqb:
        case Kind::rbrace:
            if (--open == 0) return token[1].kind == Kind::colon;
            break;
        case Kind::end: return false;
        default: break;
        }
    }
}

const Node *StatementRules::with_statement() {
    const Token *first = next_;
    expect(Kind::with_);
    Pending list(*this);
    if (brackets_hold_with_items()) {
        step();
        do {
            if (kind() == Kind::rpar && list.size()) break;
            list.add(with_item());
        } while (accept(Kind::comma));
        expect(Kind::rpar);
    } else {
        do {
            list.add(with_item());
        } while (accept(Kind::comma));
    }
    const List *items = list.list();
    const List *body = block();
    return tree_.make(NodeKind::With, extent_of_block(first), {items, body});
}

const Node *StatementRules::with_item() {
    const Node *context = expression();
    const Node *variables = nullptr;
    if (accept(Kind::as_)) {
        variables = primary();
        require_target(variables, false);
    }
    return make_part(NodeKind::withitem, context, variables);
}

const Node *StatementRules::try_statement() {
    const Token *first = next_;
    expect(Kind::try_);
    const List *body = block();
    Pending list(*this);
    while (kind() == Kind::except_) list.add(except_handler());
    const bool handled = list.size() != 0;
    const List *handlers = list.list();
    const List *orelse = handled ? else_block() : nullptr;
    const List *finally = nullptr;
    if (accept(Kind::finally_)) {
        finally = block();
    } else if (!handled) {
        cannot();
    }
    return tree_.make(NodeKind::Try, extent_of_block(first), {body, handlers, orelse, finally});
}

const Node *StatementRules::except_handler() {
    const Token *first = next_;
    expect(Kind::except_);
    const Node *type = kind() == Kind::colon ? nullptr : expression();
    PyObject *word = type && accept(Kind::as_) ? name() : nullptr;
    const List *body = block();
    return tree_.make(NodeKind::ExceptHandler, extent_of_block(first), {type, word, body});
}

} // namespace qd::syntax
