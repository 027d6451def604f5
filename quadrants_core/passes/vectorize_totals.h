#pragma once
// Counts that only their sum over all lanes is asked of.
#include "ir/function.h"

#include <vector>

namespace qd::passes {

/// In an inner loop that lanes leave one by one, a carried 64-bit integer that starts at 0, only gains by `add`, and
/// whose result only joins sums of the loop around: one scalar for all lanes does, which gains popcounts of masks.
class Totals {
  public:
    Totals(const ir::Function &fn, const std::vector<uint32_t> &uses) : fn_(fn), uses_(uses), marks_(fn.insts.size()) {}

    /// Looks for them in `loop`, which stands directly in `around`, the body of the loop to be vectorised.
    void find(ir::Value loop, ir::BlockId around);
    void forget();
    /// The value is part of a total: it has no lanes.
    bool has(ir::Value v) const { return v.id < marks_.size() && marks_[v.id]; }
    /// What a value on the way of a total gained since the round began. A u1 counts as 0 or 1.
    std::vector<ir::Value> gains(ir::Value v) const;

  private:
    enum Mark : uint8_t { none, way, bit }; ///< bit: the cast of a u1 that is added
    bool body(ir::BlockId b, ir::Value loop, size_t slot, std::vector<ir::Value> &ways);
    bool joins_sums(ir::Value result, ir::BlockId around) const;

    const ir::Function &fn_;
    const std::vector<uint32_t> &uses_;
    std::vector<uint8_t> marks_;
    std::vector<uint32_t> marked_, seen_; ///< seen_: uses found of the ways of the total that is being looked at
};

} // namespace qd::passes
