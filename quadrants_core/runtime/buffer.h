#pragma once
// Memory of a device, as the rest of the program holds it.
#include <cstdint>

namespace qd::runtime {

class Device;

struct Buffer {
    Device *device = nullptr;
    uint64_t address = 0; ///< as tasks know it; 0: no memory
    char *host = nullptr; ///< the same bytes for the host; null where it cannot see them
};

} // namespace qd::runtime
