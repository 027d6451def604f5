#pragma once
// Tracks the memory that the sections of a region access while a kernel runs with checks: sections may run concurrently, so none may access
// what another one writes. Kernels with checks run sections sequentially and detect such races.
#include <cstdint>

namespace qd::runtime {

/// The function for an id of base/section_access.h; null for other ids.
void *section_check(uint64_t id);

} // namespace qd::runtime
