#pragma once
// The door to LLVM: what libquadrants_llvm.so offers. No LLVM header is needed to call it, and the library is opened
// only when something must be compiled.
#include "abi/abi.h"
#include "ir/function.h"

#include <string>

namespace qd::codegen::llvm_door {

enum class Output : uint8_t { object, given_text, ir_text, assembly }; ///< IR before and after LLVM's passes

struct Request {
    const ir::Function *task = nullptr; ///< after legalisation
    std::string triple;                 ///< empty: the host
    std::string cpu, features;          ///< empty: the host's
    bool optimize = true;               ///< false: fastest code generation
    Output output = Output::object;
    bool lines = false; ///< with a DWARF line table whose line numbers are spans; the code is the same
};

/// The one symbol of the library: `extern "C" const Library *qd_llvm_library()`.
struct Library {
    uint32_t abi_version;
    const char *llvm_version;
    /// Thread-safe. Returns false and a message in `error` if LLVM refuses.
    bool (*compile)(const Request &request, std::vector<uint8_t> *out, std::string *error);
    /// Name and features of this machine, as LLVM knows it.
    void (*host)(std::string *cpu, std::string *features);
};

/// Opens the library on first use (thread-safe); InternalError with the path tried and the loader's words if it is
/// missing.
const Library &open();
bool is_open();
/// Where to look; default: beside the file that holds this code.
void set_directory(const std::string &directory);

} // namespace qd::codegen::llvm_door
