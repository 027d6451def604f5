#pragma once
// Which memory the sections of a region have touched, while a kernel runs with checks: two of them may run side by side, so
// what one writes is no other's. Kernels with checks run sections one after another, and find what would race.
#include <cstdint>

namespace qd::runtime {

/// The function of an id of base/section_access.h; null for others.
void *section_check(uint64_t id);

} // namespace qd::runtime
