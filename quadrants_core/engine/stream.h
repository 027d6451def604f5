#pragma once
// A stream of the device and the state of the launches on it.
#include "abi/abi.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/span.h"
#include "engine/launch_lock.h"
#include "runtime/device.h"

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace qd::engine {

class CompiledKernel;
struct KernelTask;

/// The first failed assertion of a launch, or the allocation that failed.
struct Failure {
    std::string text;
    std::vector<Location> trace;
    UserErrorKind kind = UserErrorKind::assertion;
};

/// Memory of the device that belongs to one launch; none if it has neither counters nor results.
struct LaunchBlock {
    runtime::Buffer memory;
    uint64_t bytes = 0;
    std::vector<char> back; ///< on the host, for the data that comes back
};

/// A launch submitted to a device whose memory the host does not see; it may still be running (remote_launch.cpp).
struct PendingLaunch {
    std::shared_ptr<const CompiledKernel> called; ///< the kernel as the user knows it
    std::shared_ptr<CompiledKernel> kernel;       ///< its build that runs
    LaunchBlock block;
    void *ret = nullptr;     ///< where results go, if the kernel returns any
    bool comes_back = false; ///< data is downloaded to `block.back`
};

/// Words that host and tasks access while a task runs.
struct PolledWords {
    uint32_t failed;           ///< set by the first failure
    uint32_t counts_requested; ///< abi::StreamWords::counts_requested
};

/// Counts the occurrences of each rate-limited message in this launch (output.cpp).
struct LimitedMessages {
    ForkLockedMutex lock;
    std::map<const abi::Message *, uint64_t> times;
};

/// A stream of the device and the launches on it.
struct Stream {
    std::unique_ptr<runtime::Stream> queue;
    LaunchLock launching; ///< held by one launch at a time, or by a thread that waits for launches
    runtime::Buffer tmp;  ///< values that cross tasks; the tasks of one launch end before those of the next one begin
    uint64_t tmp_bytes = 0;
    alignas(64) PolledWords own_words{}; ///< `polled` of a device whose memory the host sees
    runtime::Buffer mapped;              ///< contains `polled` of other devices
    PolledWords *polled = nullptr;
    uint32_t count_requests = 0; ///< the last number in PolledWords::counts_requested
    Failure failure;
    LimitedMessages limited_messages;
    abi::StreamWords shared{}; ///< copied into the record of each launch
    abi::HostServices services{};
    /// The KernelTask that runs, for observers; null while `launching` is held for another purpose.
    const void *task = nullptr;
    abi::GraphWords words; ///< of the current launch, if it follows flags
    int last_tasks = 0;
    int32_t last_yielded = -1; ///< the checkpoint that ended the last launch of a kernel with checkpoints

    std::vector<PendingLaunch> pending;    ///< in order
    std::atomic<bool> has_pending = false; ///< whether `pending` is not empty, readable without the lock
    std::vector<LaunchBlock> spare;        ///< blocks that no launch uses
    std::vector<PendingLaunch> ended;      ///< empty except in a wait; kept for its memory
    std::exception_ptr trouble;            ///< the first error in completed launches, until it is reported
};

} // namespace qd::engine
