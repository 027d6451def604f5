#pragma once
// The parser's state and rules. A rule is a function that takes its tokens and returns its node; each is named after
// CPython's rule for the same, and what differs is said where it is defined.
#include "syntax/lexer.h"
#include "syntax/words.h"

#include <string>

namespace qd::syntax {

class Parser {
  public:
    Parser(Tree &tree, std::string_view text, Tokens tokens, int first_line)
        : tree_(tree), text_(text), tokens_(std::move(tokens)), words_(tree), first_line_(first_line),
          next_(tokens_.list.get()) {}

    const Node *function(); ///< the whole text

    bool at_end() const { return next_->kind == Kind::end; }

  private:
    /// Counts what is open at a time: the tree's height is bounded, and with it the stack of whoever walks it.
    struct Deeper {
        explicit Deeper(Parser &p) : parser(p) {
            if (++parser.depth_ > most_depth || stack_is_short()) parser.cannot();
        }
        ~Deeper() { parser.depth_--; }
        Parser &parser;
    };

    /// Nodes of a list that is being read; lists inside it grow on the same stack.
    class Pending {
      public:
        explicit Pending(Parser &p) : parser_(p), from_(p.pending_.size()) {}
        ~Pending() { parser_.pending_.resize(from_); }
        void add(const Node *node) { parser_.pending_.push_back(node); }
        size_t size() const { return parser_.pending_.size() - from_; }
        const Node *operator[](size_t i) const { return parser_.pending_[from_ + i]; }
        const List *list() const { return parser_.tree_.list(nodes()); }
        /// Every second one, from the first or from the second.
        const List *every_second(size_t start) const;
        /// Those of one kind, or all but those.
        const List *of_kind(NodeKind kind, bool wanted) const;

      private:
        std::span<const Node *const> nodes() const { return {parser_.pending_.data() + from_, size()}; }
        Parser &parser_;
        size_t from_;
    };

    // Tokens
    [[noreturn]] void cannot() const { throw Cannot{at_end()}; }
    Kind kind() const { return next_->kind; }
    Kind kind_after() const { return kind() == Kind::end ? Kind::end : next_[1].kind; }
    void step() { next_++; } // never past Kind::end, which no rule takes
    bool accept(Kind wanted) {
        if (kind() != wanted) return false;
        step();
        return true;
    }
    void expect(Kind wanted) {
        if (!accept(wanted)) cannot();
    }
    std::string_view text_of(const Token &token) const { return text_.substr(token.begin, token.length); }
    /// From a token to the last one taken.
    Extent extent(const Token *first) const {
        const Token &last = next_[-1];
        return {first->line, first->column, last.end_line, last.end_column};
    }
    /// The same behind a block, whose line ends and dedents do not count.
    Extent extent_of_block(const Token *first) const;
    PyObject *name();
    template <class... S> const Node *make(NodeKind kind, const Token *first, S... slots) {
        return tree_.make(kind, extent(first), {Slot(slots)...});
    }
    /// Of kinds without a place.
    template <class... S> const Node *make_part(NodeKind kind, S... slots) {
        return tree_.make(kind, Extent{}, {Slot(slots)...});
    }
    /// Counts the operands of a chain such as a + b + c, each of which makes the tree higher.
    void link(int &length) {
        if (++length > free_links && ++links_ > most_links) cannot();
    }

    // statements.cpp, blocks.cpp
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
    void require_target(const Node *target, bool nested) const;

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
    const Node *more_of_tuple(const Token *first, const Node *item, const Node *(Parser::*next_item)());

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

    static constexpr int most_depth = 200, free_links = 8, most_links = 500;

    Tree &tree_;
    std::string_view text_;
    Tokens tokens_;
    Words words_;
    int first_line_;
    const Token *next_;
    std::vector<const Node *> pending_, picked_;
    int depth_ = 0;
    int links_ = 0; ///< of the statement being read
};

/// Whether an expression may begin with such a token; `*` included.
bool begins_expression(Kind kind);

} // namespace qd::syntax
