#pragma once
// Loops that only add up: going backward, their carried values have one adjoint for all iterations, and nobody asks which
// iteration comes first.
#include "autodiff/activity.h"

#include "analysis/memory.h"

namespace qd::autodiff {

class Sums {
  public:
    Sums(const ir::Function &kernel, const Activity &activity);

    /// The serial loop hands its k-th carried value on as it is, or with something added, and does nothing else with it.
    bool is_sum(ir::Value loop, size_t k) const;
    /// Backward iterations give the same in any order, but for rounding.
    bool any_order(ir::Value loop) const;

  private:
    bool adds(ir::Value v, ir::Value carried, uint32_t &uses, int depth) const;
    struct Access {
        ir::Value pointer;
        bool writes = false;
    };
    bool gather(ir::BlockId block, std::vector<Access> &accesses) const;

    const ir::Function &fn_;
    const Activity &activity_;
    analysis::Memory memory_;
    std::vector<uint32_t> uses_; ///< by value
};

} // namespace qd::autodiff
