#pragma once
// Integers of which only the sum over all lanes is used.
#include "ir/function.h"

#include <vector>

namespace qd::passes {

class Planner;

/// True for a cast of a u1, or a 32-bit sum that adds one: the pattern in which count_predicates counts branches.
bool counts_branch(const ir::Function &fn, ir::Value v);

/// Two kinds of carried integers are one scalar for all lanes:
///  - A total: a 64-bit integer in a divergent inner loop that starts at 0 and only changes by `add`. Its result is only added to
///    reductions of the enclosing loop. Masked contributions are added as popcounts.
///  - A reduction of the loop to be vectorised that only adds uniform values, conditions, and totals.
class Totals {
  public:
    Totals(const ir::Function &fn, const std::vector<uint32_t> &uses) : fn_(fn), uses_(uses), marks_(fn.insts.size()) {}

    /// Finds totals in `loop`, which is directly in `around`, the body of the loop to be vectorised.
    void find(ir::Value loop, ir::BlockId around);
    void forget();
    /// Finds scalar reductions of `loop`, which the planner found fit to be vectorised.
    void find_sums(ir::Value loop, const Planner &planner);
    /// True if the value is part of a total: it has no lanes.
    bool has(ir::Value v) const { return mark(v) == way || mark(v) == bit; }
    /// True for the result of a total.
    bool is_result(ir::Value v) const { return mark(v) == result; }
    /// True for the value of a reduction between the start and the end of an iteration.
    bool is_sum(ir::Value v) const { return mark(v) == sum_way; }
    /// True for the cast of a u1 that is only added to a reduction.
    bool is_sum_bit(ir::Value v) const { return mark(v) == sum_bit; }
    /// The values added to a total since the iteration began, up to a given value of it. A u1 counts as 0 or 1.
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
    std::vector<uint32_t> marked_, seen_; ///< seen_: uses found of the values of the current total
};

} // namespace qd::passes
