#include "ir/graph.h"

namespace qd::ir {

void GraphWalk::pass(Value v) {
    const Inst &mark = kernel_[v];
    if (mark.op == Op::graph_end) {
        position_ = open_.back().before;
        open_.pop_back();
    }
    if (mark.op != Op::graph_begin) return;
    open_.push_back({uint32_t(mark.imm), position_});
    switch (kernel_.subgraphs[mark.imm].kind) {
    case Subgraph::Kind::do_while: position_.level = levels_++; return;
    case Subgraph::Kind::checkpoint: position_.checkpoint = checkpoints_++; return;
    case Subgraph::Kind::region:
        position_.region = regions_++;
        sections_ = 0;
        return;
    case Subgraph::Kind::section: position_.section = sections_++; return;
    }
}

} // namespace qd::ir
