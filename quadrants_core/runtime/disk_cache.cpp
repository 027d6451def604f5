// A file: Header, then what it holds. A task: its description and the binary, as length-prefixed fields.
#include "runtime/disk_cache.h"

#include "base/bytes.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <atomic>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qd::runtime {

/// What a file holds: told by its name and by its first bytes.
struct FileKind {
    const char *suffix;
    char magic[8];
};

namespace {

constexpr FileKind task_file = {".qdc", {'Q', 'D', 'T', 'A', 'S', 'K', '\r', '\n'}};
constexpr FileKind record_file = {".qdr", {'Q', 'D', 'R', 'E', 'C', 'D', '\r', '\n'}};
constexpr time_t refresh_after = 60;     ///< seconds: a use younger than the file's time by less is not recorded
constexpr time_t abandoned_after = 3600; ///< a temporary file this old has lost its writer
constexpr uint64_t largest_file = 256u << 20;

struct Header {
    char magic[8];
    uint32_t abi_version;
    uint32_t header_bytes;
    CacheKey key;
    uint64_t written;  ///< when, in nanoseconds since 1970
    uint64_t bytes;    ///< after the header
    uint64_t checksum; ///< of those bytes, seeded with the key and the time
};

uint64_t nanoseconds(const timespec &t) { return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec); }

struct Descriptor {
    int fd;
    explicit Descriptor(int f) : fd(f) {}
    Descriptor(Descriptor &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
    ~Descriptor() {
        if (fd >= 0) close(fd);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
};

constexpr const char *is_link = "it is a link";
constexpr const char *no_folder = "it is no folder";

/// The folder, if it is there and may be used: else `problem` says why not, and is empty if there is none.
Descriptor open_folder(const std::string &path, std::string &problem) {
    Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat status;
    if (folder.fd < 0) {
        const int error = errno;
        if (error == ENOTDIR || error == ELOOP)
            problem = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) ? is_link : no_folder;
        else if (error != ENOENT)
            problem = std::strerror(error);
        return folder;
    }
    problem = fstat(folder.fd, &status) == 0 ? distrust(status) : std::strerror(errno);
    if (problem.empty()) return folder;
    return Descriptor(-1);
}

/// A regular file of the folder that may be read: else -1, and `problem` says why not if it is there. Opening waits for
/// nobody, as that of a pipe would.
Descriptor open_file(int folder, const std::string &name, struct stat &status, std::string &problem) {
    Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (file.fd < 0) {
        if (errno == ELOOP) problem = is_link;
        return file;
    }
    if (fstat(file.fd, &status) != 0)
        problem = std::strerror(errno);
    else if (!S_ISREG(status.st_mode))
        problem = "it is no regular file";
    else
        problem = distrust(status);
    if (problem.empty()) return file;
    return Descriptor(-1);
}

std::vector<uint8_t> serialise(const abi::Task &task, const abi::Binary &binary) {
    Writer w;
    w.text(task.name);
    w.number(task.kind);
    w.number(task.weight);
    w.number(task.block_dim);
    w.number(task.hash[0]);
    w.number(task.hash[1]);
    w.text(binary.target);
    w.blob(binary.code);
    return std::move(w.bytes);
}

std::optional<CachedTask> parse(std::span<const uint8_t> bytes) {
    Reader r(bytes);
    CachedTask out;
    out.task.name = r.text();
    out.task.kind = r.number<abi::TaskKind>();
    out.task.weight = r.number<float>();
    out.task.block_dim = r.number<uint32_t>();
    out.task.hash[0] = r.number<uint64_t>();
    out.task.hash[1] = r.number<uint64_t>();
    out.binary.target = r.text();
    const auto code = r.blob();
    out.binary.code.assign(code.begin(), code.end());
    if (!r.at_end()) return {};
    return out;
}

bool make_folders(const std::string &path) {
    for (size_t at = 1; at <= path.size(); at++)
        if (at == path.size() || path[at] == '/')
            if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
    return true;
}

/// All or nothing; errno says why not.
bool write_all(int fd, const void *data, size_t bytes) {
    const auto *at = static_cast<const char *>(data);
    while (bytes) {
        const ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        bytes -= size_t(n);
    }
    return true;
}

bool read_all(int fd, void *data, size_t bytes) {
    auto *at = static_cast<char *>(data);
    while (bytes) {
        const ssize_t n = read(fd, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        bytes -= size_t(n);
    }
    return true;
}

std::string name_of(const CacheKey &key, const FileKind &kind) { return to_hex(key) + kind.suffix; }

/// What an open file holds, if it is whole.
std::optional<std::vector<uint8_t>> read_content(int file, const struct stat &status, const CacheKey &key,
                                                 const FileKind &kind) {
    Header header;
    if (!read_all(file, &header, sizeof header)) return {};
    if (std::memcmp(header.magic, kind.magic, sizeof header.magic) != 0 || header.abi_version != abi::version ||
        header.header_bytes != sizeof header || header.key != key || header.bytes > largest_file ||
        header.bytes + sizeof header != uint64_t(status.st_size))
        return {};
    std::vector<uint8_t> bytes(header.bytes);
    if (!read_all(file, bytes.data(), bytes.size()) ||
        hash_bytes(bytes, key[0] ^ key[1] ^ header.written) != header.checksum)
        return {};
    if (time(nullptr) - status.st_mtime > refresh_after) futimens(file, nullptr);
    return bytes;
}

/// Writes the file of that name under another one and renames it: 0, or errno.
int write_file(int folder, const CacheKey &key, const FileKind &kind, std::span<const uint8_t> bytes) {
    static std::atomic<uint32_t> serial{0};
    Header header{};
    std::memcpy(header.magic, kind.magic, sizeof header.magic);
    header.abi_version = abi::version;
    header.header_bytes = sizeof header;
    header.key = key;
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    header.written = nanoseconds(now);
    header.bytes = bytes.size();
    header.checksum = hash_bytes(bytes, key[0] ^ key[1] ^ header.written);

    const std::string temporary =
        "." + to_hex(key) + "." + std::to_string(getpid()) + "." + std::to_string(serial++) + ".tmp";
    const int fd = openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    bool good = write_all(fd, &header, sizeof header) && write_all(fd, bytes.data(), bytes.size());
    int error = errno;
    if (close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && renameat(folder, temporary.c_str(), folder, name_of(key, kind).c_str()) != 0) {
        good = false;
        error = errno;
    }
    if (good) return 0;
    unlinkat(folder, temporary.c_str(), 0);
    return error;
}

bool is_ours(std::string_view name) { return name.ends_with(task_file.suffix) || name.ends_with(record_file.suffix); }

/// A file, as a clean-up sees it.
struct Entry {
    std::string name;
    uint64_t time = 0; ///< nanoseconds: last use, or when it was written; `foreign` if this version cannot read it
    uint64_t bytes = 0;
};
constexpr uint64_t foreign = 0;

/// All files of the folder that are ours. Removes what writers left behind.
std::vector<Entry> entries_of(DIR *dir, Cleaning cleaning) {
    std::vector<Entry> entries;
    const time_t now = time(nullptr);
    while (const dirent *item = readdir(dir)) {
        const std::string_view name = item->d_name;
        struct stat status;
        if (fstatat(dirfd(dir), item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
        if (name.starts_with(".") && name.ends_with(".tmp") && now - status.st_mtime > abandoned_after)
            unlinkat(dirfd(dir), item->d_name, 0);
        if (!is_ours(name)) continue;
        std::string problem;
        const Descriptor file = open_file(dirfd(dir), item->d_name, status, problem);
        Header header;
        const bool readable = file.fd >= 0 && read_all(file.fd, &header, sizeof header) &&
                              header.abi_version == abi::version && header.header_bytes == sizeof header;
        const uint64_t used = nanoseconds(status.st_mtim);
        entries.push_back({std::string(name),
                           !readable                    ? foreign
                           : cleaning == Cleaning::fifo ? header.written
                                                        : used,
                           uint64_t(status.st_size)});
    }
    return entries;
}

/// To list, if it may be used.
DIR *open_directory(const std::string &path) {
    std::string problem;
    Descriptor folder = open_folder(path, problem);
    DIR *dir = folder.fd < 0 ? nullptr : fdopendir(folder.fd);
    if (dir) folder.fd = -1; // closed with it
    return dir;
}

} // namespace

std::string to_hex(const CacheKey &key) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (uint64_t word : key)
        for (int shift = 60; shift >= 0; shift -= 4) out += digits[word >> shift & 15];
    return out;
}

std::string distrust(const struct stat &status) {
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return "it belongs to another user (uid " + std::to_string(status.st_uid) + ")";
    if (status.st_mode & (S_IWGRP | S_IWOTH)) return "others may write it (remedy: chmod go-w)";
    return {};
}

std::string default_cache_folder() {
    const char *base = std::getenv("XDG_CACHE_HOME");
    if (base && *base == '/') return std::string(base) + "/quadrants/qdcache";
    const char *home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/quadrants/qdcache" : std::string();
}

DiskCache::DiskCache(std::string folder, const CacheLimits &limits, std::function<void(const std::string &)> warn)
    : folder_(std::move(folder)), limits_(limits), warn_(std::move(warn)) {}

void DiskCache::warn_once(const std::string &text) {
    if (!warned_.exchange(true) && warn_) warn_(text);
}

std::optional<std::vector<uint8_t>> DiskCache::read(const CacheKey &key, const FileKind &kind) {
    std::string problem;
    const Descriptor folder = open_folder(folder_, problem);
    if (!problem.empty()) warn_once("compiled kernels in " + folder_ + " are not used: " + problem);
    if (folder.fd < 0) return {};
    const std::string name = name_of(key, kind);
    struct stat status;
    const Descriptor file = open_file(folder.fd, name, status, problem);
    if (!problem.empty()) warn_once("compiled kernel " + folder_ + "/" + name + " is not used: " + problem);
    if (file.fd < 0) return {};
    return read_content(file.fd, status, key, kind);
}

void DiskCache::write(const CacheKey &key, const FileKind &kind, std::span<const uint8_t> bytes) {
    if (!writable_.load(std::memory_order_relaxed)) return;
    std::string problem;
    Descriptor folder = open_folder(folder_, problem);
    if (folder.fd < 0 && problem.empty()) {
        if (make_folders(folder_)) {
            Descriptor made = open_folder(folder_, problem);
            std::swap(folder.fd, made.fd);
        } else {
            problem = std::strerror(errno);
        }
    }
    if (problem.empty())
        if (const int error = write_file(folder.fd, key, kind, bytes)) problem = std::strerror(error);
    if (problem.empty()) {
        grew_.store(true, std::memory_order_relaxed);
        return;
    }
    writable_.store(false, std::memory_order_relaxed);
    warn_once("cannot keep compiled kernels in " + folder_ + ": " + problem + "; going on without");
}

std::optional<CachedTask> DiskCache::load(const CacheKey &key) {
    const auto bytes = read(key, task_file);
    return bytes ? parse(*bytes) : std::nullopt;
}

void DiskCache::store(const CacheKey &key, const abi::Task &task, const abi::Binary &binary) {
    write(key, task_file, serialise(task, binary));
}

std::optional<std::vector<uint8_t>> DiskCache::load_record(const CacheKey &key) { return read(key, record_file); }

void DiskCache::store_record(const CacheKey &key, std::span<const uint8_t> bytes) { write(key, record_file, bytes); }

bool DiskCache::empty() const {
    DIR *dir = open_directory(folder_);
    if (!dir) return true;
    bool found = false;
    while (const dirent *item = found ? nullptr : readdir(dir))
        found = std::string_view(item->d_name).ends_with(task_file.suffix);
    closedir(dir);
    return !found;
}

void DiskCache::clean_up() {
    if (limits_.cleaning == Cleaning::never) return;
    DIR *dir = open_directory(folder_);
    if (!dir) return;
    std::vector<Entry> entries = entries_of(dir, limits_.cleaning);
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
        return std::pair(a.time, std::string_view(a.name)) < std::pair(b.time, std::string_view(b.name));
    });
    uint64_t total = 0;
    for (const Entry &entry : entries) total += entry.bytes;
    size_t count = 0;
    if (limits_.cleaning == Cleaning::version)
        while (count < entries.size() && entries[count].time == foreign) ++count;
    else if (total > limits_.max_bytes)
        count = size_t(std::ceil(std::clamp(limits_.factor, 0.0, 1.0) * double(entries.size())));
    for (size_t i = 0; i < count; ++i) unlinkat(dirfd(dir), entries[i].name.c_str(), 0);
    closedir(dir);
}

} // namespace qd::runtime
