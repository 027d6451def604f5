#include "syntax/grammar.h"

#include <array>

namespace qd::syntax {
namespace {

/// The operator of a token and its precedence, starting at 1; 0 if the token is not a binary operator.
struct Binary {
    uint8_t precedence = 0;
    NodeKind op{};
};

constexpr auto binary_of = [] {
    std::array<Binary, token_kinds> table{};
    const auto row = [&](Kind kind, uint8_t precedence, NodeKind op) { table[size_t(kind)] = {precedence, op}; };
    row(Kind::bar, 1, NodeKind::BitOr);
    row(Kind::caret, 2, NodeKind::BitXor);
    row(Kind::amper, 3, NodeKind::BitAnd);
    row(Kind::lshift, 4, NodeKind::LShift);
    row(Kind::rshift, 4, NodeKind::RShift);
    row(Kind::plus, 5, NodeKind::Add);
    row(Kind::minus, 5, NodeKind::Sub);
    row(Kind::star, 6, NodeKind::Mult);
    row(Kind::slash, 6, NodeKind::Div);
    row(Kind::slash2, 6, NodeKind::FloorDiv);
    row(Kind::percent, 6, NodeKind::Mod);
    row(Kind::at, 6, NodeKind::MatMult);
    return table;
}();

constexpr auto begins_expression_table = [] {
    std::array<bool, token_kinds> table{};
    for (Kind kind : {Kind::name, Kind::number, Kind::string, Kind::lpar, Kind::lsqb, Kind::lbrace, Kind::ellipsis,
                      Kind::plus, Kind::minus, Kind::tilde, Kind::star, Kind::False_, Kind::None_, Kind::True_,
                      Kind::not_, Kind::lambda_, Kind::await_})
        table[size_t(kind)] = true;
    return table;
}();

} // namespace

bool begins_expression(Kind kind) { return begins_expression_table[size_t(kind)]; }

bool is_single_target(const Node *node) {
    return node->kind == NodeKind::Name || node->kind == NodeKind::Attribute || node->kind == NodeKind::Subscript;
}

/// Gives up unless the node is assignable; `nested` is true within a tuple or list, where a starred target is allowed.
void ExpressionRules::require_target(const Node *target, bool nested) const {
    if (is_single_target(target)) return;
    if (target->kind == NodeKind::Starred && nested) {
        const Node *value = child(target, Field::value);
        if (value->kind == NodeKind::Starred) cannot();
        return require_target(value, false);
    }
    if (target->kind != NodeKind::Tuple && target->kind != NodeKind::List) cannot();
    for (const Node *item : items_of(target, Field::elts)) require_target(item, true);
}

/// Returns `item`, or a tuple that begins with it if a comma follows. A trailing comma belongs to the tuple.
const Node *ExpressionRules::more_of_tuple(const Token *first, const Node *item,
                                           const Node *(ExpressionRules::*next_item)()) {
    if (kind() != Kind::comma) return item;
    Pending items(*this);
    items.add(item);
    while (accept(Kind::comma)) {
        if (!begins_expression(kind())) break;
        items.add((this->*next_item)());
    }
    return make(NodeKind::Tuple, first, items.list());
}

const Node *ExpressionRules::star_expressions() {
    const Token *first = next_;
    return more_of_tuple(first, star_expression(), &ExpressionRules::star_expression);
}

const Node *ExpressionRules::star_expression() {
    const Token *first = next_;
    if (accept(Kind::star)) return make(NodeKind::Starred, first, bitwise_or());
    return expression();
}

const Node *ExpressionRules::star_named_expression() {
    const Token *first = next_;
    if (accept(Kind::star)) return make(NodeKind::Starred, first, bitwise_or());
    return named_expression();
}

const Node *ExpressionRules::named_expression() {
    if (kind() != Kind::name || kind_after() != Kind::colon_equal) return expression();
    const Token *first = next_;
    PyObject *id = name();
    const Node *target = make(NodeKind::Name, first, id);
    expect(Kind::colon_equal);
    const Node *value = expression();
    return make(NodeKind::NamedExpr, first, target, value);
}

const Node *ExpressionRules::expression() {
    DepthGuard guard(*this);
    if (kind() == Kind::lambda_) return lambda();
    const Token *first = next_;
    const Node *body = disjunction();
    if (!accept(Kind::if_)) return body;
    const Node *test = disjunction();
    expect(Kind::else_);
    const Node *orelse = expression();
    return make(NodeKind::IfExp, first, test, body, orelse);
}

const Node *ExpressionRules::lambda() {
    const Token *first = next_;
    expect(Kind::lambda_);
    const Node *args = parameters(Kind::colon);
    expect(Kind::colon);
    const Node *body = expression();
    return make(NodeKind::Lambda, first, args, body);
}

const Node *ExpressionRules::disjunction() {
    const Token *first = next_;
    const Node *operand = conjunction();
    if (kind() != Kind::or_) return operand;
    Pending operands(*this);
    operands.add(operand);
    while (accept(Kind::or_)) operands.add(conjunction());
    return make(NodeKind::BoolOp, first, operator_node(NodeKind::Or), operands.list());
}

const Node *ExpressionRules::conjunction() {
    const Token *first = next_;
    const Node *operand = inversion();
    if (kind() != Kind::and_) return operand;
    Pending operands(*this);
    operands.add(operand);
    while (accept(Kind::and_)) operands.add(inversion());
    return make(NodeKind::BoolOp, first, operator_node(NodeKind::And), operands.list());
}

const Node *ExpressionRules::inversion() {
    const Token *first = next_;
    if (!accept(Kind::not_)) return comparison();
    DepthGuard guard(*this);
    const Node *operand = inversion();
    return make(NodeKind::UnaryOp, first, operator_node(NodeKind::Not), operand);
}

namespace {

/// Returns the comparison operator that a token begins; And if it begins none.
NodeKind comparison_of(Kind kind, Kind after) {
    switch (kind) {
    case Kind::equal2: return NodeKind::Eq;
    case Kind::bang_equal: return NodeKind::NotEq;
    case Kind::less: return NodeKind::Lt;
    case Kind::less_equal: return NodeKind::LtE;
    case Kind::greater: return NodeKind::Gt;
    case Kind::greater_equal: return NodeKind::GtE;
    case Kind::in_: return NodeKind::In;
    case Kind::is_: return after == Kind::not_ ? NodeKind::IsNot : NodeKind::Is;
    case Kind::not_: return after == Kind::in_ ? NodeKind::NotIn : NodeKind::And;
    default: return NodeKind::And;
    }
}

} // namespace

const Node *ExpressionRules::comparison() {
    const Token *first = next_;
    const Node *left = bitwise_or();
    NodeKind op = comparison_of(kind(), kind_after());
    if (op == NodeKind::And) return left;
    Pending both(*this);
    do {
        step();
        if (op == NodeKind::IsNot || op == NodeKind::NotIn) step();
        both.add(operator_node(op));
        both.add(bitwise_or());
        op = comparison_of(kind(), kind_after());
    } while (op != NodeKind::And);
    return make(NodeKind::Compare, first, left, both.every_second(0), both.every_second(1));
}

/// Parses operators of a higher precedence than `lowest`.
const Node *ExpressionRules::binary(int lowest) {
    const Token *first = next_;
    const Node *left = unary();
    for (int length = 0;;) {
        const Binary op = binary_of[size_t(kind())];
        if (op.precedence <= lowest) return left;
        link(length);
        step();
        const Node *right = binary(op.precedence);
        left = make(NodeKind::BinOp, first, left, operator_node(op.op), right);
    }
}

const Node *ExpressionRules::unary() {
    NodeKind op;
    switch (kind()) {
    case Kind::plus: op = NodeKind::UAdd; break;
    case Kind::minus: op = NodeKind::USub; break;
    case Kind::tilde: op = NodeKind::Invert; break;
    default: return power();
    }
    DepthGuard guard(*this);
    const Token *first = next_;
    step();
    const Node *operand = unary();
    return make(NodeKind::UnaryOp, first, operator_node(op), operand);
}

const Node *ExpressionRules::power() {
    const Token *first = next_;
    const Node *base = primary();
    if (!accept(Kind::star2)) return base;
    DepthGuard guard(*this);
    const Node *exponent = unary();
    return make(NodeKind::BinOp, first, base, operator_node(NodeKind::Pow), exponent);
}

const Node *ExpressionRules::primary() {
    const Token *first = next_;
    const Node *value = atom();
    for (int length = 0;; link(length)) {
        switch (kind()) {
        case Kind::dot: {
            step();
            PyObject *attr = name();
            value = make(NodeKind::Attribute, first, value, attr);
            break;
        }
        case Kind::lpar: value = call(first, value); break;
        case Kind::lsqb: value = subscript(first, value); break;
        default: return value;
        }
    }
}

const Node *ExpressionRules::call(const Token *first, const Node *func) {
    DepthGuard guard(*this);
    expect(Kind::lpar);
    Pending both(*this);
    arguments(both);
    expect(Kind::rpar);
    return make(NodeKind::Call, first, func, both.of_kind(NodeKind::keyword, false),
                both.of_kind(NodeKind::keyword, true));
}

const Node *ExpressionRules::subscript(const Token *first, const Node *value) {
    DepthGuard guard(*this);
    expect(Kind::lsqb);
    const Node *index = slices();
    expect(Kind::rsqb);
    return make(NodeKind::Subscript, first, value, index);
}

const Node *ExpressionRules::slices() {
    const Token *first = next_;
    const Node *item = slice();
    if (kind() != Kind::comma) {
        if (item->kind != NodeKind::Starred) return item;
        Pending items(*this);
        items.add(item);
        return make(NodeKind::Tuple, first, items.list());
    }
    Pending items(*this);
    items.add(item);
    while (accept(Kind::comma)) {
        if (kind() == Kind::rsqb) break;
        items.add(slice());
    }
    return make(NodeKind::Tuple, first, items.list());
}

const Node *ExpressionRules::slice() {
    const Token *first = next_;
    if (accept(Kind::star)) return make(NodeKind::Starred, first, expression());
    const Node *lower = nullptr, *upper = nullptr, *step = nullptr;
    if (kind() != Kind::colon) {
        const bool named = kind() == Kind::name && kind_after() == Kind::colon_equal;
        lower = named_expression();
        if (named || kind() != Kind::colon) return lower;
    }
    expect(Kind::colon);
    if (begins_expression(kind())) upper = expression();
    if (accept(Kind::colon) && begins_expression(kind())) step = expression();
    return make(NodeKind::Slice, first, lower, upper, step);
}

const Node *ExpressionRules::yield_expression() {
    const Token *first = next_;
    expect(Kind::yield_);
    if (accept(Kind::from_)) {
        const Node *value = expression();
        return make(NodeKind::YieldFrom, first, value);
    }
    const Node *value = begins_expression(kind()) ? star_expressions() : nullptr;
    return make(NodeKind::Yield, first, value);
}

/// Parses the targets between `for` and `in`.
const Node *ExpressionRules::star_targets() {
    const Token *first = next_;
    const Node *target = more_of_tuple(first, star_target(), &ExpressionRules::star_target);
    require_target(target, false);
    return target;
}

const Node *ExpressionRules::star_target() {
    const Token *first = next_;
    if (accept(Kind::star)) return make(NodeKind::Starred, first, primary());
    return primary();
}

} // namespace qd::syntax
