#pragma once
// SPIR-V for Vulkan. No driver executes it yet: a program cannot choose it (backends.def).
#include "backends/backend.h"
#include "codegen/spirv/capabilities.h"

namespace qd::backends {

extern const Backend spirv; ///< for a device with all capabilities, and subgroups of 32

/// Returns the capabilities of a device with these features. `lanes`: of a subgroup; 0: it has none that code may use.
Caps spirv_caps(const codegen::spirv::Capabilities &has, int lanes);

} // namespace qd::backends
