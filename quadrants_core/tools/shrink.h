#pragma once
// Shrinks a function that shows a fault while it still shows it.
#include "tools/execute.h"

#include <functional>

namespace qd::tools {

/// True if the (well-formed) function shows the fault. An exception counts as false.
using Shows = std::function<bool(const ir::Function &)>;

/// Tries deletions, and replacements of values by others or by zero, branches by one side, loops by one iteration, until no
/// replacement preserves the fault or the time is up. Parameters stay, so that the inputs fit.
ir::Function shrink(const ir::Function &fn, const Shows &shows, double seconds = 60);

/// Writes a .qir test file with this run and returns its path.
std::string write_case(const std::string &name, const ir::Function &fn, const Inputs &inputs, const std::string &why);

} // namespace qd::tools
