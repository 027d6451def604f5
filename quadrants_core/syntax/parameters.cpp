#include "syntax/grammar.h"

namespace qd::syntax {

/// The lists of an `arguments` node under construction.
struct ParameterLists {
    std::vector<const Node *> positional_only, plain, keyword_only, keyword_defaults, defaults;
    const Node *vararg = nullptr, *kwarg = nullptr;
    bool starred = false; ///< a `*` was read: further parameters are keyword-only
};

/// Parses the parameters of a def up to its `)`, or of a lambda up to its `:`; those of a lambda have no annotations.
const Node *ExpressionRules::parameters(Kind closing) {
    ParameterLists lists;
    while (kind() != closing) {
        if (lists.kwarg) cannot();
        if (accept(Kind::slash)) {
            if (lists.starred || lists.plain.empty() || !lists.positional_only.empty()) cannot();
            lists.positional_only.swap(lists.plain);
        } else if (kind() == Kind::star) {
            starred_parameter(lists, closing);
        } else if (accept(Kind::star2)) {
            lists.kwarg = parameter(closing);
        } else {
            const Node *plain = parameter(closing);
            const Node *value = accept(Kind::equal) ? expression() : nullptr;
            if (lists.starred) {
                lists.keyword_only.push_back(plain);
                lists.keyword_defaults.push_back(value);
            } else {
                lists.plain.push_back(plain);
                if (value) lists.defaults.push_back(value);
                if (!value && !lists.defaults.empty()) cannot();
            }
        }
        if (!accept(Kind::comma)) break;
    }
    if (kind() != closing) cannot();
    return make_part(NodeKind::arguments, tree_.list(lists.positional_only), tree_.list(lists.plain), lists.vararg,
                     tree_.list(lists.keyword_only), tree_.list(lists.keyword_defaults), lists.kwarg,
                     tree_.list(lists.defaults));
}

/// Parses `*name`, `*name: *Types` or a bare `*`, whose comma is not consumed.
void ExpressionRules::starred_parameter(ParameterLists &lists, Kind closing) {
    expect(Kind::star);
    if (lists.starred) cannot();
    lists.starred = true;
    if (kind() == Kind::comma) return;
    const Token *first = next_;
    PyObject *word = name();
    const Node *annotation = closing == Kind::rpar && accept(Kind::colon) ? star_expression() : nullptr;
    lists.vararg = make(NodeKind::arg, first, word, annotation);
}

const Node *ExpressionRules::parameter(Kind closing) {
    const Token *first = next_;
    PyObject *word = name();
    const Node *annotation = closing == Kind::rpar && accept(Kind::colon) ? expression() : nullptr;
    return make(NodeKind::arg, first, word, annotation);
}

/// Parses the arguments of a call or a class up to the `)`; `both` receives positional and keyword arguments in source order.
void ExpressionRules::arguments(Pending &both) {
    bool keywords = false, double_star = false;
    const Token *open = next_ - 1;
    while (kind() != Kind::rpar) {
        const Node *one = argument(keywords, double_star);
        if (kind() == Kind::for_) { // the only argument, which shares the brackets of the call
            if (both.size() || one->kind == NodeKind::keyword || one->kind == NodeKind::Starred) cannot();
            const List *generators = comprehensions();
            if (kind() != Kind::rpar) cannot();
            step();
            both.add(make(NodeKind::GeneratorExp, open, one, generators));
            next_--;
            return;
        }
        both.add(one);
        if (!accept(Kind::comma)) break;
    }
}

const Node *ExpressionRules::argument(bool &keywords, bool &double_star) {
    const Token *first = next_;
    if (accept(Kind::star2)) {
        keywords = double_star = true;
        const Node *value = expression();
        return make(NodeKind::keyword, first, static_cast<PyObject *>(nullptr), value);
    }
    if (kind() == Kind::name && kind_after() == Kind::equal) {
        keywords = true;
        PyObject *word = name();
        step();
        const Node *value = expression();
        return make(NodeKind::keyword, first, word, value);
    }
    if (accept(Kind::star)) {
        if (double_star) cannot();
        const Node *value = expression();
        return make(NodeKind::Starred, first, value);
    }
    if (keywords) cannot();
    return named_expression();
}

} // namespace qd::syntax
