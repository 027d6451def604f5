#pragma once
// A folder of small files that this program or others wrote. A file that is truncated, foreign or altered is ignored; files appear by
// renaming, so any number of processes and machines may share a folder. Nothing here throws.
//
// File contents may be executed, so they must come from a user who may run code in this process anyway: the folder and the files must
// belong to this user or to root, be writable by no other user, and not be links. New files and folders are private to this user. All
// checks are made on open descriptors, or on entries of an open folder that no other user can replace afterwards. If there is a key, files
// without a signature by that key are ignored too.
#include "base/fork.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace qd::runtime {

/// The type of a file: its first bytes.
struct FileKind {
    char magic[8];
};

struct OpenFolder;

/// State that the folders of one cache share.
struct CacheTrust {
    std::string root; ///< the parent folder
    std::string key;  ///< key of the signatures; empty: files are unsigned
    std::function<void(const std::string &)> warn;
    std::atomic<bool> warned{false}, writable{true};
    std::atomic<uint64_t> refused{0}; ///< files that were found but rejected
    ForkLockedMutex lock;
    std::shared_ptr<const OpenFolder> last; ///< the root in which a file was last found; guarded by `lock`

    void warn_once(const std::string &text) {
        if (!warned.exchange(true) && warn) warn(text);
    }
};

/// A file, as shown by a listing.
struct FolderEntry {
    std::string name;
    uint64_t bytes = 0;
    uint64_t changed = 0; ///< nanoseconds since 1970
};

class CacheFolder {
  public:
    /// The folder of that name, a literal, in the root.
    CacheFolder(const char *name, CacheTrust &trust) : name_(name), trust_(trust) {}

    const char *name() const { return name_; }
    std::string path() const { return trust_.root + '/' + name_; }
    /// Returns the contents of a file, or nothing if it is missing, incomplete or untrusted. With `touch`, records the use in the file's
    /// modification time.
    std::optional<std::vector<uint8_t>> load(const std::string &name, const FileKind &kind, bool touch = false) const;
    /// The same, but also reports why the file is unusable; `problem` stays empty if there is no such file.
    std::optional<std::vector<uint8_t>> examine(const std::string &name, const FileKind &kind,
                                                std::string &problem) const;
    /// Reads the first content bytes of a file and the time it was written; unlike `load`, this does not detect altered files.
    bool glance(const std::string &name, const FileKind &kind, std::span<uint8_t> first, uint64_t *written) const;
    /// Creates the folder if needed. Returns false after a failure; a warning is then given, once, and nothing is written any more.
    bool store(const std::string &name, const FileKind &kind, std::span<const uint8_t> bytes) const;
    bool move_to(const CacheFolder &other, const std::string &name) const;
    bool has(const std::string &name) const;
    bool is_there() const;
    bool remove(const std::string &name) const;
    /// Removes the folder if it is empty.
    void remove_folder() const;
    /// Lists regular files; empty if the folder is missing or unusable. `hidden`: includes names that begin with a dot.
    std::vector<FolderEntry> list(bool hidden = false) const;
    /// Removes temporary files of writers that ended before they finished.
    void sweep() const;
    /// Creates `name`, which must not exist: for locks. Returns 0 or errno.
    int create(const std::string &name, std::string_view text) const;
    std::string read_text(const std::string &name) const;

  private:
    std::string in_root(const std::string &name) const;
    bool may_be_used(int root, std::string &problem) const;
    int open_root(std::string &problem) const;
    int open(std::string &problem) const;
    int open_for_writing(std::string &problem) const;

    const char *name_;
    CacheTrust &trust_;
};

/// Returns why a file with this status must not be executed: it belongs to another user, or others may write it. Empty if it is trusted.
std::string why_untrusted(const struct stat &status);

uint64_t nanoseconds_now();
/// True if that much time has passed since; also if the time lies in the future by as much, because a clock was set back.
bool is_long_ago(uint64_t nanoseconds, uint64_t seconds);

} // namespace qd::runtime
