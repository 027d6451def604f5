#pragma once
// The counter behind `clock` in kernels: the time stamp counter of x86, the virtual counter of ARM. Machine code reads the same counter.
#include <cstdint>

namespace qd::device_lib {

inline int64_t clock() {
#if defined(__x86_64__)
    return int64_t(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
    int64_t now;
    asm volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#endif
}

} // namespace qd::device_lib
