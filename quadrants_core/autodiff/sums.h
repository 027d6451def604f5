#pragma once
// Loops that are reductions: in the backward pass, their carried values have one adjoint for all iterations, and the order of iterations is
// irrelevant.
#include "autodiff/activity.h"

#include "analysis/memory.h"

namespace qd::autodiff {

class Sums {
  public:
    Sums(const ir::Function &kernel, const Activity &activity);

    /// True if the serial loop only adds to its k-th carried value, or passes it unchanged, and does not use it otherwise.
    bool is_sum(ir::Value loop, size_t k) const;
    /// True if backward iterations give the same result in any order, except for rounding.
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
