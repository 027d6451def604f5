#pragma once
// The backend `spirv` with a device that executes its code: tests run functions on it as on any other backend.
#include "backends/spirv/spirv.h"
#include "devices/vulkan/gpu.h"

namespace qd::tests {

/// Opens the device at the first call.
Gpu &gpu();
extern const backends::Backend vulkan;
/// The distribution of ranges.
struct Grid {
    uint32_t most_blocks = 65535; ///< of a launch. A few of them make threads run several indices each
    uint32_t block = 0;           ///< threads of a block where the loop does not say; 0: as usual
};
extern Grid grid;
/// Returns the reason for which the validator of SPIR-V rejects a module; empty if it does not.
std::string invalid(std::span<const uint32_t> words);

} // namespace qd::tests
