// Small blocks come from their own address range (small_blocks.h), large ones from the system, which provides zero pages and reclaims them
// at once, with unmapped memory on either side. Each block is surrounded by slack, an eighth of its size on either side: a stencil that
// accesses memory past the border of a field, which is unchecked outside debug mode, reaches neither another block nor unmapped memory. The
// metadata of blocks is kept in a separate table, out of reach of such writes.
#include "runtime/host_memory.h"

#include "base/error.h"
#include "base/fork.h"
#include "runtime/small_blocks.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unordered_map>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace qd::runtime {
namespace {

constexpr uint64_t alignment = 64;
constexpr uint64_t page = 4096;
constexpr uint64_t map_from = 1u << 20;
constexpr uint64_t huge_page = 2u << 20;
constexpr uint64_t hole = 64u << 20;       ///< addresses around a block from the system
constexpr uint64_t check_from = 64u << 20; ///< smaller requests do not query the available memory

#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t least_slack = 0, slack_share = UINT64_MAX; // the sanitizer checks the borders
constexpr bool watched = true;
#else
constexpr uint64_t least_slack = 256, slack_share = 8;
constexpr bool watched = false;
#endif

struct Block {
    void *base;
    uint64_t bytes; ///< starting at `base`
    enum class From : uint8_t { heap, stretch, system } from;
};

struct Blocks {
    ForkLockedMutex mutex;
    std::unordered_map<void *, Block> of;
    SmallBlocks small;
    uint64_t shifts = 0;

    /// Bytes by which to shift the start of a block. The shift differs between blocks, so that loops over many arrays do not compete for
    /// few sets of the L1 cache, whose sets repeat every page. Among ten consecutive blocks no two are fewer than five lines apart: a load
    /// waits for recent stores whose addresses agree in the low twelve bits.
    uint64_t next_shift(uint64_t bytes) {
        constexpr uint64_t lines_apart = 19, least_lines = 16;
        const uint64_t lines = std::bit_floor(std::min(bytes / 4, page) / alignment);
        return lines < least_lines ? 0 : ++shifts * lines_apart % lines * alignment;
    }
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

/// Returns null if out of memory. The contents of a large block, at `lead` bytes past its start, are aligned to a huge page, which the
/// system does not guarantee, plus a few pages. Their number differs between blocks, so that loops over many arrays do not compete for few
/// sets of a cache.
void *map(uint64_t bytes, uint64_t lead = 0) {
    const bool is_large = bytes >= 2 * huge_page;
    const uint64_t spare = is_large ? huge_page : 0;
    void *all = mmap(nullptr, bytes + 2 * hole + spare, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    char *begin = static_cast<char *>(all);
    if (is_large) {
        static std::atomic<uint64_t> turn{0};
        constexpr uint64_t turns = 16;
        const uint64_t wanted = turn++ % turns * page - hole - lead;
        const uint64_t before = (wanted - reinterpret_cast<uintptr_t>(begin)) % huge_page;
        if (before) munmap(begin, before);
        begin += before;
        munmap(begin + bytes + 2 * hole, spare - before);
    }
    char *block = begin + hole;
    if (mprotect(block, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(begin, bytes + 2 * hole);
        return nullptr;
    }
    if (is_large) madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

} // namespace

void out_of_memory(uint64_t asked, uint64_t available) {
    const auto gib = [](uint64_t bytes) {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f GiB", double(bytes) / double(1u << 30));
        return std::string(text);
    };
    fail_device("alloc", ENOMEM,
                "Not enough memory: requested " + gib(asked) + " (" + std::to_string(asked) + " bytes), " +
                    gib(available) +
                    " are available\nHint: make the array or field smaller, use a smaller dtype, or free others first");
}

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
    const std::lock_guard lock(blocks().mutex);
    const uint64_t shift = blocks().next_shift(bytes);
    Block made{nullptr, whole + shift, Block::From::system};
    if (bytes >= map_from) {
        made.base = map(made.bytes, slack - alignment);
    } else {
        made.from = Block::From::stretch;
        if (!watched) made.base = blocks().small.alloc(made.bytes);
        if (!made.base) {
            made.from = Block::From::heap;
            made.base = std::aligned_alloc(alignment, made.bytes);
            if (made.base) std::memset(made.base, 0, made.bytes);
        }
    }
    if (!made.base) out_of_memory(bytes, host_available());
    void *block = static_cast<char *>(made.base) + slack + shift;
    blocks().of.emplace(block, made);
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
        if (block.from == Block::From::stretch) blocks().small.free(block.base, block.bytes);
    }
    if (block.from == Block::From::system) munmap(static_cast<char *>(block.base) - hole, block.bytes + 2 * hole);
    if (block.from == Block::From::heap) std::free(block.base);
}

namespace {
uint64_t pages_of(size_t bytes) { return (bytes + page - 1) / page * page; }
} // namespace

void *IsolatedPages::operator new(size_t bytes) {
    void *pages = map(pages_of(bytes));
    if (!pages) throw std::bad_alloc();
#ifdef __SANITIZE_ADDRESS__
    __lsan_register_root_region(pages, bytes); // objects that it points to are not leaked
#endif
    return pages;
}

void IsolatedPages::operator delete(void *p, size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    __lsan_unregister_root_region(p, bytes);
#endif
    munmap(static_cast<char *>(p) - hole, pages_of(bytes) + 2 * hole);
}

} // namespace qd::runtime
