#include "python/bind/short_kernels.h"

#include "ir/eval.h"
#include "python/bind/plan.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

namespace qd::bind {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

std::optional<int64_t> constant_bound(const ir::Function &fn, ir::Value v) {
    const ir::Inst &inst = fn[v];
    if (inst.op != ir::Op::constant) return std::nullopt;
    return ir::to_int({inst.type.elem, inst.imm});
}

/// Returns the maximum trip count of a loop if all arrays together have `small_bytes`.
double max_trips(const ir::Function &fn, const ir::Inst &loop) {
    const std::span<const ir::Value> args = fn.list(loop.args);
    const size_t bounds = loop.op == ir::Op::for_ ? 2 : args.size();
    double trips = 1;
    ir::Value array; // the product of its extents is at most its number of elements
    uint64_t axes = 0;
    for (size_t i = 0; i + 1 < bounds; i += 2) {
        const std::optional<int64_t> first = constant_bound(fn, args[i]), end = constant_bound(fn, args[i + 1]);
        if (!first) return unbounded;
        if (end) {
            trips *= std::max(0.0, double(*end) - double(*first));
            continue;
        }
        const ir::Inst *extent = &fn[args[i + 1]];
        if (extent->op == ir::Op::cast) extent = &fn[fn.list(extent->args)[0]];
        if (extent->op != ir::Op::dim || *first < 0) return unbounded;
        const ir::Value of = fn.list(extent->args)[0];
        const uint64_t axis = uint64_t(1) << (extent->imm & 63);
        if (array && (of != array || (axes & axis))) return unbounded;
        if (!array) trips *= double(small_bytes) / double(ir::size_of(fn.type(of).elem));
        array = of;
        axes |= axis;
    }
    return trips;
}

/// Returns the maximum number of instructions that a block executes.
double max_work(const ir::Function &fn, ir::BlockId block) {
    double work = 0;
    for (const ir::Value v : fn[block].insts) {
        const ir::Inst &inst = fn[v];
        if (inst.op == ir::Op::print || inst.op == ir::Op::assert_ || inst.op == ir::Op::external) return unbounded;
        if (!ir::owns_block(inst.op)) {
            work += 1;
            continue;
        }
        switch (ir::ControlOp(inst.op)) {
        case ir::ControlOp::loop: return unbounded;
        case ir::ControlOp::for_:
        case ir::ControlOp::parallel: {
            const double trips = max_trips(fn, inst);
            work += trips > 0 ? trips * max_work(fn, inst.blocks[0]) : 1;
            break;
        }
        case ir::ControlOp::if_: work += max_work(fn, inst.blocks[0]) + max_work(fn, inst.blocks[1]); break;
        }
    }
    return work;
}

} // namespace

bool is_short_running(const ir::Function &fn) {
    constexpr double most = 1 << 17; // instructions
    const auto is_level = [](const ir::Subgraph &part) { return part.kind == ir::Subgraph::Kind::do_while; };
    return std::ranges::none_of(fn.subgraphs, is_level) && max_work(fn, fn.body) <= most;
}

} // namespace qd::bind
