#pragma once
// Builds the runtime's description of a field tree from the places of its levels.
#include "abi/tree.h"
#include "ir/function.h"

#include <span>

namespace qd::engine {

/// `places` name members or levels of one tree. Levels that none of them passes through become single empty cells. Node numbers are those
/// of the places.
abi::Tree describe_tree(std::span<const ir::Place> places);

} // namespace qd::engine
