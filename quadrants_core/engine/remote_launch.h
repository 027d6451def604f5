#pragma once
// Launches on a device whose memory the host does not see. They return before they are done, unless their effects are needed at once. The
// caller must hold `launching` of the stream.
#include "engine/queues.h"
#include "engine/stepping.h"

namespace qd::engine {

/// Submits the tasks of `kernel` to the stream, with the record `launch`, which need not outlive the call. Counters and results are downloaded
/// from the launch's own block. `called` is the kernel as the user knows it. Waits if the kernel returns values or has effects that are visible
/// at once: prints, assertions, library calls, cells of trees.
void launch_remote(Queues &q, const CompiledKernel &called, CompiledKernel &kernel, abi::Launch &launch, void *ret);

/// Continues a launch that runs in steps, and waits for it.
void advance_remote(Queues &q, GraphRun &run, abi::Launch &launch, void *ret, Until until);

/// Waits for all pending launches. The first error among them is kept for `finish_launches`.
void settle_launches(Queues &q);
/// The same, but throws the first error in launches since the last report.
void finish_launches(Queues &q);

} // namespace qd::engine
