#pragma once
// Where the instructions of a kernel's top level stand among its subgraphs.
#include "ir/function.h"

#include <vector>

namespace qd::ir {

inline bool is_graph_mark(Op op) { return op == Op::graph_begin || op == Op::graph_end; }

/// Follows the top level of a kernel that is well formed, instruction by instruction.
class GraphWalk {
  public:
    explicit GraphWalk(const Function &kernel) : kernel_(kernel) {}

    /// Goes past `v`; only marks change anything.
    void pass(Value v);
    const GraphPosition &position() const { return position_; }
    /// The innermost subgraph, as an entry of Function::subgraphs, or `outside`.
    uint32_t innermost() const { return open_.empty() ? outside : open_.back().subgraph; }
    static constexpr uint32_t outside = UINT32_MAX;

  private:
    struct Open {
        uint32_t subgraph;
        GraphPosition before; ///< the position around it
    };
    const Function &kernel_;
    std::vector<Open> open_;
    GraphPosition position_;
    int32_t levels_ = 0, checkpoints_ = 0, regions_ = 0, sections_ = 0; ///< begun so far; sections: of the region
};

} // namespace qd::ir
