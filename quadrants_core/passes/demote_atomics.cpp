#include "passes/passes.h"

namespace qd::passes {

bool demote_atomics(ir::Function &, const Config &) { return false; }

}  // namespace qd::passes
