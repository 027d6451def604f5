#pragma once
// Loops: their iteration spaces and their emission.
#include "frontend/control.h"
#include "frontend/static.h"

namespace qd::frontend {

/// Bounds of a loop nest, one pair per index of the user; `order` lists the indices from the outermost loop inwards.
struct Nest {
    std::vector<ir::Value> lower, upper;
    std::vector<int> order;
    bool grouped = false;
    bool single = false; ///< one iteration with an empty index, for objects without dimensions
    Val elements; ///< mesh loops: the elements, or the relation of one element, whose numbers the one index runs over
    const Packed *array = nullptr; ///< cells are words of a quant array, whose elements are visited
    ir::Loop settings;
};

/// Holds the settings of qd.loop_config for the next loop.
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
Flow for_static(Walk &w, const Node *node, const std::vector<Val> &items, const std::function<Flow()> &body);
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
