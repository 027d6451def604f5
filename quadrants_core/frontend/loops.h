#pragma once
// Loops: what they run over, and how they are emitted.
#include "frontend/control.h"
#include "frontend/static.h"

namespace qd::frontend {

/// Bounds of a loop nest, one pair per index of the user; `order` lists them outermost first.
struct Nest {
    std::vector<ir::Value> lower, upper;
    std::vector<int> order;
    bool grouped = false;
    bool single = false;           ///< one iteration, whose index is empty: of what has no dimensions
    Val elements;                  ///< of a mesh, whose numbers the one index runs over, or what touches one of them
    const Packed *array = nullptr; ///< cells are words of a quant array: their elements are visited
    ir::Loop settings;
};

/// What qd.loop_config asked of the loop that comes next.
class Loops : public Part {
  public:
    explicit Loops(Walk &walk) : Part(walk) {}

    void configure(const ir::Loop &settings) { next_ = settings; }
    void drop_settings() { next_.reset(); }
    void take_settings(ir::Loop &settings) {
        if (next_) settings = *next_;
        next_.reset();
    }

  private:
    std::optional<ir::Loop> next_;
};

Flow for_(Walk &w, const Node *node);
Val host_ndrange(Walk &w, const Node *node, const Val &v);
bool is_of_mesh(Walk &w, const Val &v);
Val loop_source(Walk &w, const Node *node);
Nest nest_of(Walk &w, const Node *node, const LoopSource &loop, std::optional<uint32_t> &cells);
Flow for_nest(Walk &w, const Node *node, Nest nest);
void bind_loop_targets(Walk &w, const Node *node, std::span<const ir::Value> indices, const Nest &nest);
void check_loop_target(Walk &w, const Node *target);
void bind_static(Walk &w, const Node *target, const Val &item);
std::vector<Val> static_items(Walk &w, const Node *node, const Val &v, Unrolled by = Unrolled::qd_static);
bool is_top_level(Walk &w);
bool inside_loop(Walk &w);
Flow iteration(Walk &w, const Node *node);
void poll_in(Walk &w, ir::Value loop, bool has_loops);

} // namespace qd::frontend
