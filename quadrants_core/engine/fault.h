#pragma once
// Faults: a task accessed memory outside all arrays, or divided by zero. These functions build the error message and locate the fault in
// the source. The code carries no line information: to locate a fault, the kernel is compiled again with lines, and the location is read
// off if the code came out the same.
#include "base/error.h"
#include "runtime/faults.h"

namespace qd::engine {

struct __attribute__((visibility("default"))) KernelFault : UserError {
    size_t task = 0;           ///< index of the task in the kernel
    uint32_t line = 0;         ///< where its loop stands
    std::vector<uint8_t> code; ///< the code that ran
    uint64_t offset = 0;       ///< offset of the instruction in `code`
    using UserError::UserError;
};

/// Watches faults again if they are watched at all, taking back signals whose handlers were replaced since.
void keep_watching_faults();

/// Also reports to `listener` the explanation for a process that kernels ended (runtime/fault_report.h). A caller that ends the process in
/// its own signal handler calls the returned function first.
using Explain = void (*)();
Explain set_fault_listener(void (*listener)(const char *text, size_t size));

/// The error without its location. `earlier`: the fault belongs to a launch whose call has returned.
KernelFault describe_fault(const std::string &kernel, const runtime::Fault &fault, bool earlier = false);

} // namespace qd::engine
