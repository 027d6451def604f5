#pragma once
// A `for` behind a test that it runs at all, so that what every round needs may be done once, before or after it.
#include "ir/function.h"

namespace qd::passes {

/// At least one round, whatever the operands turn out to be.
bool certainly_runs(const ir::Function &fn, ir::Value loop);

/// Appends to block `b`:  if lo < hi { `before`; loop; `after` } with the loop's results, the initial values otherwise.
/// Returns the if; its results stand for those of the loop from here on.
ir::Value append_guarded(ir::Function &fn, ir::BlockId b, ir::Value loop, std::span<const ir::Value> before,
                         std::span<const ir::Value> after);

} // namespace qd::passes
