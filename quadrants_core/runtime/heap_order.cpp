#include "runtime/heap_order.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qd::runtime {
namespace {

std::atomic<uintptr_t> heap_begin{0}; ///< 0: not glibc's malloc, or its heap has another layout

constexpr uintptr_t chunk_unit = 16, chunk_flags = 7;

uintptr_t size_of_chunk(uintptr_t at) {
    return *reinterpret_cast<const volatile uintptr_t *>(at + sizeof at) & ~chunk_flags;
}

/// The start of the heap as reported by the system, 0 if unknown.
uintptr_t read_heap_begin() {
    constexpr int number_in_line = 47, number_of_state = 3;
    char text[2048];
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    const char *at = std::strrchr(text, ')'); // end of the name, which may contain any character
    for (int number = number_of_state - 1; at && number < number_in_line; number++) at = std::strchr(at + 1, ' ');
    return at ? std::strtoull(at + 1, nullptr, 10) : 0;
}

/// Walks the chunks. They must lead to the end of the heap, or to a part that was allocated by other code.
bool is_heap_in_order() {
    const uintptr_t end = uintptr_t(syscall(SYS_brk, 0));
    uintptr_t at = heap_begin.load(std::memory_order_relaxed);
    while (at != 0 && at < end) {
        const uintptr_t size = size_of_chunk(at);
        if (size == chunk_unit) break;
        if (size == 0 || size % chunk_unit != 0 || size > end - at) return false;
        at += size;
    }
    return true;
}

} // namespace

void find_heap() {
    const uintptr_t begin = (read_heap_begin() + chunk_unit - 1) & ~(chunk_unit - 1);
    if (begin == 0 || begin + chunk_unit >= uintptr_t(sbrk(0))) return;
    constexpr uintptr_t least = 0x200, most = 0x1000; // size range of glibc's per-thread cache
    if (const uintptr_t size = size_of_chunk(begin); size >= least && size <= most) heap_begin = begin;
}

bool is_heap_corrupted() {
    constexpr int looks = 5; // other threads may be changing it
    constexpr timespec moment{0, 1'000'000};
    for (int i = 0; i < looks; i++) {
        if (is_heap_in_order()) return false;
        nanosleep(&moment, nullptr);
    }
    return true;
}

} // namespace qd::runtime
