#include "analysis/ranges.h"

#include "abi/abi.h"

#include <algorithm>

namespace qd::analysis {
namespace {

using namespace ir;

class Reading {
  public:
    explicit Reading(const Function &task) : fn_(task) {}

    std::optional<abi::Range> range() {
        const std::vector<Value> &insts = fn_[fn_.bounds].insts;
        if (!std::ranges::all_of(insts, [&](Value v) { return is_plain(fn_[v].op); })) return {};
        const auto ends = fn_.args(insts.back());
        const auto begin = constant(ends[0]);
        if (!begin) return {};
        out_.begin = int64_t(*begin);
        return product(ends[1]) ? std::optional(out_) : std::nullopt;
    }

  private:
    static bool is_plain(Op op) {
        return op == Op::constant || op == Op::dim || op == Op::cast || op == Op::add || op == Op::mul ||
               op == Op::max || op == Op::yield;
    }

    std::optional<uint64_t> constant(Value v) const {
        return fn_[v].op == Op::constant ? std::optional(fn_[v].imm) : std::nullopt;
    }

    bool product(Value v) {
        if (fn_[v].op == Op::mul && fn_.type(v) == Type(Scalar::i64))
            return product(fn_.args(v)[0]) && product(fn_.args(v)[1]);
        if (out_.factors == abi::max_range_factors) return false;
        return factor(v, out_.factor[out_.factors++]);
    }

    bool factor(Value v, abi::RangeFactor &out) const {
        if (const auto known = constant(v)) {
            out.least = int64_t(*known);
            return true;
        }
        const auto most = taken_off(v, Op::max);
        if (!most) return false; // it has no lower bound
        out.least = int64_t(*most);
        if (const auto then = taken_off(v, Op::add)) out.then = int64_t(*then);
        if (fn_[v].op != Op::cast || fn_.type(v) != Type(Scalar::i64)) return false;
        v = fn_.args(v)[0];
        if (fn_.type(v) != Type(Scalar::i32)) return false;
        if (const auto first = taken_off(v, Op::add)) out.first = uint32_t(*first);
        return slot(v, out.slot);
    }

    /// If `v` is this op with a constant operand, returns the constant and sets `v` to the other operand.
    std::optional<uint64_t> taken_off(Value &v, Op op) const {
        if (fn_[v].op != op) return {};
        const Value left = fn_.args(v)[0], right = fn_.args(v)[1];
        if (const auto known = constant(right)) {
            v = left;
            return known;
        }
        const auto known = constant(left);
        if (known) v = right;
        return known;
    }

    /// Finds the slot of the launch's arguments that holds the number.
    bool slot(Value v, uint32_t &out) const {
        if (fn_[v].op == Op::dim) {
            const auto first = slot_of(fn_, fn_.args(v)[0]);
            if (first) out = abi::extent_slot(*first, uint32_t(fn_[v].imm));
            return first.has_value();
        }
        if (fn_[v].op == Op::cast && fn_.type(fn_.args(v)[0]) == Type(Scalar::i64)) v = fn_.args(v)[0];
        const auto first = slot_of(fn_, v);
        if (first) out = *first;
        return first.has_value();
    }

    const Function &fn_;
    abi::Range out_;
};

} // namespace

std::optional<abi::Range> range_of(const Function &task) { return Reading(task).range(); }

std::optional<uint32_t> slot_of(const Function &task, Value param) {
    uint32_t slot = 0;
    for (Value p : task.params) {
        if (p == param) return slot;
        const Type t = task.type(p);
        slot += abi::argument_slots(t.is_array(), t.ndim);
    }
    return std::nullopt;
}

} // namespace qd::analysis
