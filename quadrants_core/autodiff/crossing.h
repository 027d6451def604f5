#pragma once
// Iterations of a parallel loop that read what others write: going backward, nobody could say in which order.
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// Throws UserError if a parallel loop stores to memory with a companion and loads from it, both at indices that depend on the
/// loop's, and these differ. Indices are compared as they are written; what stands in loops inside is not looked at.
void refuse_crossing(const ir::Function &kernel, const Companions &companions);

} // namespace qd::autodiff
