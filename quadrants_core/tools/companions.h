#pragma once
// Companions written down, a line for each function:  ; companions: @f 0=1 %0=%2
// Place 1 is the companion of place 0, array parameter 2 that of array parameter 0, both by number.
#include "autodiff/autodiff.h"

#include <string_view>

namespace qd::tools {

/// Those of `fn` in a text of functions; none if the text does not say. A mistake throws UserError.
autodiff::Companions read_companions(std::string_view text, const ir::Function &fn);

} // namespace qd::tools
