#include "syntax/grammar.h"

namespace qd::syntax {

PyObject *TokenCursor::name() {
    if (kind() != Kind::name) cannot();
    PyObject *word = words_.intern(text_of(*next_));
    if (!word) cannot();
    step();
    return word;
}

const Node *ExpressionRules::atom() {
    switch (kind()) {
    case Kind::name: {
        const Token *first = next_;
        PyObject *id = name();
        return make(NodeKind::Name, first, id);
    }
    case Kind::number: return number_literal();
    case Kind::string: return string_literals();
    case Kind::None_: return constant(Py_None);
    case Kind::True_: return constant(Py_True);
    case Kind::False_: return constant(Py_False);
    case Kind::ellipsis: return constant(Py_Ellipsis);
    case Kind::lpar: return brackets();
    case Kind::lsqb: return list_display();
    case Kind::lbrace: return brace_display();
    default: cannot();
    }
}

const Node *ExpressionRules::constant(PyObject *borrowed) {
    const Token *first = next_;
    step();
    return make(NodeKind::Constant, first, borrowed); // immortal
}

/// Parses a tuple, a generator or one bracketed expression, whose source range excludes the brackets.
const Node *ExpressionRules::brackets() {
    DepthGuard guard(*this);
    const Token *first = next_;
    expect(Kind::lpar);
    if (accept(Kind::rpar)) return make(NodeKind::Tuple, first, static_cast<const List *>(nullptr));
    if (kind() == Kind::yield_) {
        const Node *value = yield_expression();
        expect(Kind::rpar);
        return value;
    }
    const Node *item = star_named_expression();
    if (kind() == Kind::for_) {
        if (item->kind == NodeKind::Starred) cannot();
        const List *generators = comprehensions();
        expect(Kind::rpar);
        return make(NodeKind::GeneratorExp, first, item, generators);
    }
    if (kind() != Kind::comma) {
        if (item->kind == NodeKind::Starred) cannot();
        expect(Kind::rpar);
        return item;
    }
    Pending items(*this);
    items.add(item);
    while (accept(Kind::comma)) {
        if (kind() == Kind::rpar) break;
        items.add(star_named_expression());
    }
    expect(Kind::rpar);
    return make(NodeKind::Tuple, first, items.list());
}

const Node *ExpressionRules::list_display() {
    DepthGuard guard(*this);
    const Token *first = next_;
    expect(Kind::lsqb);
    Pending items(*this);
    while (kind() != Kind::rsqb) {
        items.add(star_named_expression());
        if (kind() == Kind::for_) {
            if (items.size() > 1 || items[0]->kind == NodeKind::Starred) cannot();
            const List *generators = comprehensions();
            expect(Kind::rsqb);
            return make(NodeKind::ListComp, first, items[0], generators);
        }
        if (!accept(Kind::comma)) break;
    }
    expect(Kind::rsqb);
    return make(NodeKind::List, first, items.list());
}

/// Parses a dict or a set; the token after the first item decides between them.
const Node *ExpressionRules::brace_display() {
    DepthGuard guard(*this);
    const Token *first = next_;
    expect(Kind::lbrace);
    Pending items(*this);
    if (kind() == Kind::rbrace || kind() == Kind::star2) return dict_display(first, items);
    items.add(star_named_expression());
    if (kind() != Kind::colon) return set_display(first, items);
    if (items[0]->kind == NodeKind::Starred) cannot();
    step();
    items.add(expression());
    if (kind() == Kind::for_) {
        const List *generators = comprehensions();
        expect(Kind::rbrace);
        return make(NodeKind::DictComp, first, items[0], items[1], generators);
    }
    if (kind() != Kind::rbrace) expect(Kind::comma);
    return dict_display(first, items);
}

/// `items` alternates between keys and values.
const Node *ExpressionRules::dict_display(const Token *first, Pending &items) {
    while (kind() != Kind::rbrace) {
        if (accept(Kind::star2)) {
            items.add(nullptr);
            items.add(bitwise_or());
        } else {
            items.add(expression());
            expect(Kind::colon);
            items.add(expression());
        }
        if (!accept(Kind::comma)) break;
    }
    expect(Kind::rbrace);
    return make(NodeKind::Dict, first, items.every_second(0), items.every_second(1));
}

const Node *ExpressionRules::set_display(const Token *first, Pending &items) {
    if (kind() == Kind::for_) {
        if (items[0]->kind == NodeKind::Starred) cannot();
        const List *generators = comprehensions();
        expect(Kind::rbrace);
        return make(NodeKind::SetComp, first, items[0], generators);
    }
    while (accept(Kind::comma)) {
        if (kind() == Kind::rbrace) break;
        items.add(star_named_expression());
    }
    expect(Kind::rbrace);
    return make(NodeKind::Set, first, items.list());
}

const List *ExpressionRules::comprehensions() {
    Pending all(*this);
    while (kind() == Kind::for_) all.add(comprehension());
    return all.list();
}

const Node *ExpressionRules::comprehension() {
    expect(Kind::for_);
    const Node *target = star_targets();
    expect(Kind::in_);
    const Node *iter = disjunction();
    Pending tests(*this);
    while (accept(Kind::if_)) tests.add(disjunction());
    return make_part(NodeKind::comprehension, target, iter, tests.list(), 0);
}

} // namespace qd::syntax
