#include "runtime/fault_report.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#include <sys/stat.h>
#include <unistd.h>

namespace qd::runtime {
namespace {

struct Name {
    std::atomic<const void *> task{nullptr};
    char text[248];
};
constinit Name names[1024]; // 256 KiB, untouched until used

std::atomic<const void *const *> newest{nullptr};
std::atomic<void (*)(const char *, size_t)> listener{nullptr};

Name &place_of(const void *task) { return names[(reinterpret_cast<uintptr_t>(task) * 0x9e3779b97f4a7c15U) >> 54]; }

/// Null if no kernel was launched, or its name was replaced.
const char *name_of_newest_task() {
    const void *const *word = newest.load(std::memory_order_relaxed);
    const void *task = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : nullptr;
    const Name &name = place_of(task);
    return task && name.task.load(std::memory_order_acquire) == task ? name.text : nullptr;
}

/// Prints the parts as one line.
void say(std::initializer_list<const char *> parts) {
    char line[512] = "quadrants: ";
    size_t size = std::strlen(line);
    for (const char *part : parts) {
        const size_t length = std::min(std::strlen(part), sizeof line - 1 - size);
        std::memcpy(line + size, part, length);
        size += length;
    }
    line[size++] = '\n';
    if (auto *listens = listener.load(std::memory_order_relaxed)) listens(line, size);
    const ssize_t written = write(STDERR_FILENO, line, size);
    (void)written;
}

void say_what_helps() { say({"qd.init(debug=True) checks every index and names the first wrong one."}); }

/// Descriptor 2 may be a pipe that another thread of this process reads, to show the text elsewhere.
void let_text_be_read() {
    struct stat error;
    if (fstat(STDERR_FILENO, &error) != 0 || !S_ISFIFO(error.st_mode)) return;
    timespec left = {0, 250'000'000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

} // namespace

void name_task(const void *task, std::string_view name) {
    Name &place = place_of(task);
    place.task.store(nullptr, std::memory_order_relaxed);
    const size_t size = std::min(name.size(), sizeof place.text - 1);
    std::memcpy(place.text, name.data(), size);
    place.text[size] = 0;
    place.task.store(task, std::memory_order_release);
}

void watch_task(const void *const *word) { newest = word; }
void unwatch_task(const void *const *word) { newest.compare_exchange_strong(word, nullptr); }
void set_fault_listener(void (*to)(const char *text, size_t size)) { listener = to; }

void report_heap_overrun() {
    say({"a kernel wrote past the end of an array and corrupted the memory of the process, which ends here."});
    if (const char *name = name_of_newest_task()) say({"it was ", name, "."});
    say_what_helps();
    let_text_be_read();
}

void report_process_end() {
    const char *name = name_of_newest_task();
    if (!name) return;
    say({"the last launch was of ", name, "."});
    say({"if it wrote past the end of an array, this may be why the process ends."});
    say_what_helps();
    let_text_be_read();
}

} // namespace qd::runtime
