#pragma once
// Kernels as text, for people: what options and QD_DUMP_IR show of a kernel that is compiled, and what QD_LOAD_IR takes
// back. GIL held; a Python error is thrown as frontend::PythonError.
#include "frontend/frontend.h"

namespace qd::bind {

/// Hands the forms that are asked for to the package.
void show_forms(const ir::Function &kernel, const frontend::Source &source);

/// Under QD_LOAD_IR: the kernel as somebody edited what QD_DUMP_IR wrote of it, where the package finds such a file.
void take_edited(ir::Function &kernel);

} // namespace qd::bind
