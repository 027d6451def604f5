#pragma once
#include "ir/function.h"

namespace qd::passes {

/// In a range task, makes updates `v = v op x` of the kernel's own variables atomic, since all threads share them.
bool shared_updates(ir::Function &task);

} // namespace qd::passes
