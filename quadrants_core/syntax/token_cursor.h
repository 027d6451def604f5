#pragma once
// The state that all rules of the grammar share: the next token and the nodes under construction.
#include "syntax/lexer.h"
#include "syntax/words.h"

#include <string>

namespace qd::syntax {

class TokenCursor {
  public:
    TokenCursor(Tree &tree, std::string_view text, Tokens tokens, int first_line)
        : tree_(tree), text_(text), tokens_(std::move(tokens)), words_(tree), first_line_(first_line),
          next_(tokens_.list.get()) {}

    bool at_end() const { return next_->kind == Kind::end; }

  protected:
    /// Counts the open rules. The limit bounds the height of the tree, and with it the stack depth of code that walks it.
    struct DepthGuard {
        explicit DepthGuard(TokenCursor &p) : parser(p) {
            if (++parser.depth_ > max_depth || stack_is_short()) parser.cannot();
        }
        ~DepthGuard() { parser.depth_--; }
        TokenCursor &parser;
    };

    /// The nodes of a list that is being parsed; nested lists grow on the same stack.
    class Pending {
      public:
        explicit Pending(TokenCursor &p) : parser_(p), from_(p.pending_.size()) {}
        ~Pending() { parser_.pending_.resize(from_); }
        void add(const Node *node) { parser_.pending_.push_back(node); }
        size_t size() const { return parser_.pending_.size() - from_; }
        const Node *operator[](size_t i) const { return parser_.pending_[from_ + i]; }
        const List *list() const { return parser_.tree_.list(nodes()); }
        /// Every second node, from the first (0) or the second (1) on.
        const List *every_second(size_t start) const;
        /// The nodes of one kind, or all except those of that kind.
        const List *of_kind(NodeKind kind, bool wanted) const;

      private:
        std::span<const Node *const> nodes() const { return {parser_.pending_.data() + from_, size()}; }
        TokenCursor &parser_;
        size_t from_;
    };

    [[noreturn]] void cannot() const { throw GiveUp{at_end()}; }
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
    /// The range from a token to the last one consumed.
    Extent extent(const Token *first) const {
        const Token &last = next_[-1];
        return {first->line, first->column, last.end_line, last.end_column};
    }
    /// The same for a rule that ends with a block: trailing line ends and dedents are excluded.
    Extent extent_of_block(const Token *first) const;
    PyObject *name();
    template <class... S> const Node *make(NodeKind kind, const Token *first, S... slots) {
        return tree_.make(kind, extent(first), {Slot(slots)...});
    }
    /// Makes a node of a kind without a source range.
    template <class... S> const Node *make_part(NodeKind kind, S... slots) {
        return tree_.make(kind, Extent{}, {Slot(slots)...});
    }
    /// Counts the operands of a chain such as a + b + c, each of which adds to the height of the tree.
    void link(int &length) {
        if (++length > free_links && ++links_ > max_links) cannot();
    }

    static constexpr int max_depth = 200, free_links = 8, max_links = 500, max_elifs = 2000;

    Tree &tree_;
    std::string_view text_;
    Tokens tokens_;
    NameTable words_;
    int first_line_;
    const Token *next_;
    std::vector<const Node *> pending_, picked_;
    int depth_ = 0;
    int links_ = 0; ///< in the current statement
};

} // namespace qd::syntax
