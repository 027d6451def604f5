#include "syntax/grammar.h"

#include <array>

namespace qd::syntax {
namespace {

/// The operator of an augmented assignment such as `+=`, or And for any other token.
NodeKind assigning_operator(Kind kind) {
    if (kind < Kind::bar_eq || kind > Kind::star2_eq) return NodeKind::And;
    static constexpr NodeKind ops[] = {
        NodeKind::BitOr, NodeKind::BitXor,  NodeKind::BitAnd, NodeKind::LShift, NodeKind::RShift,
        NodeKind::Add,   NodeKind::Sub,     NodeKind::Mult,   NodeKind::Div,    NodeKind::FloorDiv,
        NodeKind::Mod,   NodeKind::MatMult, NodeKind::Pow,
    };
    static_assert(std::size(ops) == size_t(Kind::star2_eq) - size_t(Kind::bar_eq) + 1);
    return ops[size_t(kind) - size_t(Kind::bar_eq)];
}

} // namespace

const Node *StatementRules::function() {
    const Node *made = decorated();
    if (made->kind != NodeKind::FunctionDef || kind() != Kind::end) cannot();
    return made;
}

const Node *StatementRules::decorated() {
    Pending decorators(*this);
    while (accept(Kind::at)) {
        decorators.add(named_expression());
        expect(Kind::newline);
    }
    if (kind() == Kind::def_) return function_definition(decorators.list());
    if (kind() == Kind::class_) return class_definition(decorators.list());
    cannot();
}

const Node *StatementRules::function_definition(const List *decorators) {
    const Token *first = next_;
    expect(Kind::def_);
    PyObject *word = name();
    expect(Kind::lpar);
    const Node *args = parameters(Kind::rpar);
    expect(Kind::rpar);
    const Node *returns = accept(Kind::arrow) ? expression() : nullptr;
    const List *body = block();
    return tree_.make(NodeKind::FunctionDef, extent_of_block(first), {word, args, body, decorators, returns});
}

const Node *StatementRules::class_definition(const List *decorators) {
    const Token *first = next_;
    expect(Kind::class_);
    PyObject *word = name();
    Pending both(*this);
    if (accept(Kind::lpar)) {
        arguments(both);
        expect(Kind::rpar);
    }
    const List *bases = both.of_kind(NodeKind::keyword, false), *keywords = both.of_kind(NodeKind::keyword, true);
    const List *body = block();
    return tree_.make(NodeKind::ClassDef, extent_of_block(first), {word, bases, keywords, body, decorators});
}

/// Parses the colon and the block after it.
const List *StatementRules::block() {
    expect(Kind::colon);
    DepthGuard guard(*this);
    Pending body(*this);
    if (!accept(Kind::newline)) {
        simple_statements(body);
        return body.list();
    }
    expect(Kind::indent);
    while (!accept(Kind::dedent)) statement(body);
    return body.list();
}

const List *StatementRules::else_block() { return accept(Kind::else_) ? block() : nullptr; }

void StatementRules::statement(Pending &body) {
    links_ = 0;
    switch (kind()) {
    case Kind::if_: return body.add(if_statement());
    case Kind::for_: return body.add(for_statement());
    case Kind::while_: return body.add(while_statement());
    case Kind::with_: return body.add(with_statement());
    case Kind::try_: return body.add(try_statement());
    case Kind::def_:
    case Kind::class_:
    case Kind::at: return body.add(decorated());
    default: return simple_statements(body);
    }
}

void StatementRules::simple_statements(Pending &body) {
    do {
        links_ = 0;
        body.add(simple_statement());
    } while (accept(Kind::semi) && kind() != Kind::newline);
    expect(Kind::newline);
}

const Node *StatementRules::simple_statement() {
    const Token *first = next_;
    switch (kind()) {
    case Kind::pass_: step(); return make(NodeKind::Pass, first);
    case Kind::break_: step(); return make(NodeKind::Break, first);
    case Kind::continue_: step(); return make(NodeKind::Continue, first);
    case Kind::return_: return return_statement();
    case Kind::raise_: return raise_statement();
    case Kind::assert_: return assert_statement();
    case Kind::del_: return delete_statement();
    case Kind::global_: return name_list(NodeKind::Global);
    case Kind::nonlocal_: return name_list(NodeKind::Nonlocal);
    case Kind::import_: return import_statement();
    case Kind::from_: return import_from_statement();
    default: return expression_statement();
    }
}

const Node *StatementRules::return_statement() {
    const Token *first = next_;
    expect(Kind::return_);
    const Node *value = begins_expression(kind()) ? star_expressions() : nullptr;
    return make(NodeKind::Return, first, value);
}

const Node *StatementRules::raise_statement() {
    const Token *first = next_;
    expect(Kind::raise_);
    const Node *exc = begins_expression(kind()) ? expression() : nullptr;
    const Node *cause = exc && accept(Kind::from_) ? expression() : nullptr;
    return make(NodeKind::Raise, first, exc, cause);
}

const Node *StatementRules::assert_statement() {
    const Token *first = next_;
    expect(Kind::assert_);
    const Node *test = expression();
    const Node *msg = accept(Kind::comma) ? expression() : nullptr;
    return make(NodeKind::Assert, first, test, msg);
}

const Node *StatementRules::delete_statement() {
    const Token *first = next_;
    expect(Kind::del_);
    Pending targets(*this);
    do {
        targets.add(primary());
        if (targets[targets.size() - 1]->kind == NodeKind::Starred) cannot();
        require_target(targets[targets.size() - 1], false);
    } while (accept(Kind::comma) && begins_expression(kind()));
    return make(NodeKind::Delete, first, targets.list());
}

const Node *StatementRules::name_list(NodeKind made) {
    const Token *first = next_;
    do {
        step();
        name();
    } while (kind() == Kind::comma);
    return make(made, first);
}

// Assignments

const Node *StatementRules::assigned_value() {
    return kind() == Kind::yield_ ? yield_expression() : star_expressions();
}

const Node *StatementRules::expression_statement() {
    const Token *first = next_;
    const Node *value = assigned_value();
    if (kind() == Kind::equal) return assignment(first, value);
    if (kind() == Kind::colon) return annotated_assignment(first, value);
    const NodeKind op = assigning_operator(kind());
    if (op == NodeKind::And) return make(NodeKind::Expr, first, value);
    if (!is_single_target(value)) cannot();
    step();
    const Node *operand = assigned_value();
    return make(NodeKind::AugAssign, first, value, operator_node(op), operand);
}

const Node *StatementRules::assignment(const Token *first, const Node *target) {
    Pending targets(*this);
    const Node *value = target;
    while (accept(Kind::equal)) {
        require_target(value, false);
        targets.add(value);
        value = assigned_value();
    }
    return make(NodeKind::Assign, first, targets.list(), value);
}

const Node *StatementRules::annotated_assignment(const Token *first, const Node *target) {
    if (!is_single_target(target)) cannot();
    expect(Kind::colon);
    const Node *annotation = expression();
    const Node *value = accept(Kind::equal) ? assigned_value() : nullptr;
    return make(NodeKind::AnnAssign, first, target, annotation, value);
}

// Imports, for which the tree holds only the source range

void StatementRules::dotted_name() {
    name();
    while (accept(Kind::dot)) name();
}

void StatementRules::import_alias() {
    if (accept(Kind::as_)) name();
}

const Node *StatementRules::import_statement() {
    const Token *first = next_;
    expect(Kind::import_);
    do {
        dotted_name();
        import_alias();
    } while (accept(Kind::comma));
    return make(NodeKind::Import, first);
}

const Node *StatementRules::import_from_statement() {
    const Token *first = next_;
    expect(Kind::from_);
    bool relative = false;
    while (accept(Kind::dot) || accept(Kind::ellipsis)) relative = true;
    if (!relative || kind() != Kind::import_) dotted_name();
    expect(Kind::import_);
    if (accept(Kind::star)) return make(NodeKind::ImportFrom, first);
    const bool brackets = accept(Kind::lpar);
    do {
        if (brackets && kind() == Kind::rpar) break;
        name();
        import_alias();
    } while (accept(Kind::comma));
    if (brackets) expect(Kind::rpar);
    return make(NodeKind::ImportFrom, first);
}

} // namespace qd::syntax
