#pragma once
// The text form of companions, one line per function:  ; companions: @f 0=1 %0=%2
// Place 1 is the companion of place 0, array parameter 2 that of array parameter 0, both by number.
#include "autodiff/autodiff.h"

#include <string_view>

namespace qd::tools {

/// Reads the companions of `fn` from a text of functions; none if it has no such line. Throws UserError on a mistake.
autodiff::Companions read_companions(std::string_view text, const ir::Function &fn);

} // namespace qd::tools
