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

/// Without its place. `earlier`: of a launch whose call has returned.
KernelFault describe_fault(const std::string &kernel, const runtime::Fault &fault, bool earlier = false);

} // namespace qd::engine
