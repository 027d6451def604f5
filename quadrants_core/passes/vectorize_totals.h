#pragma once
// Counts that only their sum over all lanes is asked of.
#include "ir/function.h"

#include <vector>

namespace qd::passes {

class Planner;

/// A u1 as a number, or a 32-bit sum that gains one: so count_predicates counts branches.
bool counts_branch(const ir::Function &fn, ir::Value v);

/// Two kinds of carried integers are one scalar for all lanes:
///  - A total: in an inner loop that lanes leave one by one, a 64-bit integer that starts at 0 and only gains by `add`.
///    Its result only joins sums of the loop around. It gains popcounts of masks.
///  - A sum of the loop to be vectorised that only gains the same in all lanes, conditions, and totals.
class Totals {
  public:
    Totals(const ir::Function &fn, const std::vector<uint32_t> &uses) : fn_(fn), uses_(uses), marks_(fn.insts.size()) {}

    /// Looks for them in `loop`, which stands directly in `around`, the body of the loop to be vectorised.
    void find(ir::Value loop, ir::BlockId around);
    void forget();
    /// Looks for sums of `loop`, which the planner found fit to be vectorised.
    void find_sums(ir::Value loop, const Planner &planner);
    /// The value is part of a total: it has no lanes.
    bool has(ir::Value v) const { return mark(v) == way || mark(v) == bit; }
    /// The result of a total.
    bool is_result(ir::Value v) const { return mark(v) == result; }
    /// The value is a sum on its way from the start of the round to its end.
    bool is_sum(ir::Value v) const { return mark(v) == sum_way; }
    /// The cast of a u1 that nothing but a sum gains.
    bool is_sum_bit(ir::Value v) const { return mark(v) == sum_bit; }
    /// What a value on the way of a total gained since the round began. A u1 counts as 0 or 1.
    std::vector<ir::Value> gains(ir::Value v) const;

  private:
    enum Mark : uint8_t { none, way, bit, result, sum_way, sum_bit }; ///< bits: the cast of a u1 that is added
    Mark mark(ir::Value v) const { return v.id < marks_.size() ? marks_[v.id] : none; }
    void set(ir::Value v, Mark m) {
        marks_[v.id] = m;
        marked_.push_back(v.id);
    }
    bool is_bit(ir::Value v) const;
    bool sum_ways(ir::BlockId b, bool top, size_t slot, const Planner &planner, std::vector<ir::Value> &ways);
    bool body(ir::BlockId b, ir::Value loop, size_t slot, std::vector<ir::Value> &ways);
    bool joins_sums(ir::Value result, ir::BlockId around) const;

    const ir::Function &fn_;
    const std::vector<uint32_t> &uses_;
    std::vector<Mark> marks_;
    std::vector<uint32_t> marked_, seen_; ///< seen_: uses found of the ways of the total that is being looked at
};

} // namespace qd::passes
