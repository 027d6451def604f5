#pragma once
// Memory of devices that compute on the host.
#include <cstddef>
#include <cstdint>

namespace qd::runtime {

/// Zeroed, 64-byte aligned. DeviceError with the bytes asked and the bytes available if there is not enough.
void *host_alloc(uint64_t bytes);
void host_free(void *p); ///< null is nothing
/// Bytes that this process may still take: the machine's free memory, less where a container limits it.
uint64_t host_available();
/// Throws the DeviceError of a request that cannot be met, in words for people.
[[noreturn]] void out_of_memory(uint64_t asked, uint64_t available);

/// Base of what threads look at while a kernel runs: it lies in pages of its own with holes around, where no kernel
/// gets that runs over the heap. So such a kernel comes to the end of the heap, and its fault is told (faults.h).
struct Apart {
    static void *operator new(size_t bytes);
    static void operator delete(void *p, size_t bytes);
};

} // namespace qd::runtime
