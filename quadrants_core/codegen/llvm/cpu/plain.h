#pragma once
// Operations in the instructions that LLVM's FastISel supports on x86.
#include "codegen/llvm/target.h"

namespace qd::codegen {

const PlainForms &plain_forms();

} // namespace qd::codegen
