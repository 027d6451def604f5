#include "analysis/parts.h"

#include "analysis/walk.h"

#include <algorithm>

namespace qd::analysis {
namespace {

using namespace ir;

constexpr size_t large_block = 2'500; ///< smaller ones are not worth the calls
constexpr size_t wanted_size = 1'000;
constexpr size_t least_size = 200;

/// Decides whether an instruction may move to another function: it must not leave the task or a block around the one that is
/// split, allocate memory that outlives it, or use the chunk that the task was called with.
class Movable {
  public:
    explicit Movable(const Function &fn) : fn_(fn) {}

    /// Returns the number of instructions; 0 if they may not move.
    size_t size(Value v) const {
        size_t sum = 0;
        return moves(v, 0, sum) ? sum : 0;
    }

  private:
    bool moves(Value v, int loops, size_t &sum) const {
        sum++;
        const Inst &in = fn_[v];
        for (Op stays : {Op::chunk_begin, Op::chunk_end, Op::local, Op::reserve, Op::safepoint, Op::left_early, Op::ret,
                         Op::exit, Op::fail, Op::print})
            if (in.op == stays) return false;
        if (in.op == Op::if_ && fn_[fn_.args(v)[0]].op == Op::safepoint)
            return false; // may be hoisted out of its block
        if (in.op == Op::break_ || in.op == Op::continue_) return loops > 0;
        if (family(in.op) == Family::control && in.op != Op::if_) {
            if (fn_.loops.at(in.imm).interruptible || fn_.loops.at(in.imm).flushes) return false;
            loops++;
        }
        for (BlockId block : in.blocks)
            if (block)
                for (Value inner : fn_[block].insts)
                    if (!moves(inner, loops, sum)) return false;
        return true;
    }

    const Function &fn_;
};

/// Finds the values that cross between parts, and assigns their offsets in the frame.
class Crossings {
  public:
    Crossings(const Function &fn, BlockId block, Parts &parts) : fn_(fn), parts_(parts), home_(fn.insts.size()) {
        for (size_t i = 0; i < parts.list.size(); i++)
            for (size_t at = parts.list[i].begin; at < parts.list[i].end; at++)
                settle(fn[block].insts[at], uint32_t(i + 1));
        for (Value v : fn.params) home_[v.id] = anywhere;
        analysis::walk(fn, [this](Value v) { use(v); });
    }

  private:
    static constexpr uint32_t anywhere = UINT32_MAX;

    void settle(Value v, uint32_t part) {
        home_[v.id] = fn_[v].op == Op::constant ? anywhere : part;
        inside_.resize(fn_.insts.size());
        inside_[v.id] = part;
        for (Value result : fn_.results(v)) home_[result.id] = part;
        for (BlockId block : fn_[v].blocks) {
            if (!block) continue;
            for (Value param : fn_[block].params) home_[param.id] = part;
            for (Value inner : fn_[block].insts) settle(inner, part);
        }
    }

    void use(Value v) {
        const uint32_t here = inside_[v.id];
        for (Value used : fn_.args(v)) {
            const uint32_t home = home_[used.id];
            if (!used || home == here || home == anywhere || fn_[used].op == Op::constant) continue;
            const uint64_t at = place(used, home);
            (here ? parts_.list[here - 1].takes : parts_.list[home - 1].shows).push_back({used, at});
        }
    }

    uint64_t place(Value v, uint32_t home) {
        places_.resize(fn_.insts.size(), none);
        uint64_t &at = places_[v.id];
        if (at != none) return at;
        const Type type = fn_.type(v);
        const uint64_t bytes = type.is_pointer() ? 8 : uint64_t(size_of(type.elem)) * uint64_t(type.lanes);
        at = parts_.frame_bytes;
        parts_.frame_bytes += (bytes + 7) / 8 * 8;
        if (home) parts_.list[home - 1].leaves.push_back({v, at});
        return at;
    }

    static constexpr uint64_t none = UINT64_MAX;
    const Function &fn_;
    Parts &parts_;
    std::vector<uint32_t> home_;   ///< by Value id: the part that defines it, from 1 on; 0: none
    std::vector<uint32_t> inside_; ///< by Value id: the part that contains the instruction
    std::vector<uint64_t> places_; ///< by Value id
};

} // namespace

Parts parts_of(const Function &fn, BlockId block) {
    const std::vector<Value> &insts = fn[block].insts;
    if (insts.size() < large_block) return {};
    const Movable movable(fn);
    Parts parts;
    size_t begin = 0, sum = 0;
    const auto close = [&](size_t end) {
        if (sum >= least_size) parts.list.push_back({begin, end, {}, {}, {}});
        begin = end;
        sum = 0;
    };
    for (size_t i = 0; i + 1 < insts.size(); i++) {
        const size_t size = movable.size(insts[i]);
        if (size == 0) {
            close(i);
            begin = i + 1;
        } else if ((sum += size) >= wanted_size) {
            close(i + 1);
        }
    }
    close(insts.size() - 1);
    if (parts.list.size() < 2) return {};
    Crossings(fn, block, parts);
    for (Part &part : parts.list)
        for (auto *list : {&part.takes, &part.shows}) {
            std::ranges::sort(*list);
            const auto rest = std::ranges::unique(*list);
            list->erase(rest.begin(), rest.end());
        }
    return parts;
}

} // namespace qd::analysis
