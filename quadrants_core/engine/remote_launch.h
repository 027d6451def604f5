#pragma once
// Launches on a device whose memory the host does not see.
#include "engine/program_impl.h"

namespace qd::engine {

/// Runs the tasks of `kernel` on the stream. Arguments, words and counters travel to the device in one block, words,
/// counters and results come back in one. `called` is the kernel as the user knows it. Returns when all has come back;
/// Stream::failed says whether a task failed.
void run_remote(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel, const uint64_t *args,
                void *ret);

} // namespace qd::engine
