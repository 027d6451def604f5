#pragma once
// A stream of the device and the state of the launches on it.
#include "abi/abi.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/span.h"
#include "engine/launch_lock.h"
#include "runtime/device.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace qd::engine {

class CompiledKernel;

/// The first failed assertion of a launch, or what it found no memory for.
struct Failure {
    std::string text;
    std::vector<Location> trace;
    UserErrorKind kind = UserErrorKind::assertion;
};

/// Memory of the device that one launch has for itself.
struct LaunchBlock {
    runtime::Buffer memory;
    uint64_t bytes = 0;
};

/// A launch that was given to a device whose memory the host does not see, and that may go on: remote_launch.cpp.
struct PendingLaunch {
    std::shared_ptr<const CompiledKernel> called; ///< the kernel as the user knows it
    std::shared_ptr<CompiledKernel> kernel;       ///< its build that runs
    LaunchBlock block;
    std::vector<char> back; ///< what comes back; empty: nothing
    void *ret = nullptr;    ///< where results go; of a kernel that has some
};

/// How often limited messages came in this launch: output.cpp.
struct Remarks {
    BriefMutex lock;
    std::map<const abi::Message *, uint64_t> times;
};

struct Stream {
    std::unique_ptr<runtime::Stream> queue;
    LaunchLock launching; ///< held by one launch at a time, and by who waits for launches
    /// Values that cross tasks, where the host sees the memory of the device: launches end before the next one begins.
    runtime::Buffer tmp;
    uint64_t tmp_bytes = 0;
    uint32_t failed = 0;    ///< set by the first failure
    uint32_t asked = 0;     ///< abi::LaunchData::asked
    uint32_t questions = 0; ///< the last number that it had
    Failure failure;
    Remarks remarks;
    /// What all launches have in common, and of the one under way its arguments and task; null where `launching` is held for
    /// something else.
    abi::Launch now{};
    std::chrono::steady_clock::time_point seen; ///< the launch under way, for the first time; guarded by watch_lock
    abi::GraphWords words;                      ///< of the launch under way, if it follows flags
    int last_tasks = 0;
    int32_t last_yielded = -1; ///< checkpoint that ended the last launch of a kernel with such

    std::vector<PendingLaunch> pending;    ///< in order
    std::atomic<bool> has_pending = false; ///< the same without the lock
    std::vector<LaunchBlock> spare;        ///< blocks that no launch uses
    std::exception_ptr trouble;            ///< what went wrong in launches that have ended, until somebody is told
};

} // namespace qd::engine
