#include "model/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/json.h"

namespace qd::inspector {

Memory::Memory(int descriptor, std::uint64_t bytes) {
    struct stat status{};
    const int seals = fcntl(descriptor, F_GET_SEALS);
    const bool fits = seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(descriptor, &status) == 0 && bytes > 0 &&
                      bytes <= static_cast<std::uint64_t>(status.st_size);
    void *at = fits ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
    close(descriptor);
    if (at == MAP_FAILED) throw Garbled("memory that is not sealed, or smaller than announced");
    bytes_ = {static_cast<std::byte *>(at), bytes};
}

Memory::~Memory() { munmap(bytes_.data(), bytes_.size()); }

} // namespace qd::inspector
