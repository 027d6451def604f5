#pragma once
// Kernels with graph=True: levels that run again, checkpoints, regions of sections.
#include "frontend/control.h"

namespace qd::frontend {

struct BuiltinRow;

class Graphs : public Part {
  public:
    explicit Graphs(Walk &walk) : Part(walk) {}

    /// Refuses what a kernel with levels may not hold, and finds the loops that are checkpoints by themselves.
    void begin(const Node *tree);
    /// Refuses what a kernel with checkpoints returns: its calls give the state of the launch.
    void finish(const Node *tree);
    /// Whether a `while` is a level.
    bool is_level(const Node *loop);
    Flow level(const Node *loop);
    /// Whether a `with` of this builtin belongs here; it has one item, without a name for it.
    static bool is_block(const BuiltinRow *row);
    Flow block_of(const Node *node, const BuiltinRow *row);
    /// A loop: in a checkpoint of its own if it is to have one.
    Flow loop(const Node *node, const std::function<Flow()> &walk_loop);

    /// While sections are looked for: a region holds nothing that counts, so counts go before it.
    template <class Emit> void beside_region(const Emit &emit) {
        if (!in_region_ || in_section_) return emit();
        b_.at = region_at_;
        emit();
        region_at_ = std::exchange(b_.at, size_t(-1));
    }
    GraphNames take() { return std::move(names_); }

  private:
    using Kind = ir::Subgraph::Kind;
    struct Flag {
        uint32_t parameter = ir::Subgraph::no_flag;
        std::string name;
    };

    Flow checkpoint(const Node *node, const Node *call);
    Flow context(const Node *node, const Node *call);
    Flow section(const Node *node, const Node *call);
    Flow inside(Kind kind, uint32_t flag, const std::function<Flow()> &body);
    Flow body_of(const Node *node);

    void find_loops(Items statements);
    void check_statements(Items statements, const std::string &message);
    void check_region(Items statements);
    void check_section(const Node *node);
    void check_block(const Node *node, const char *name);
    void warn_if_deprecated(const Node *callee);
    Flag flag(const Node *node, const std::string &refusal);
    PyRef label(const Node *node);
    PyRef constant_named(const Node *node);
    std::string kernel_name() const;

    GraphNames names_;
    std::unordered_set<const Node *> loops_; ///< that are checkpoints
    bool in_loop_ = false;                   ///< that is a checkpoint
    bool in_checkpoint_ = false, in_region_ = false, in_section_ = false;
    size_t region_at_ = 0; ///< where the region begins in the block at hand
};

} // namespace qd::frontend
