#include "runtime/cache_folder.h"

#include "base/bytes.h"
#include "base/sha256.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace qd::runtime {
namespace {

constexpr uint64_t refresh_after = 60;     ///< seconds; a use updates the time of the file only if that is older
constexpr uint64_t abandoned_after = 3600; ///< seconds; the writer of a temporary file this old has died
constexpr uint64_t largest_file = 256u << 20;
constexpr uint32_t file_format = 2;

struct Header {
    char magic[8];
    uint32_t format;
    uint32_t header_bytes;
    uint64_t name;     ///< hash of the file's name
    uint64_t written;  ///< time of writing, in nanoseconds since 1970
    uint64_t bytes;    ///< size of the content after the header
    uint64_t checksum; ///< of the content, seeded with the name and the time
    Digest signature;  ///< of the header (with zeros in this field) and the content; zeros: unsigned
};

uint64_t nanoseconds(const timespec &t) { return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec); }

std::span<const uint8_t> bytes_of(const Header &header) {
    return {reinterpret_cast<const uint8_t *>(&header), sizeof header};
}

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

bool is_same_file(const struct stat &a, const struct stat &b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

} // namespace

/// A folder that is kept open. Other code may close descriptors that it did not open, and their numbers may be reused: a descriptor that no
/// longer refers to the folder must not be closed here.
struct OpenFolder {
    const int fd;
    struct stat status;
    mutable std::atomic<bool> lost{false};
    explicit OpenFolder(int f) : fd(f) { lost = fstat(fd, &status) != 0; }
    OpenFolder(const OpenFolder &) = delete;
    ~OpenFolder() {
        if (refers_to_folder()) close(fd);
    }
    bool refers_to_folder(struct stat *now = nullptr) const {
        struct stat own;
        if (!now) now = &own;
        if (lost || fstat(fd, now) != 0 || !is_same_file(*now, status)) lost = true;
        return !lost;
    }
    /// True if the folder was not removed and is still trusted.
    bool is_usable() const {
        struct stat now;
        return refers_to_folder(&now) && now.st_nlink > 0 && why_untrusted(now).empty();
    }
};

namespace {

std::shared_ptr<const OpenFolder> last_root(CacheTrust &trust) {
    const std::lock_guard guard(trust.lock);
    return trust.last;
}

/// The least number for the descriptor. New descriptors get the lowest free number, so other code is unlikely to get one from here on. A
/// number of 64 or more would make the system enlarge the descriptor table, which takes many milliseconds in a process with threads.
constexpr int min_descriptor = 48;

void keep_root(CacheTrust &trust, const Descriptor &root) {
    const int fd = fcntl(root.fd, F_DUPFD_CLOEXEC, min_descriptor);
    if (fd < 0) return;
    auto now = std::make_shared<const OpenFolder>(fd);
    const std::lock_guard guard(trust.lock);
    if (trust.last && trust.last->fd == fd) trust.last->lost = true; // another part of the program closed it
    trust.last.swap(now);
}

constexpr const char *is_link = "it is a link";
constexpr const char *no_folder = "it is not a folder";

/// Opens a folder if it exists and is trusted. Otherwise `problem` gives the reason, and is empty if the folder does not exist.
Descriptor open_folder(int parent, const char *path, std::string &problem) {
    Descriptor folder(openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat status;
    if (folder.fd < 0) {
        const int error = errno;
        if (error == ENOTDIR || error == ELOOP) {
            const bool link = fstatat(parent, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
            problem = link ? is_link : no_folder;
        } else if (error != ENOENT) {
            problem = std::strerror(error);
        }
        return folder;
    }
    problem = fstat(folder.fd, &status) == 0 ? why_untrusted(status) : std::strerror(errno);
    if (problem.empty()) return folder;
    return Descriptor(-1);
}

/// Opens a regular file below a folder if the file is trusted. Otherwise returns -1, and `problem` gives the reason unless the file is
/// missing. Never blocks, even if the path is a pipe.
Descriptor open_file(int folder, const std::string &path, struct stat &status, std::string &problem) {
    Descriptor file(openat(folder, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (file.fd < 0) {
        if (errno == ELOOP)
            problem = is_link;
        else if (errno != ENOENT)
            problem = std::strerror(errno);
        return file;
    }
    if (fstat(file.fd, &status) != 0)
        problem = std::strerror(errno);
    else if (!S_ISREG(status.st_mode))
        problem = "it is not a regular file";
    else
        problem = why_untrusted(status);
    if (problem.empty()) return file;
    return Descriptor(-1);
}

bool make_folders(const std::string &path) {
    for (size_t at = 1; at <= path.size(); at++)
        if (at == path.size() || path[at] == '/')
            if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
    return true;
}

/// Writes all bytes, or returns false and sets errno.
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

uint64_t hash_of(const std::string &name) { return hash_bytes(as_bytes(name), 21); }

Digest signature_of(Header header, std::span<const uint8_t> key, std::span<const uint8_t> bytes) {
    header.signature = {};
    return hmac_sha256(key, {bytes_of(header), bytes});
}

/// Returns the content of an open file if it is complete and, given a key, correctly signed. Otherwise `problem` gives the reason.
std::optional<std::vector<uint8_t>> read_content(int file, const struct stat &status, const std::string &name,
                                                 const FileKind &kind, std::span<const uint8_t> key,
                                                 std::string &problem) {
    Header header;
    problem = "it is truncated, altered or of another version";
    const auto size = uint64_t(status.st_size);
    uint8_t first[8192]; // most files fit
    const size_t begins = std::min<uint64_t>(size, sizeof first);
    if (size < sizeof header || !read_all(file, first, begins)) return {};
    std::memcpy(&header, first, sizeof header);
    if (std::memcmp(header.magic, kind.magic, sizeof header.magic) != 0 || header.format != file_format ||
        header.header_bytes != sizeof header || header.name != hash_of(name) || header.bytes > largest_file ||
        header.bytes + sizeof header != size)
        return {};
    std::vector<uint8_t> bytes(first + sizeof header, first + begins);
    bytes.resize(header.bytes);
    if (!read_all(file, bytes.data() + (begins - sizeof header), size - begins) ||
        hash_bytes(bytes, header.name ^ header.written) != header.checksum)
        return {};
    if (!key.empty() && !is_equal(header.signature, signature_of(header, key, bytes))) {
        problem = "its signature is missing or wrong";
        return {};
    }
    problem.clear();
    return bytes;
}

/// Writes the file under a temporary name and renames it. Returns 0 or errno.
int write_file(int folder, const std::string &name, const FileKind &kind, std::span<const uint8_t> key,
               std::span<const uint8_t> bytes) {
    static std::atomic<uint32_t> serial{0};
    Header header{};
    std::memcpy(header.magic, kind.magic, sizeof header.magic);
    header.format = file_format;
    header.header_bytes = sizeof header;
    header.name = hash_of(name);
    header.written = nanoseconds_now();
    header.bytes = bytes.size();
    header.checksum = hash_bytes(bytes, header.name ^ header.written);
    if (!key.empty()) header.signature = signature_of(header, key, bytes);

    // The time distinguishes processes of different machines with the same process id.
    const std::string temporary = "." + name.substr(0, 16) + "." + std::to_string(getpid()) + "." +
                                  std::to_string(header.written) + "." + std::to_string(serial++) + ".tmp";
    const int fd = openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    bool good = write_all(fd, &header, sizeof header) && write_all(fd, bytes.data(), bytes.size());
    int error = errno;
    if (close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) {
        good = false;
        error = errno;
    }
    if (good) return 0;
    unlinkat(folder, temporary.c_str(), 0);
    return error;
}

bool is_temporary(std::string_view name) { return name.starts_with(".") && name.ends_with(".tmp"); }

} // namespace

std::string why_untrusted(const struct stat &status) {
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return "it belongs to another user (uid " + std::to_string(status.st_uid) + ")";
    if (status.st_mode & (S_IWGRP | S_IWOTH)) return "other users can write to it (remedy: chmod go-w)";
    return {};
}

uint64_t nanoseconds_now() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return nanoseconds(now);
}

bool is_long_ago(uint64_t time, uint64_t seconds) {
    const uint64_t now = nanoseconds_now(), distance = seconds * 1'000'000'000;
    return time + distance < now || now + distance < time;
}

std::string CacheFolder::in_root(const std::string &name) const {
    std::string path;
    path.reserve(std::strlen(name_) + 1 + name.size());
    path.append(name_).append(1, '/').append(name);
    return path;
}

/// True if the folder exists and is trusted. The root must be trusted too, since anyone who can write to it could replace the folder.
bool CacheFolder::may_be_used(int root, std::string &problem) const {
    struct stat status;
    if (fstatat(root, name_, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) problem = std::strerror(errno);
        return false;
    }
    problem = S_ISLNK(status.st_mode) ? is_link : S_ISDIR(status.st_mode) ? why_untrusted(status) : no_folder;
    return problem.empty();
}

int CacheFolder::open_root(std::string &problem) const {
    Descriptor root = open_folder(AT_FDCWD, trust_.root.c_str(), problem);
    return root.fd >= 0 && may_be_used(root.fd, problem) ? std::exchange(root.fd, -1) : -1;
}

int CacheFolder::open(std::string &problem) const {
    const Descriptor root(open_root(problem));
    if (root.fd < 0) return -1;
    Descriptor folder = open_folder(root.fd, name_, problem);
    return std::exchange(folder.fd, -1);
}

std::optional<std::vector<uint8_t>> CacheFolder::examine(const std::string &name, const FileKind &kind,
                                                         std::string &problem) const {
    const Descriptor root(open_root(problem));
    if (root.fd < 0) return {};
    struct stat status;
    const Descriptor file = open_file(root.fd, in_root(name), status, problem);
    if (file.fd < 0) return {};
    return read_content(file.fd, status, name, kind, as_bytes(trust_.key), problem);
}

std::optional<std::vector<uint8_t>> CacheFolder::load(const std::string &name, const FileKind &kind, bool touch) const {
    std::string problem;
    struct stat status;
    const auto read = [&](const Descriptor &file) {
        auto bytes = read_content(file.fd, status, name, kind, as_bytes(trust_.key), problem);
        if (bytes && touch && is_long_ago(nanoseconds(status.st_mtim), refresh_after)) futimens(file.fd, nullptr);
        return bytes;
    };
    if (const auto last = last_root(trust_); last && last->is_usable() && may_be_used(last->fd, problem)) {
        const Descriptor file = open_file(last->fd, in_root(name), status, problem);
        if (file.fd >= 0)
            if (auto bytes = read(file)) return bytes;
    }
    problem.clear(); // the path may refer to another folder by now, which has the file
    const Descriptor root(open_root(problem));
    if (!problem.empty()) trust_.warn_once("compiled kernels in " + path() + " are not used: " + problem);
    if (root.fd < 0) return {};
    const Descriptor file = open_file(root.fd, in_root(name), status, problem);
    if (!problem.empty()) trust_.warn_once("compiled kernel " + path() + "/" + name + " is not used: " + problem);
    if (file.fd >= 0) {
        if (auto bytes = read(file)) {
            keep_root(trust_, root);
            return bytes;
        }
    }
    if (!problem.empty()) trust_.refused++;
    return {};
}

bool CacheFolder::glance(const std::string &name, const FileKind &kind, std::span<uint8_t> first,
                         uint64_t *written) const {
    std::string problem;
    const Descriptor root(open_root(problem));
    struct stat status;
    const Descriptor file = root.fd < 0 ? Descriptor(-1) : open_file(root.fd, in_root(name), status, problem);
    Header header;
    if (file.fd < 0 || !read_all(file.fd, &header, sizeof header) ||
        std::memcmp(header.magic, kind.magic, sizeof header.magic) != 0 || header.format != file_format)
        return false;
    *written = header.written;
    return read_all(file.fd, first.data(), first.size());
}

int CacheFolder::open_for_writing(std::string &problem) const {
    const int folder = open(problem);
    if (folder >= 0 || !problem.empty()) return folder;
    if (make_folders(path())) return open(problem);
    problem = std::strerror(errno);
    return -1;
}

bool CacheFolder::store(const std::string &name, const FileKind &kind, std::span<const uint8_t> bytes) const {
    if (!trust_.writable.load(std::memory_order_relaxed)) return false;
    std::string problem;
    // Another process may remove the empty folder between opening and writing.
    for (int attempt = 0; attempt < 3; attempt++) {
        const Descriptor folder(open_for_writing(problem));
        if (!problem.empty()) break;
        const int error = folder.fd < 0 ? ENOENT : write_file(folder.fd, name, kind, as_bytes(trust_.key), bytes);
        if (!error) return true;
        if (error != ENOENT || attempt == 2) {
            problem = std::strerror(error);
            break;
        }
    }
    trust_.writable.store(false, std::memory_order_relaxed);
    trust_.warn_once("cannot keep compiled kernels in " + path() + ": " + problem + "; continuing without them");
    return false;
}

bool CacheFolder::move_to(const CacheFolder &other, const std::string &name) const {
    std::string problem;
    const Descriptor from(open(problem));
    if (from.fd < 0) return false;
    const Descriptor to(other.open_for_writing(problem));
    if (to.fd >= 0 && renameat(from.fd, name.c_str(), to.fd, name.c_str()) == 0) return true;
    if (to.fd >= 0 && errno != ENOENT) problem = std::strerror(errno);
    if (!problem.empty())
        trust_.warn_once("cannot keep compiled kernels in " + other.path() + ": " + problem +
                         "; continuing without them");
    return false;
}

bool CacheFolder::has(const std::string &name) const {
    std::string problem;
    const Descriptor root(open_root(problem));
    return root.fd >= 0 && faccessat(root.fd, in_root(name).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool CacheFolder::is_there() const { return access(path().c_str(), F_OK) == 0; }

bool CacheFolder::remove(const std::string &name) const {
    std::string problem;
    const Descriptor folder(open(problem));
    return folder.fd >= 0 && unlinkat(folder.fd, name.c_str(), 0) == 0;
}

void CacheFolder::remove_folder() const { rmdir(path().c_str()); }

std::vector<FolderEntry> CacheFolder::list(bool hidden) const {
    std::string problem;
    Descriptor folder(open(problem));
    std::vector<FolderEntry> entries;
    DIR *dir = folder.fd < 0 ? nullptr : fdopendir(folder.fd);
    if (!dir) return entries;
    folder.fd = -1; // closed by closedir
    while (const dirent *item = readdir(dir)) {
        if (item->d_name[0] == '.' && !hidden) continue;
        struct stat status;
        if (fstatat(dirfd(dir), item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
        entries.push_back({item->d_name, uint64_t(status.st_size), nanoseconds(status.st_mtim)});
    }
    closedir(dir);
    return entries;
}

void CacheFolder::sweep() const {
    for (const FolderEntry &entry : list(true))
        if (is_temporary(entry.name) && is_long_ago(entry.changed, abandoned_after)) remove(entry.name);
}

int CacheFolder::create(const std::string &name, std::string_view text) const {
    std::string problem;
    const Descriptor folder(open_for_writing(problem));
    if (folder.fd < 0) return EACCES;
    const Descriptor file(openat(folder.fd, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.fd < 0) return errno;
    write_all(file.fd, text.data(), text.size());
    return 0;
}

std::string CacheFolder::read_text(const std::string &name) const {
    std::string problem;
    const Descriptor root(open_root(problem));
    struct stat status;
    const Descriptor file = root.fd < 0 ? Descriptor(-1) : open_file(root.fd, in_root(name), status, problem);
    std::string text(file.fd < 0 ? 0 : std::min<uint64_t>(uint64_t(status.st_size), 4096), '\0');
    if (!text.empty() && !read_all(file.fd, text.data(), text.size())) text.clear();
    return text;
}

} // namespace qd::runtime
