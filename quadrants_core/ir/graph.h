#pragma once
// Positions of a kernel's top-level instructions in the subgraphs of its graph.
#include "ir/function.h"

#include <vector>

namespace qd::ir {

inline bool is_graph_mark(Op op) { return op == Op::graph_begin || op == Op::graph_end; }

/// Walks the top level of a well-formed kernel, instruction by instruction.
class GraphWalk {
  public:
    explicit GraphWalk(const Function &kernel) : kernel_(kernel) {}

    /// Advances past `v`; only graph marks change the position.
    void pass(Value v);
    const GraphPosition &position() const { return position_; }
    /// The innermost subgraph, as an entry of Function::subgraphs, or `outside`.
    uint32_t innermost() const { return open_.empty() ? outside : open_.back().subgraph; }
    static constexpr uint32_t outside = UINT32_MAX;

  private:
    struct Open {
        uint32_t subgraph;
        GraphPosition before; ///< the position outside of it
    };
    const Function &kernel_;
    std::vector<Open> open_;
    GraphPosition position_;
    int32_t levels_ = 0, checkpoints_ = 0, regions_ = 0, sections_ = 0; ///< begun so far; sections: in this region
};

} // namespace qd::ir
