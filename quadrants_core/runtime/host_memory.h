#pragma once
// Memory of devices that compute on the host.
#include <cstdint>

namespace qd::runtime {

/// Zeroed, 64-byte aligned. DeviceError with the bytes asked and the bytes available if there is not enough.
void *host_alloc(uint64_t bytes);
void host_free(void *p); ///< null is nothing
/// Bytes that this process may still take: the machine's free memory, less where a container limits it.
uint64_t host_available();

} // namespace qd::runtime
