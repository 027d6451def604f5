#pragma once
// The rules of the grammar. A rule is a function that consumes its tokens and returns its node. Each is named after CPython's rule for the
// same construct; differences are described where the rule is defined.
#include "syntax/token_cursor.h"

namespace qd::syntax {

class ExpressionRules : protected TokenCursor {
  protected:
    using TokenCursor::TokenCursor;

    // parameters.cpp
    const Node *parameters(Kind closing);
    void starred_parameter(struct ParameterLists &lists, Kind closing);
    const Node *parameter(Kind closing);
    void arguments(Pending &both);
    const Node *argument(bool &keywords, bool &double_star);

    // expressions.cpp
    const Node *star_expressions();
    const Node *star_expression();
    const Node *star_named_expression();
    const Node *named_expression();
    const Node *expression();
    const Node *lambda();
    const Node *disjunction();
    const Node *conjunction();
    const Node *inversion();
    const Node *comparison();
    const Node *bitwise_or() { return binary(0); }
    const Node *binary(int lowest);
    const Node *unary();
    const Node *power();
    const Node *primary();
    const Node *call(const Token *first, const Node *func);
    const Node *subscript(const Token *first, const Node *value);
    const Node *slices();
    const Node *slice();
    const Node *yield_expression();
    const Node *star_targets();
    const Node *star_target();
    void require_target(const Node *target, bool nested) const;
    const Node *more_of_tuple(const Token *first, const Node *item, const Node *(ExpressionRules::*next_item)());

    // atoms.cpp
    const Node *atom();
    const Node *constant(PyObject *borrowed);
    const Node *brackets();
    const Node *list_display();
    const Node *brace_display();
    const Node *dict_display(const Token *first, Pending &items);
    const Node *set_display(const Token *first, Pending &items);
    const List *comprehensions();
    const Node *comprehension();

    // literals.cpp
    const Node *number_literal();
    const Node *string_literals();
    const Node *formatted(const Token *first);
};

class StatementRules : ExpressionRules {
  public:
    using ExpressionRules::ExpressionRules;

    const Node *function(); ///< parses the whole text

  private:
    const Node *decorated();
    void block(Pending &body);
    const List *block();
    const List *else_block();
    void statement(Pending &body);
    void simple_statements(Pending &body);
    const Node *simple_statement();
    const Node *expression_statement();
    const Node *assignment(const Token *first, const Node *target);
    const Node *annotated_assignment(const Token *first, const Node *target);
    const Node *assigned_value();
    const Node *compound_statement();
    const Node *if_statement();
    const Node *while_statement();
    const Node *for_statement();
    const Node *with_statement();
    bool brackets_hold_with_items() const;
    const Node *with_item();
    const Node *try_statement();
    const Node *except_handler();
    const Node *function_definition(const List *decorators);
    const Node *class_definition(const List *decorators);
    const Node *return_statement();
    const Node *raise_statement();
    const Node *assert_statement();
    const Node *delete_statement();
    const Node *name_list(NodeKind kind);
    const Node *import_statement();
    const Node *import_from_statement();
    void dotted_name();
    void import_alias();
};

/// True if an expression may begin with a token of this kind, `*` included.
bool begins_expression(Kind kind);

/// True if the node can be assigned to on its own: it is neither a tuple nor a list.
bool is_single_target(const Node *node);

} // namespace qd::syntax
