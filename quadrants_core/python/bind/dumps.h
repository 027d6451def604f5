#pragma once
// Kernels as text for the user: shows the forms that options and QD_DUMP_IR ask for while a kernel is compiled, and reads IR back for
// QD_LOAD_IR. The GIL is held; a Python error is thrown as frontend::PythonError.
#include "frontend/frontend.h"

namespace qd::bind {

/// Passes the requested forms to the package.
void show_forms(const ir::Function &kernel, const frontend::Source &source);

/// With QD_LOAD_IR: replaces the kernel by the edited version of the file that QD_DUMP_IR wrote, if the package finds one.
void take_edited(ir::Function &kernel);

} // namespace qd::bind
