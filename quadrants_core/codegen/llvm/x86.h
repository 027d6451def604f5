#pragma once
// What x86 has that portable LLVM instructions do not say.
#include "codegen/llvm/emit.h"

#include <string_view>

namespace qd::codegen {

/// `features` as LLVM lists them: "+avx2,-avx512f,...".
TargetFacts x86_facts(std::string_view features);

} // namespace qd::codegen
