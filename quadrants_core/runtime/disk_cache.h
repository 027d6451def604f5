#pragma once
// Kept on disk, one file each: compiled tasks, named by content, and records, which are bytes that somebody above wants
// back under a name. A file that is cut short, foreign or altered is ignored and replaced; files appear by renaming, so
// any number of processes may share a folder. Nothing here throws: a folder that cannot be used costs a warning, once,
// and the program goes on without.
//
// What is read is run, so it must come from somebody who may run code in this process anyway: the folder and the files
// belong to this user or to root, nobody else may write them, and they are no links. What was made here is closed to
// others. All is asked of open descriptors, which nobody can exchange afterwards.
#include "abi/abi.h"
#include "runtime/cache_limits.h"

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace qd::runtime {

/// 128 bits that name a piece of content.
using CacheKey = std::array<uint64_t, 2>;
std::string to_hex(const CacheKey &key);

struct CachedTask {
    abi::Task task; ///< without its messages: they name places in the source, which may move
    abi::Binary binary;
};

struct FileKind;

class DiskCache {
  public:
    DiskCache(std::string folder, const CacheLimits &limits, std::function<void(const std::string &)> warn);

    std::optional<CachedTask> load(const CacheKey &key);
    void store(const CacheKey &key, const abi::Task &task, const abi::Binary &binary);
    std::optional<std::vector<uint8_t>> load_record(const CacheKey &key);
    void store_record(const CacheKey &key, std::span<const uint8_t> bytes);
    void clean_up();
    /// True if the folder holds no task, or does not exist.
    bool empty() const;
    /// True if this object added files.
    bool grew() const { return grew_.load(std::memory_order_relaxed); }
    const std::string &folder() const { return folder_; }

  private:
    void warn_once(const std::string &text);
    std::optional<std::vector<uint8_t>> read(const CacheKey &key, const FileKind &kind);
    void write(const CacheKey &key, const FileKind &kind, std::span<const uint8_t> bytes);

    std::string folder_;
    CacheLimits limits_;
    std::function<void(const std::string &)> warn_;
    std::atomic<bool> warned_{false}, writable_{true}, grew_{false};
};

/// Why what this status describes is not to be run: it belongs to somebody else, or others may write it. Empty if it
/// may.
std::string distrust(const struct stat &status);

/// The folder used when the program names none: below $XDG_CACHE_HOME, if that is an absolute path, or ~/.cache; empty
/// if there is no home.
std::string default_cache_folder();

} // namespace qd::runtime
