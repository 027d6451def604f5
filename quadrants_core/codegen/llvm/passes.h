#pragma once
// LLVM module -> machine code: the only file pair that sees LLVM's pass and target headers.
#include "codegen/llvm/door/door.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qd::codegen {

/// Before any other call, once.
void start_llvm();
/// The whole way of one request, on this thread's own context and target machine. Throws Refused.
std::vector<uint8_t> compile(const llvm_door::Request &request);
/// Name and features of this machine, in LLVM's words.
void host(std::string *cpu, std::string *features);

} // namespace qd::codegen
