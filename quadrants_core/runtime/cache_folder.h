#pragma once
// A folder of small files that hold what this program or another one made. A file that is cut short, foreign or altered
// is ignored; files appear by renaming, so any number of processes and machines may share a folder. Nothing here
// throws.
//
// What is read may be run, so it must come from somebody who may run code in this process anyway: the folder and the
// files belong to this user or to root, nobody else may write them, and they are no links. What is made here is closed
// to others. All is asked of open descriptors, or of what lies in an open folder where nobody else may exchange it
// afterwards. Where there is a key, files without a signature by that key are ignored too.
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

/// What a file holds: its first bytes.
struct FileKind {
    char magic[8];
};

struct OpenFolder;

/// What the folders of one cache share.
struct CacheTrust {
    std::string root; ///< the folder that they lie in
    std::string key;  ///< of signatures; empty: there are none
    std::function<void(const std::string &)> warn;
    std::atomic<bool> warned{false}, writable{true};
    std::atomic<uint64_t> refused{0}; ///< files that were there and not used
    BriefMutex lock;
    std::shared_ptr<const OpenFolder> last; ///< the root that something was found in last; guarded by `lock`

    void warn_once(const std::string &text) {
        if (!warned.exchange(true) && warn) warn(text);
    }
};

/// A file, as a listing sees it.
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
    /// What a file holds; nothing if it is not there, or not whole, or not to be trusted. A use is noted in the file's
    /// time if `touch`.
    std::optional<std::vector<uint8_t>> load(const std::string &name, const FileKind &kind, bool touch = false) const;
    /// The same, and why it is of no use: empty if there is no such file.
    std::optional<std::vector<uint8_t>> examine(const std::string &name, const FileKind &kind,
                                                std::string &problem) const;
    /// The first bytes of what a file holds, and when it was written; unlike `load`, this does not tell altered ones.
    bool glance(const std::string &name, const FileKind &kind, std::span<uint8_t> first, uint64_t *written) const;
    /// Makes the folder if it is not there. False: a warning was given, once, and nothing is written any more.
    bool store(const std::string &name, const FileKind &kind, std::span<const uint8_t> bytes) const;
    bool move_to(const CacheFolder &other, const std::string &name) const;
    bool has(const std::string &name) const;
    bool is_there() const;
    bool remove(const std::string &name) const;
    /// If it is empty.
    void remove_folder() const;
    /// Regular files; nothing if the folder is not there or may not be used. `hidden`: names that begin with a dot.
    std::vector<FolderEntry> list(bool hidden = false) const;
    /// Removes what writers that ended in the middle of it left behind.
    void sweep() const;
    /// Makes `name`, which must not exist: for locks. 0, or errno.
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

/// Why what this status describes is not to be run: it belongs to somebody else, or others may write it. Empty if it
/// may.
std::string distrust(const struct stat &status);

uint64_t nanoseconds_now();
/// Whether that much time has passed since; also if it lies in the future by as much, where a clock was set back.
bool is_long_ago(uint64_t nanoseconds, uint64_t seconds);

} // namespace qd::runtime
