#pragma once
// Forms of code for processors of hosts: groups of interleaved accesses, and large blocks as functions.
#include "codegen/llvm/task_code.h"
#include "codegen/llvm/task_frame.h"

namespace qd::codegen {

std::unique_ptr<OwnForms> make_cpu_forms(TaskCode &code);

} // namespace qd::codegen
