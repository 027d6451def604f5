#include "fault_report.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace qd::kernel::fault_report {

namespace {
struct Signal {
    int number;
    const char *name;
};
constexpr Signal signals[] = {{SIGSEGV, "SIGSEGV: invalid memory access"},
                              {SIGBUS, "SIGBUS: access to memory that has no storage"},
                              {SIGILL, "SIGILL: illegal instruction"},
                              {SIGFPE, "SIGFPE: integer division by zero or overflow"},
                              {SIGABRT, "SIGABRT: the process aborted, as it does when its heap is corrupted"}};

// Static, because the heap may be corrupted when these are read.
char note_path[4096], cell_header[4096];
std::atomic<int> log_descriptor{-1}, cell{0}, note{-1};
std::atomic<void (*)()> explain{nullptr};
std::atomic<bool> dying{false}, reporting{false};
pid_t process;
std::string before;

void write_all(int fd, const char *text, size_t size) {
    while (size > 0) {
        const ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text += n;
        size -= size_t(n);
    }
}

/// Writes to the note and the log.
void write_report(const char *text, size_t size) {
    if (note < 0 && *note_path) note = open(note_path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (note >= 0) write_all(note, text, size);
    if (log_descriptor >= 0) write_all(log_descriptor, text, size);
}

size_t append(char *line, size_t size, size_t room, const char *text) {
    const size_t length = std::min(std::strlen(text), room - size);
    std::memcpy(line + size, text, length);
    return size + length;
}

/// For signal handlers, which must not call printf.
size_t append(char *line, size_t size, size_t room, int number) {
    char digits[16];
    char *at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = char('0' + number % 10);
    while (number /= 10);
    return append(line, size, room, at);
}

const char *name_of(int number) {
    for (const Signal &signal : signals)
        if (signal.number == number) return signal.name;
    return "a signal";
}

void report_death(const char *cause) {
    char line[256];
    const size_t room = sizeof line - 1;
    size_t size = append(line, 0, room, "The kernel process died");
    if (const int running = cell) {
        size = append(line, size, room, " in Cell In[");
        size = append(line, size, room, running);
        size = append(line, size, room, "]");
    }
    size = append(line, size, room, " (");
    size = append(line, size, room, cause);
    size = append(line, size, room, ").");
    line[size++] = '\n';
    write_report(line, size);
    write_all(STDERR_FILENO, line, size);
}

/// Gives the thread that reads descriptor 2 time to send the report to the cell. If two threads die, the first may still be reporting.
void await_sender() {
    timespec left = {0, 250'000'000};
    while (log_descriptor >= 0 && nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

void on_fatal_signal(int number) {
    std::signal(number, SIG_DFL);
    if (getpid() == process) {
        if (!dying.exchange(true)) {
            reporting = true;
            if (auto *explains = explain.load()) explains();
            report_death(name_of(number));
        }
        await_sender();
    }
    raise(number);
}

/// Reads and deletes the note.
std::string read_note() {
    std::string text;
    const int file = open(note_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return text;
    char bytes[4096];
    const ssize_t size = read(file, bytes, sizeof bytes);
    if (size > 0) text.assign(bytes, size_t(size));
    close(file);
    unlink(note_path);
    return text;
}
} // namespace

void watch(const std::string &connection_file) {
    process = getpid();
    std::snprintf(note_path, sizeof note_path, "%s.died", connection_file.c_str());
    before = read_note();
    constexpr size_t bytes = 128 << 10; // so that a stack overflow is reported too
    stack_t stack = {};
    stack.ss_sp = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack.ss_size = bytes;
    if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
    for (const Signal &signal : signals) {
        struct sigaction action = {};
        action.sa_handler = on_fatal_signal;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        sigaction(signal.number, &action, nullptr);
    }
}

std::string take() { return std::exchange(before, {}); }
void set_log(int descriptor) { log_descriptor = descriptor; }
void set_cell(int number, const std::string &header) {
    cell = number;
    const size_t size = header.size() < sizeof cell_header ? header.size() : 0;
    std::memcpy(cell_header, header.data(), size);
    cell_header[size] = 0;
}
const char *header_of_dying_cell() { return reporting && *cell_header ? cell_header : nullptr; }
void hear(const char *text, size_t size) {
    reporting = true;
    write_report(text, size);
}
void report_exit(int code) {
    if (getpid() != process || !cell || dying.exchange(true)) return;
    reporting = true;
    char cause[64];
    std::snprintf(cause, sizeof cause, "os._exit(%d)", code);
    report_death(cause);
    await_sender();
}
void set_explain(void (*explains)()) { explain = explains; }

} // namespace qd::kernel::fault_report
