#include "analysis/launch_range.h"

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
        out_.begin = *begin;
        return product(ends[1]) ? std::optional(out_) : std::nullopt;
    }

  private:
    static bool is_plain(Op op) {
        return op == Op::constant || op == Op::dim || op == Op::cast || op == Op::add || op == Op::mul ||
               op == Op::sub || op == Op::max || op == Op::yield;
    }

    /// Also of a constant that is not folded.
    std::optional<int64_t> constant(Value v) const {
        if (fn_[v].op == Op::cast && fn_.type(v) == Type(Scalar::i64)) v = fn_.args(v)[0];
        if (fn_[v].op != Op::constant) return {};
        const Type type = fn_.type(v);
        if (type == Type(Scalar::i32)) return int32_t(uint32_t(fn_[v].imm));
        return type == Type(Scalar::i64) ? std::optional(int64_t(fn_[v].imm)) : std::nullopt;
    }

    bool product(Value v) {
        if (fn_[v].op == Op::mul && fn_.type(v) == Type(Scalar::i64))
            return product(fn_.args(v)[0]) && product(fn_.args(v)[1]);
        if (out_.factors == abi::max_range_factors) return false;
        return factor(v, out_.factor[out_.factors++]);
    }

    bool factor(Value v, abi::RangeFactor &out) const {
        if (const auto known = constant(v)) {
            out.least = *known;
            return true;
        }
        const auto least = taken_off(v, Op::max);
        if (!least) return false; // it has no lower bound
        out.least = *least;
        if (const auto then = margin(v)) out.then = *then;
        if (const auto known = constant(v)) {
            out.least = std::max(out.least, int64_t(uint64_t(*known) + uint64_t(out.then)));
            return true;
        }
        if (fn_[v].op != Op::cast || fn_.type(v) != Type(Scalar::i64)) return false;
        v = fn_.args(v)[0];
        if (fn_.type(v) != Type(Scalar::i32)) return false;
        if (const auto first = margin(v)) out.first = uint32_t(*first);
        return slot(v, out.slot);
    }

    /// If `v` is this op with a constant operand, returns the constant and sets `v` to the other operand.
    std::optional<int64_t> taken_off(Value &v, Op op) const {
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

    /// The same for a constant that is added, or subtracted.
    std::optional<int64_t> margin(Value &v) const {
        if (fn_[v].op != Op::sub) return taken_off(v, Op::add);
        const auto known = constant(fn_.args(v)[1]);
        if (!known) return {};
        v = fn_.args(v)[0];
        return int64_t(0 - uint64_t(*known));
    }

    /// Finds the slot of the launch's arguments that holds the number.
    bool slot(Value v, uint32_t &out) const {
        if (fn_[v].op == Op::dim) {
            out = abi::extent_slot(*slot_of(fn_, fn_.args(v)[0]), uint32_t(fn_[v].imm));
            return true;
        }
        if (fn_[v].op == Op::cast && fn_.type(fn_.args(v)[0]) == Type(Scalar::i64)) v = fn_.args(v)[0];
        if (fn_[v].op != Op::param) return false;
        out = *slot_of(fn_, v);
        return true;
    }

    const Function &fn_;
    abi::Range out_;
};

} // namespace

std::optional<uint32_t> slot_of(const Function &task, Value param) {
    uint32_t slot = 0;
    for (const Value p : task.params) {
        if (p == param) return slot;
        slot += abi::argument_slots(task.type(p).is_array(), task.type(p).ndim);
    }
    return std::nullopt;
}

uint32_t slots_of(const Function &task) {
    uint32_t slots = 0;
    for (const Value p : task.params) slots += abi::argument_slots(task.type(p).is_array(), task.type(p).ndim);
    return slots;
}

std::optional<abi::Range> launch_range(const Function &task) {
    return task.bounds ? Reading(task).range() : std::nullopt;
}

bool has_launch_range(const Function &kernel, std::span<const Value> ends) {
    if (ends.size() > size_t(2 * abi::max_range_factors)) return false;
    const auto is_constant = [&](Value v) { return kernel[v].op == Op::constant; };
    const auto is_number = [&](Value v) {
        return kernel.type(v) == Type(Scalar::i32) && (kernel[v].op == Op::dim || kernel[v].op == Op::param);
    };
    const auto is_end = [&](Value v) {
        const bool has_margin = kernel[v].op == Op::add || kernel[v].op == Op::sub;
        return is_constant(v) || is_number(v) ||
               (has_margin && is_number(kernel.args(v)[0]) && is_constant(kernel.args(v)[1]));
    };
    for (size_t axis = 0; axis < ends.size(); axis += 2)
        if (!is_constant(ends[axis]) || !is_end(ends[axis + 1])) return false;
    return true;
}

} // namespace qd::analysis
