#pragma once
// What goes back through a stencil: a parallel loop whose iterations add to elements around their own becomes one whose
// iterations gather what all of them add to one element. No two threads meet there, so nothing is atomic, and lanes may
// run side by side.
//
//   for i in lo..hi:                   for m in lo + most .. hi + least:
//       x[i + c] += f_c(i) for each c      x[m] += f_c(m - c) for each c       (most, least: of all c)
//       y[i] = 0                  ->   for i near lo or hi:
//                                          x[i + c] += f_c(i) for each c, if that is not among these m
//                                      for i in lo..hi:
//                                          y[i] = 0
#include "ir/function.h"

namespace qd::autodiff {

/// `fn` is a kernel of which nothing is cut into tasks yet. Loops stay as they are where iterations are more than straight
/// code, would read what they add to, or cost more to repeat than atomics do.
void gather_sums(ir::Function &fn);

} // namespace qd::autodiff
