#pragma once
// A field tree as the runtime wants it, from the places of its levels.
#include "abi/tree.h"
#include "ir/function.h"

#include <span>

namespace qd::engine {

/// `places` name members or levels of one tree; levels that none of them passes through are left out, as single empty
/// cells. Node numbers are those of the places.
abi::Tree describe_tree(std::span<const ir::Place> places);

} // namespace qd::engine
