#pragma once
// Integer arithmetic that says in debug mode where it overflows.
#include "frontend/walk.h"

namespace qd::frontend {

ir::Value watched(Walk &w, ir::Op op, ir::Value x, ir::Value y);

} // namespace qd::frontend
