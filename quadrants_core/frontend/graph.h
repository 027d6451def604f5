#pragma once
// Kernels with graph=True: levels that run repeatedly, checkpoints, regions of sections.
#include "frontend/control.h"

namespace qd::frontend {

struct BuiltinRow;

class Graphs : public Part {
  public:
    explicit Graphs(Walk &walk) : Part(walk) {}

    /// Refuses statements that a kernel with levels may not contain, and finds the loops that are checkpoints of their own.
    void begin(const Node *tree);
    /// Refuses a return value of a kernel with checkpoints: its calls return the state of the launch.
    void finish(const Node *tree);
    /// True if a `while` is a level.
    bool is_level(const Node *loop);
    Flow level(const Node *loop);
    /// True for statements whose line is counted in the checkpoint that they open, so that a launch that skips it does not count them.
    bool opens_checkpoint(const Node *statement) const;
    /// True if a `with` of this builtin is handled here; it has one item and no name.
    static bool is_block(const BuiltinRow *row);
    Flow block_of(const Node *node, const BuiltinRow *row);
    /// Walks a loop, in a checkpoint of its own if it is to have one.
    Flow loop(const Node *node, const std::function<Flow()> &walk_loop);

    /// Emits counters. In a region, but outside its sections, they go before the region, which may not contain any.
    template <class Emit> void before_region(const Emit &emit) {
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
    std::unordered_set<const Node *> loops_; ///< loops that are checkpoints
    bool in_loop_ = false;                   ///< in a loop that is a checkpoint
    bool in_checkpoint_ = false, in_region_ = false, in_section_ = false;
    size_t region_at_ = 0; ///< start of the region in the current block
};

} // namespace qd::frontend
