// Hoists loop-invariant instructions out of loops. One walk in program order moves each instruction out of all loops at once.
//
// Movable instructions cannot fail, so they are hoisted from anywhere in the body. A load is hoisted if
//  - its address is invariant, nothing in the loop may write there and, unless the memory is owned by the thread, the loop contains
//    no barrier, at which other threads' writes become visible,
//  - it executes in every iteration: it is in the body itself, after nothing that may leave the loop,
//  - the loop has at least one iteration: a `loop`, or a `for` whose bounds are constants. Any other `for` is put into a guard
//    `if lo < hi`, and the load, with the instructions that depend on it, in front of the loop inside the guard.
// With CompileFlag::reload loads stay.
// In a kernel that has not been split into tasks yet, nothing is hoisted out of a parallel loop: it would have to be passed between tasks.
//
// The level of a value is how far out it can be placed: 0 outside all loops, 2d in the body of the loop at depth d (the outermost
// is 1), 2d - 1 inside the guard of that loop.
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "passes/guard.h"
#include "passes/safepoints.h"
#include "passes/passes.h"
#include "passes/rename.h"
#include "passes/slots.h"

#include <algorithm>
#include <utility>

namespace qd::passes {

using ir::BlockId;
using ir::Function;
using ir::Op;
using ir::Value;

namespace {

constexpr uint32_t max_writes = 64; ///< compared one by one with a load; with more, the load stays

/// All accesses that write, in program order, and the range of those in each loop.
struct Writes {
    std::vector<analysis::Access> list;
    std::vector<std::pair<uint32_t, uint32_t>> range; ///< by value: the writes inside the instruction

    Writes(const Function &fn, const analysis::Memory &memory) : range(fn.insts.size()) {
        for (BlockId root : {fn.bounds, fn.body})
            if (root) collect(fn, memory, root);
    }
    void collect(const Function &fn, const analysis::Memory &memory, BlockId b) {
        for (Value v : fn[b].insts) {
            uint32_t begin = uint32_t(list.size());
            if (fn[v].op != Op::load)
                if (analysis::Access a = memory.access(v); a.pointer) list.push_back(a);
            for (BlockId child : fn[v].blocks)
                if (child) collect(fn, memory, child);
            range[v.id] = {begin, uint32_t(list.size())};
        }
    }
};

struct Frame {
    Value loop;
    BlockId body;
    bool runs = false; ///< has at least one iteration
    bool guardable = false;
    bool barrier = false; ///< nothing is hoisted out of it
    bool left = false;    ///< an earlier instruction of the iteration may leave the loop
    std::vector<Value> before, guarded;
};

struct Hoist {
    Function &fn;
    analysis::Memory memory;
    std::vector<uint8_t> effects;
    Writes writes;
    Rename rename;
    std::vector<uint32_t> levels;
    std::vector<Frame> frames;
    uint32_t lowest = 0; ///< level of the innermost barrier
    bool changed = false;

    explicit Hoist(Function &f)
        : fn(f), memory(f), effects(analysis::effects(f)), writes(f, memory), rename(f), levels(f.insts.size()) {}

    uint32_t here() const { return 2 * uint32_t(frames.size()); }
    uint32_t level(Value v) const { return v.id < levels.size() ? levels[v.id] : 0; }
    void set_level(Value v, uint32_t level) {
        if (v.id >= levels.size()) levels.resize(fn.insts.size());
        levels[v.id] = level;
    }
    uint32_t level_of_operands(Value v) const {
        uint32_t most = lowest;
        for (Value a : fn.args(v)) most = std::max(most, level(a));
        return most;
    }

    bool written(const Frame &frame, Value load) const {
        auto [begin, end] = writes.range[frame.loop.id];
        if (end - begin > max_writes) return true;
        analysis::Access access = memory.access(load);
        if ((effects[frame.loop.id] & analysis::syncs) && !memory.private_object(access.pointer)) return true;
        for (uint32_t i = begin; i < end; ++i)
            if (memory.overlap(access, writes.list[i]) != analysis::Overlap::never) return true;
        return false;
    }

    /// The level that a load in block `b` can move to.
    uint32_t load_level(Value v, BlockId b) const {
        uint32_t wanted = level_of_operands(v);
        uint32_t at = here();
        for (size_t d = frames.size(); d > 0; --d) {
            const Frame &frame = frames[d - 1];
            if (wanted > 2 * d - 1 || frame.left || frame.barrier) break;
            if (d == frames.size() && b != frame.body) break;
            if ((!frame.runs && !frame.guardable) || written(frame, v)) break;
            at = 2 * uint32_t(d) - (frame.runs ? 2 : 1);
            if (at < wanted) at = wanted;
            // Further out only if the loop itself is in the body of the enclosing loop.
            if (!frame.runs || d == 1 || !stands_in_body(d - 1)) break;
        }
        return at;
    }
    bool stands_in_body(size_t d) const { return frame_blocks[d] == frames[d - 1].body; }
    std::vector<BlockId> frame_blocks; ///< by depth: the block that contains the loop

    bool at_safepoint = false; ///< in the branch of a safepoint

    void run(BlockId b) {
        std::vector<Value> old = std::move(fn[b].insts);
        fn[b].insts.clear();
        fn[b].insts.reserve(old.size());
        for (Value v : old) {
            rename.apply(fn, v);
            uint32_t at = here();
            // Code at safepoints rarely executes; hoisted, it would execute in every iteration around.
            if (!at_safepoint && ir::is_movable(fn[v].op))
                at = std::min(at, level_of_operands(v));
            else if (!at_safepoint && fn[v].op == Op::load && !fn.has_flag(ir::CompileFlag::reload))
                at = load_level(v, b);
            set_level(v, at);
            if (at < here()) {
                Frame &frame = frames[at / 2];
                (at % 2 ? frame.guarded : frame.before).push_back(v);
                changed = true;
                continue;
            }
            if (is_loop(fn[v].op)) {
                loop(v, b);
            } else {
                const bool around = std::exchange(at_safepoint, at_safepoint || is_safepoint(fn, v));
                for (BlockId child : {fn[v].blocks[0], fn[v].blocks[1]})
                    if (child) run(child);
                at_safepoint = around;
                fn[b].insts.push_back(v);
            }
            for (Value r : fn.results(v)) set_level(r, here());
            if (!frames.empty() && (effects[v.id] & (analysis::jumps | analysis::leaves | analysis::endless)))
                frames.back().left = true;
        }
    }

    void loop(Value v, BlockId b) {
        Frame frame;
        frame.loop = v;
        frame.body = fn[v].blocks[0];
        frame.runs = certainly_runs(fn, v);
        frame.guardable = fn[v].op == Op::for_;
        frame.barrier = fn[v].op == Op::parallel && fn.role == ir::Role::kernel;
        frames.push_back(std::move(frame));
        frame_blocks.push_back(b);
        uint32_t outer = lowest;
        if (frames.back().barrier) lowest = here();
        for (Value p : fn[fn[v].blocks[0]].params) set_level(p, here());
        run(fn[v].blocks[0]);
        lowest = outer;
        Frame done = std::move(frames.back());
        frames.pop_back();
        frame_blocks.pop_back();
        std::vector<Value> &list = fn[b].insts;
        list.insert(list.end(), done.before.begin(), done.before.end());
        if (done.guarded.empty())
            list.push_back(v);
        else
            guard(v, b, done.guarded);
    }

    void guard(Value v, BlockId b, std::span<const Value> first) {
        Value branch = append_guarded(fn, b, v, first, {});
        for (size_t k = 0; k < fn[v].results.size; ++k) {
            rename.replace(fn.results(v)[k], fn.results(branch)[k]);
            set_level(fn.results(branch)[k], here());
        }
        set_level(fn.args(branch)[0], here());
    }
};

} // namespace

bool licm(Function &fn, const Config &) {
    Hoist h(fn);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) h.run(root);
    return h.changed;
}

} // namespace qd::passes
