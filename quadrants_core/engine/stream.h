#pragma once
// A stream of the device and the state of the launches on it.
#include "abi/abi.h"
#include "base/span.h"
#include "engine/launch_lock.h"
#include "runtime/device.h"

#include <string>
#include <vector>

namespace qd::engine {

/// The first failed assertion of a launch.
struct Failure {
    std::string text;
    std::vector<Location> trace;
};

struct Stream {
    std::unique_ptr<runtime::Stream> queue;
    LaunchLock launching; ///< held by one launch at a time
    runtime::Buffer tmp;  ///< values that cross tasks: one buffer, since launches take turns
    uint64_t tmp_bytes = 0;
    uint32_t failed = 0; ///< set by the first failed assertion
    uint32_t asked = 0;  ///< abi::LaunchData::asked
    Failure failure;
    abi::Launch start{}; ///< what all launches have in common
    int last_tasks = 0;
    /// What a launch brings and takes where the host does not see the memory of the device: remote_launch.cpp.
    runtime::Buffer block;
    uint64_t block_bytes = 0;
};

} // namespace qd::engine
