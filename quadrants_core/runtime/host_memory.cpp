// Small blocks come from the heap, large ones from the system, which hands out zero pages and takes them back at once.
// Around each block lies slack, an eighth of its size on either side: a stencil that reads or writes past the border of
// a field, which nothing checks outside of debug mode, meets neither another block nor the end of the address space.
// What belongs to a block stands in a table apart, out of reach of such writes.
#include "runtime/host_memory.h"

#include "base/error.h"
#include "base/fork.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unordered_map>

namespace qd::runtime {
namespace {

constexpr uint64_t alignment = 64;
constexpr uint64_t page = 4096;
constexpr uint64_t map_from = 1u << 20;
constexpr uint64_t huge_page = 2u << 20;
constexpr uint64_t check_from = 64u << 20; ///< smaller requests do not read the system's figures

#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t least_slack = 0, slack_share = UINT64_MAX; // the sanitizer watches the borders
#else
constexpr uint64_t least_slack = 256, slack_share = 8;
#endif

struct Block {
    void *base;
    uint64_t mapped_bytes; ///< 0: from the heap
};

struct Blocks {
    BriefMutex mutex;
    std::unordered_map<void *, Block> of;
};

/// Never destroyed: arrays may outlive every static object.
Blocks &all_blocks = *new Blocks;
Blocks &blocks() { return all_blocks; }

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
    const uint64_t unit = bytes < map_from ? alignment : page;
    const uint64_t slack = (std::max(least_slack, bytes / slack_share) + unit - 1) / unit * unit + alignment;
    const uint64_t whole = (bytes + alignment) / alignment * alignment + 2 * slack;
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
    void *block = static_cast<char *>(base) + slack;
    const std::lock_guard lock(blocks().mutex);
    blocks().of.emplace(block, Block{base, bytes < map_from ? 0 : whole});
    return block;
}

void host_free(void *p) {
    if (!p) return;
    Block block;
    {
        const std::lock_guard lock(blocks().mutex);
        const auto found = blocks().of.find(p);
        block = found->second;
        blocks().of.erase(found);
    }
    if (block.mapped_bytes)
        munmap(block.base, block.mapped_bytes);
    else
        std::free(block.base);
}

} // namespace qd::runtime
