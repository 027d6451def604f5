// Defines the only symbol of libquadrants_llvm.so. No exception leaves the library.
#include "codegen/llvm/emit.h"
#include "codegen/llvm/passes.h"

#include <llvm/Config/llvm-config.h>

namespace {

using namespace qd::codegen;

bool compile_request(const llvm_library::Request &request, std::vector<uint8_t> *out, std::string *error) {
    try {
        *out = compile(request);
        return true;
    } catch (const std::exception &problem) {
        *error = problem.what();
        return false;
    }
}

constexpr llvm_library::Library library = {qd::abi::version, LLVM_VERSION_STRING, compile_request, host};

} // namespace

/// Called once, under the lock of loader.cpp, so that no thread uses LLVM half initialised.
extern "C" __attribute__((visibility("default"))) const llvm_library::Library *qd_llvm_library() {
    start_llvm();
    return &library;
}
