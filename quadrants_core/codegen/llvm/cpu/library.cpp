// Defines the only symbol of libquadrants_llvm.so.
#include "codegen/llvm/cpu/forms.h"
#include "codegen/llvm/cpu/frame.h"
#include "codegen/llvm/cpu/plain.h"
#include "codegen/llvm/cpu/shared_updates.h"
#include "codegen/llvm/cpu/x86.h"
#include "codegen/llvm/linked_targets.h"
#include "codegen/llvm/passes.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

namespace {

using namespace qd::codegen;

/// The switches apply to this library's own, hidden copy of LLVM. Each of these passes takes up to a few percent of the time of
/// code generation and gains nothing on kernels.
constexpr const char *switches[] = {"quadrants",
                                    "-enable-misched=false",
                                    "-disable-lsr",
                                    "-disable-machine-cse",
                                    "-disable-machine-licm",
                                    "-disable-cgp",
                                    "-disable-early-taildup",
                                    "-disable-post-ra",
                                    "-disable-constant-hoisting",
                                    "-disable-copyprop",
                                    "-disable-machine-dce",
                                    "-disable-machine-sink",
                                    "-enable-shrink-wrap=false",
                                    "-fixup-byte-word-insts=false",
                                    "-x86-machine-combiner=false"};

TargetFacts facts(const llvm::Triple &triple, std::string_view features, bool optimize) {
    TargetFacts facts = triple.isX86() ? x86_facts(features) : TargetFacts{};
    if (!optimize) facts.plain = &plain_forms();
    facts.make_frame = make_cpu_frame;
    facts.make_forms = make_cpu_forms;
    facts.make_updates = make_shared_updates;
    return facts;
}

void host(std::string *cpu, std::string *features) {
    *cpu = llvm::sys::getHostCPUName().str();
    features->clear();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
        *features += (features->empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
}

constexpr Targets targets = {switches, initialize_linked_targets, facts, host};

constexpr llvm_library::Library library = {qd::abi::version, LLVM_VERSION_STRING, compile_request, host};

} // namespace

/// Called once, under the lock of loader.cpp, so that no thread uses LLVM half initialised.
extern "C" __attribute__((visibility("default"))) const llvm_library::Library *qd_llvm_library() {
    start_llvm(targets);
    return &library;
}
