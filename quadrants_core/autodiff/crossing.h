#pragma once
// Detects parallel loops in which iterations read memory that others write: the backward pass could not order them.
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// Throws UserError if a parallel loop stores to memory with a companion and loads from it, both at indices that depend on the loop index,
/// and these differ. Indices are compared syntactically; nested loops are not analysed.
void refuse_crossing(const ir::Function &kernel, const Companions &companions);

} // namespace qd::autodiff
