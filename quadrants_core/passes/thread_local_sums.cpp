#include "passes/passes.h"

namespace qd::passes {

bool thread_local_sums(ir::Function &, const Config &) { return false; }

}  // namespace qd::passes
