#pragma once
// Features of x86 beyond portable LLVM instructions.
#include "codegen/llvm/target.h"

#include <string_view>

namespace qd::codegen {

/// `features` as LLVM lists them: "+avx2,-avx512f,...".
TargetFacts x86_facts(std::string_view features);

} // namespace qd::codegen
