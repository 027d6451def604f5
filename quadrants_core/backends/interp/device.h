#pragma once
#include "runtime/device.h"

namespace qd::backends::interpreter {

/// A device whose memory is the host's and whose one worker is the calling thread.
std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &options);

} // namespace qd::backends::interpreter
