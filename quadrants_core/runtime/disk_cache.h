#pragma once
// The cache on disk, below one folder:
//
//   kernel_compilation_manager/  one file per kernel with the code of its tasks, and the listing of these files. Changes
//                                only when a program publishes: when it ends, or on request.
//   unpublished_kernels/         kernels of running programs, or of programs that were killed before they published;
//                                visible to others at once. Absent when empty.
//   records/                     cache entries: bytes that higher layers store under a name
//   python_side_cache/           cache entries of kernels with fastcache=True
//
// Nothing here throws: an unusable folder causes one warning, and the program continues without a cache. Only changes of the listing need a
// lock. The listing serves two purposes: to choose what a clean-up removes first, and to find the code of a single task.
#include "abi/abi.h"
#include "base/fork.h"
#include "runtime/cache_listing.h"

#include <memory>
#include <unordered_map>
#include <utility>

namespace qd::runtime {

struct CacheKeyHash {
    size_t operator()(const CacheKey &key) const { return size_t(key[0]); }
};

/// The code of a task.
struct CachedTask {
    CacheKey key{};
    abi::Weight weight;
    abi::Binary binary;
};

struct CachedKernel {
    std::string name;
    LibraryVersion version{};
    std::vector<CachedTask> tasks; ///< the tasks whose code was available
    bool published = false;
    const CachedTask *find(const CacheKey &task) const;
    CachedTask *find(const CacheKey &task) { return const_cast<CachedTask *>(std::as_const(*this).find(task)); }
};

enum class EntryPlace : uint8_t { own, fast };

/// A file, for display.
struct CacheFile {
    std::string folder;
    FolderEntry entry;
    std::string kernel;           ///< for a file with code
    std::string problem;          ///< why it is not used; empty if it is
    bool used = false;            ///< whether this program uses it
    std::vector<uint8_t> content; ///< for a record
};

struct CacheSettings {
    std::string path;
    /// If not set, only records of fast kernels are stored, but the limits still apply.
    bool caches_kernels = true;
    CacheLimits limits;
    std::string key; ///< key of the signatures; empty: files are unsigned
};

class DiskCache {
  public:
    DiskCache(CacheSettings settings, std::function<void(const std::string &)> warn);

    const std::string &path() const { return trust_.root; }
    bool caches_kernels() const { return caches_kernels_; }
    /// True if no kernel is stored, judging only by the existence of the listing and of unpublished kernels.
    bool is_empty() const;

    std::unique_ptr<CachedKernel> load_kernel(const KernelKey &key);
    /// Finds the code of a task in any kernel's file.
    std::optional<CachedTask> load_task(const CacheKey &key);
    /// Adds newly generated code; it is written to disk with the kernels that contain it.
    void keep_task(const CacheKey &key, abi::Weight weight, const abi::Binary &binary);
    /// Notes that the program uses this kernel, which is written to disk once the code of all its tasks is available. `found`: the parts
    /// that the disk already has.
    void use_kernel(const KernelKey &key, const std::string &name, const std::vector<CacheKey> &tasks,
                    const CachedKernel *found);
    /// Notes the use of a helper for which other implementations compile a kernel: there is a file for each, without tasks.
    void use_helper(const KernelKey &key, const std::string &name);
    /// Cleans up, then moves the kernels of this program to the folder that programs share.
    void publish();

    std::optional<std::vector<uint8_t>> load_entry(const KernelKey &name, EntryPlace place);
    void store_entry(const KernelKey &name, std::span<const uint8_t> bytes, EntryPlace place);
    bool has_entry(const KernelKey &name, EntryPlace place) const;

    /// Lists and examines every file.
    std::vector<CacheFile> files(bool content);

  private:
    struct Used {
        std::string name;
        std::vector<CacheKey> tasks;
        bool waits = false;       ///< the code of some task is still missing
        bool unpublished = false; ///< its file still has to be moved
        bool helper = false;
    };
    bool collect(const KernelKey &key, bool partly);
    void find_tasks();
    bool take_lock();
    bool has_nothing_to_do();
    bool glance_is_enough(bool unused) const;
    std::map<KernelKey, Used> settle();
    void change_listing(const std::map<KernelKey, Used> &used) const;
    bool needs_publishing(const CacheListing &listing, std::map<KernelKey, Used> &used) const;
    void clean_up(CacheListing &listing, bool readable, const std::map<KernelKey, Used> &used) const;
    void describe_unlisted(CacheListing &listing) const;
    void clean_up_records();
    void note_entry(const KernelKey &name, EntryPlace place);

    CacheTrust trust_;
    const bool caches_kernels_;
    const CacheLimits limits_;
    const CacheFolder kernels_, unpublished_, entries_, fast_;

    ForkLockedMutex lock_; ///< guards the next members; not held during access to files
    std::map<KernelKey, Used> used_;
    std::vector<std::pair<KernelKey, EntryPlace>> used_entries_;
    std::unordered_map<CacheKey, CachedTask, CacheKeyHash> made_; ///< code that is not on disk yet
    std::unordered_map<CacheKey, KernelKey, CacheKeyHash> where_; ///< the file that contains a task's code
    std::pair<KernelKey, std::shared_ptr<const CachedKernel>> last_;
    bool settled_ = false; ///< nothing new to publish since the last time
    bool looked_ = false;  ///< `where_` includes kernels of other programs
    std::atomic<bool> recorded_{false};
};

/// The default folder: below $XDG_CACHE_HOME, if that is an absolute path, or ~/.cache; empty if there is no home directory.
std::string default_cache_folder();

} // namespace qd::runtime
