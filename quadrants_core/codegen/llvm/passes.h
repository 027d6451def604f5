#pragma once
// Compiles an LLVM module to machine code. Only this pair of files includes LLVM's pass and target headers.
#include "codegen/llvm/loader/loader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qd::codegen {

/// Must be called once, before any other function.
void start_llvm();
/// Runs one request from IR to output, with a context and a target machine of its own. Throws Refused.
std::vector<uint8_t> compile(const llvm_library::Request &request);
/// Returns the name and features of this machine, as LLVM spells them.
void host(std::string *cpu, std::string *features);

} // namespace qd::codegen
