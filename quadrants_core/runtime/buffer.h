#pragma once
// A handle to device memory.
#include <cstdint>

namespace qd::runtime {

class Device;

struct Buffer {
    Device *device = nullptr;
    uint64_t address = 0; ///< device address, as passed to tasks; 0: no memory
    char *host = nullptr; ///< host address of the same bytes; null if the host cannot access them
};

} // namespace qd::runtime
