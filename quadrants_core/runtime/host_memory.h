#pragma once
// Memory of devices that compute on the host.
#include <cstddef>
#include <cstdint>

namespace qd::runtime {

/// Returns zeroed, 64-byte aligned memory. Throws DeviceError with the requested and the available bytes if there is not enough.
void *host_alloc(uint64_t bytes);
void host_free(void *p); ///< null does nothing
/// Bytes that this process may still allocate: the machine's free memory, or less if a container limits it.
uint64_t host_available();
/// Throws the DeviceError of a request that cannot be met, with a readable message.
[[noreturn]] void out_of_memory(uint64_t asked, uint64_t available);

/// Base of objects that threads access while a kernel runs. They are placed in separate pages with unmapped memory around, which a kernel
/// that overruns the heap cannot reach. Such a kernel therefore runs into the end of the heap, and its fault is reported (faults.h).
struct IsolatedPages {
    static void *operator new(size_t bytes);
    static void operator delete(void *p, size_t bytes);
};

} // namespace qd::runtime
