#pragma once
#include "runtime/device.h"

namespace qd::backends {

std::unique_ptr<runtime::Device> open_cpu(const runtime::DeviceOptions &options);

} // namespace qd::backends
