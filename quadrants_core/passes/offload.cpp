#include "passes/passes.h"

namespace qd::passes {

std::vector<ir::Function> offload(const ir::Function &kernel) { return {kernel}; }

}  // namespace qd::passes
