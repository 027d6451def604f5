// Small blocks come from the heap, large ones from the system, which hands out zero pages and takes them back at once.
// A header in front of each block says which.
#include "runtime/host_memory.h"

#include "base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace qd::runtime {
namespace {

constexpr uint64_t alignment = 64;
constexpr uint64_t map_from = 1u << 20;
constexpr uint64_t huge_page = 2u << 20;
constexpr uint64_t check_from = 64u << 20; ///< smaller requests do not read the system's figures

struct Header {
    uint64_t mapped_bytes; ///< 0: from the heap
};
static_assert(sizeof(Header) <= alignment);

uint64_t read_number(const char *path, const char *key) {
    uint64_t value = UINT64_MAX;
    if (FILE *file = std::fopen(path, "re")) {
        char line[256];
        while (std::fgets(line, sizeof line, file))
            if (std::strncmp(line, key, std::strlen(key)) == 0 &&
                std::sscanf(line + std::strlen(key), " %lu", &value) == 1)
                break;
        std::fclose(file);
    }
    return value;
}

[[noreturn]] void out_of_memory(uint64_t asked, uint64_t available) {
    fail_device("alloc", ENOMEM,
                "asked for " + std::to_string(asked) + " bytes, " + std::to_string(available) + " bytes are available");
}

} // namespace

uint64_t host_available() {
    uint64_t available = read_number("/proc/meminfo", "MemAvailable:");
    if (available != UINT64_MAX) available *= 1024;
    const uint64_t limit = read_number("/sys/fs/cgroup/memory.max", "");
    const uint64_t used = read_number("/sys/fs/cgroup/memory.current", "");
    if (limit != UINT64_MAX && used != UINT64_MAX) available = std::min(available, limit > used ? limit - used : 0);
    return available;
}

void *host_alloc(uint64_t bytes) {
    if (bytes > UINT64_MAX / 2) out_of_memory(bytes, host_available());
    if (bytes >= check_from)
        if (const uint64_t available = host_available(); bytes > available) out_of_memory(bytes, available);
    const uint64_t whole = (bytes + alignment + alignment - 1) / alignment * alignment;
    void *base;
    if (bytes < map_from) {
        base = std::aligned_alloc(alignment, whole);
        if (base) std::memset(base, 0, whole);
    } else {
        base = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED) base = nullptr;
        if (base && whole >= 2 * huge_page) madvise(base, whole, MADV_HUGEPAGE);
    }
    if (!base) out_of_memory(bytes, host_available());
    static_cast<Header *>(base)->mapped_bytes = bytes < map_from ? 0 : whole;
    return static_cast<char *>(base) + alignment;
}

void host_free(void *p) {
    if (!p) return;
    void *base = static_cast<char *>(p) - alignment;
    if (const uint64_t mapped = static_cast<Header *>(base)->mapped_bytes)
        munmap(base, mapped);
    else
        std::free(base);
}

} // namespace qd::runtime
