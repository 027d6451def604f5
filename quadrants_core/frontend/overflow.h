#pragma once
// Integer arithmetic that reports overflows in debug mode.
#include "frontend/walk.h"

namespace qd::frontend {

ir::Value checked_arithmetic(Walk &w, ir::Op op, ir::Value x, ir::Value y);

} // namespace qd::frontend
