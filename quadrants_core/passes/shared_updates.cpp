// A variable that a kernel declares before a parallel loop is stored in the tmp buffer (offload.cpp), shared by all threads. `v += x` is an
// atomic from the start; `v = v + x` is load, op, store. In the loop the latter becomes one atomic, if load and store are in one block with
// no other write to the variable in between and the loaded value has no other use.
#include "passes/shared_updates.h"

#include "analysis/effects.h"
#include "analysis/memory.h"
#include "analysis/uses.h"

#include <algorithm>
#include <array>

namespace qd::passes {

using namespace ir;
using analysis::Overlap;

namespace {

constexpr size_t largest_distance = 64; ///< maximum number of instructions between load and store

class Updates {
  public:
    explicit Updates(Function &fn)
        : fn_(fn), memory_(fn), uses_(analysis::use_counts(fn)), effects_(analysis::effects(fn)),
          dead_(fn.insts.size()) {}

    bool block(BlockId b) {
        bool changed = false;
        for (size_t i = 0; i < fn_[b].insts.size(); ++i) {
            Value v = fn_[b].insts[i];
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]) changed |= block(inner);
            if (fn_[v].op == Op::store && memory_.root(fn_.args(v)[0]) == analysis::Root::tmp) changed |= update(b, i);
        }
        if (changed) std::erase_if(fn_[b].insts, [&](Value v) { return dead_[v.id]; });
        return changed;
    }

  private:
    /// Tries to turn the store at position `at`, and the load and op before it, into one atomic.
    bool update(BlockId b, size_t at) {
        Value store = fn_[b].insts[at], result = fn_.args(store)[1];
        Op op = atomic_op(fn_[result].op == Op::sub ? Op::add : fn_[result].op);
        if (op == Op::param || uses_[result.id] != 1) return false;
        for (int side = 0; side < (fn_[result].op == Op::sub ? 1 : 2); ++side) {
            Value load = fn_.args(result)[size_t(side)], amount = fn_.args(result)[size_t(1 - side)];
            if (fn_[load].op != Op::load || uses_[load.id] != 1 || !reaches(b, at, load)) continue;
            std::array args{fn_.args(store)[0], amount};
            if (fn_[result].op == Op::sub) {
                fn_[result].op = Op::neg;
                fn_.set_args(result, std::array{amount});
                args[1] = result;
            }
            fn_[store].op = op;
            fn_[store].type = Type(fn_.type(args[0]).elem);
            fn_.set_args(store, args);
            dead_[load.id] = true;
            dead_[result.id] = args[1] != result;
            return true;
        }
        return false;
    }

    /// True if `load` is before position `at` of the block and reads what the store there overwrites, and nothing else writes in between.
    bool reaches(BlockId b, size_t at, Value load) const {
        const std::vector<Value> &list = fn_[b].insts;
        analysis::Access stored = memory_.access(list[at]);
        if (memory_.overlap(stored, memory_.access(load)) != Overlap::exact) return false;
        for (size_t i = at; i > 0 && at - i < largest_distance; --i) {
            Value v = list[i - 1];
            if (v == load) return true;
            if (!(effects_[v.id] & analysis::writes)) continue;
            analysis::Access other = memory_.access(v);
            if (!other.pointer || memory_.overlap(stored, other) != Overlap::never) return false;
        }
        return false;
    }

    Function &fn_;
    analysis::Memory memory_;
    std::vector<uint32_t> uses_;
    std::vector<uint8_t> effects_;
    std::vector<bool> dead_; ///< by value
};

} // namespace

bool shared_updates(Function &task) { return Updates(task).block(task.body); }

} // namespace qd::passes
