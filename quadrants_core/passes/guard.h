#pragma once
// A guarded `for`: a test that it has at least one iteration, so that work of every iteration may be done once, before or after it.
#include "ir/function.h"

namespace qd::passes {

/// True if the loop has at least one iteration, whatever its operands are at run time.
bool certainly_runs(const ir::Function &fn, ir::Value loop);

/// Appends to block `b`:  if lo < hi { `before`; loop; `after` }. The if yields the loop's results, or else the initial values. Returns the
/// if, whose results replace those of the loop.
ir::Value append_guarded(ir::Function &fn, ir::BlockId b, ir::Value loop, std::span<const ir::Value> before,
                         std::span<const ir::Value> after);

} // namespace qd::passes
