#pragma once
// Compiles an LLVM module to machine code. Only this pair of files includes LLVM's pass and target headers.
#include "codegen/llvm/emit.h"
#include "codegen/llvm/loader/loader.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace llvm {
class Triple;
} // namespace llvm

namespace qd::codegen {

/// The differences between the libraries that contain this printer.
struct Targets {
    std::span<const char *const> switches; ///< for LLVM's command line, after the name of a program
    void (*initialize)();                  ///< registers the targets that are linked
    TargetFacts (*facts)(const llvm::Triple &triple, std::string_view features, bool optimize);
    /// Returns the name and features of this machine, as LLVM spells them; null: there is no code for it.
    void (*host)(std::string *cpu, std::string *features);
};

/// Must be called once, before any other function.
void start_llvm(const Targets &targets);
/// Runs one request from IR to output, with a context and a target machine of its own. Throws Refused.
std::vector<uint8_t> compile(const llvm_library::Request &request);
/// llvm_library::Library::compile: no exception leaves it.
bool compile_request(const llvm_library::Request &request, std::vector<uint8_t> *out, std::string *error);

} // namespace qd::codegen
