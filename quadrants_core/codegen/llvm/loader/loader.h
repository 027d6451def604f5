#pragma once
// The interface of libquadrants_llvm.so, and of libquadrants_llvm_gpu.so for devices. Callers need no LLVM headers, and a library is loaded
// only when something must be compiled.
#include "abi/abi.h"
#include "ir/function.h"

#include <string>

namespace qd::codegen::llvm_library {

enum class Output : uint8_t { object, given_text, ir_text, assembly }; ///< texts: IR before and after LLVM's passes

struct Request {
    const ir::Function *task = nullptr; ///< after legalisation
    std::string triple;                 ///< empty: the host
    std::string cpu, features;          ///< empty: the host's; code for devices needs `cpu`
    bool optimize = true;               ///< false: fastest code generation
    Output output = Output::object;
    SpanQuery *query = nullptr; ///< null: none; the code is the same
};

/// The one symbol of the library: `extern "C" const Library *qd_llvm_library()`.
struct Library {
    uint32_t abi_version;
    const char *llvm_version;
    /// Thread-safe. Returns false and a message in `error` if LLVM refuses.
    bool (*compile)(const Request &request, std::vector<uint8_t> *out, std::string *error);
    /// Returns the name and features of this machine, as LLVM spells them; null in the library for devices.
    void (*host)(std::string *cpu, std::string *features);
};

enum class File : uint8_t { host, devices };
/// Loads a library on first use (thread-safe). If it is missing, throws InternalError with the path and the loader's message.
const Library &open(File file = File::host);
/// True if the library for the host is open.
bool is_open();
/// Sets the directory of the libraries; default: that of the file that holds this code.
void set_directory(const std::string &directory);

} // namespace qd::codegen::llvm_library
