#pragma once
#include "backends/backend.h"
#include "ir/function.h"
#include "runtime/device.h"

#include <string>

namespace qd::backends::interpreter {

/// Opens a device whose memory is the host's and whose only worker is the calling thread.
std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &options);
/// The same with memory of its own, which the host cannot touch, and streams that start to work when a thread waits for them.
std::unique_ptr<runtime::Device> open_far(const runtime::DeviceOptions &options);

/// The first lines of the text of a task: how its threads are launched.
std::string target_lines(const Caps &caps);
/// Loads a task from its text. `block_dim`: the threads of a block, for loops that do not say.
std::shared_ptr<runtime::LoadedTask> load_text(const abi::Task &task, const abi::Binary &binary, uint32_t block_dim);
/// Runs the whole range of a task: [range[0], range[1]) if `range` is given, else the range from its bounds block.
void run_text(const runtime::LoadedTask &task, const abi::Launch &launch, abi::Thread &thread,
              const int64_t *range = nullptr);
const ir::Function &function_of(const runtime::LoadedTask &task);

} // namespace qd::backends::interpreter
