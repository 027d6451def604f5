#pragma once
// Launches on a device whose memory the host does not see. They return before they are done, unless somebody needs at once
// what they lead to. For threads that hold `launching` of the stream.
#include "engine/program_impl.h"
#include "engine/stepping.h"

namespace qd::engine {

/// Gives the tasks of `kernel` to the stream. Arguments, words and counters travel to the device in the launch's own block,
/// words, counters and results come back. `called` is the kernel as the user knows it. Waits for a kernel that returns
/// values, or that does what is seen at once: prints, assertions, calls of libraries, cells of trees.
void launch_remote(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel, const uint64_t *args,
                   void *ret);

/// Goes on with a launch that is made in steps, and waits for it.
void advance_remote(Program::Impl &p, GraphRun &run, const uint64_t *args, void *ret, Until until);

/// Waits for all launches that go on. What went wrong is kept for `finish_launches`; of several launches the first.
void settle_launches(Program::Impl &p);
/// The same, and throws what went wrong in launches since it was last told.
void finish_launches(Program::Impl &p);

} // namespace qd::engine
