#pragma once
// Backward pass through a stencil: a parallel loop whose iterations add to elements around their own (scatter) becomes one whose
// iterations collect all contributions to one element (gather). No two threads access the same element, so nothing is atomic, and the
// loop can become SIMD.
//
//   for i in lo..hi:                   for m in lo + most .. hi + least:
//       x[i + c] += f_c(i) for each c      x[m] += f_c(m - c) for each c       (most, least: of all c)
//       y[i] = 0                  ->   for i near lo or hi:
//                                          x[i + c] += f_c(i) for each c, unless i + c is among these m
//                                      for i in lo..hi:
//                                          y[i] = 0
#include "ir/function.h"

namespace qd::autodiff {

/// `fn` is a kernel that has not been split into tasks yet. Loops stay as they are if iterations are not straight-line code, would read
/// memory that they add to, or cost more to recompute than the atomics do.
void gather_reductions(ir::Function &fn);

} // namespace qd::autodiff
