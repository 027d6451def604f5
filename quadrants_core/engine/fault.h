#pragma once
// A task that touched memory outside of all arrays, or divided by zero: what is said of it, and where in the source it
// was. The code carries no lines. When a fault asks, the kernel is compiled once more, with lines, and the place is
// read off if the code came out the same.
#include "engine/program.h"
#include "runtime/faults.h"

namespace qd::engine {

struct __attribute__((visibility("default"))) KernelFault : UserError {
    size_t task = 0;           ///< which task of the kernel
    uint32_t line = 0;         ///< where its loop stands
    std::vector<uint8_t> code; ///< that ran
    uint64_t offset = 0;       ///< of the instruction in it
    using UserError::UserError;
};

/// If faults are watched at all: also those whose signals somebody took since.
void keep_watching_faults();

/// Has what is said of a process that kernels ended (runtime/last_words.h) told to `listener`, too. Who ends the process in
/// a handler of his own calls the function that is returned first.
using Explain = void (*)();
Explain tell_last_words_to(void (*listener)(const char *text, size_t size));

/// Without its place. `earlier`: of a launch whose call has returned.
KernelFault describe_fault(const std::string &kernel, const runtime::Fault &fault, bool earlier = false);

} // namespace qd::engine
