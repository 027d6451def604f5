#pragma once
// What is kept on disk, below one folder:
//
//   kernel_compilation_manager/  a file for each kernel with the code of its tasks, and the listing of them. Changes
//                                only when a program publishes: at its end, or when it is asked to.
//   unpublished_kernels/         kernels of programs that run, or were killed before they could publish: found by
//                                others at once. Empty, hence absent, otherwise.
//   records/                     records: bytes that somebody above wants back under a name
//   python_side_cache/           records of kernels that asked for them by fastcache=True
//
// Nothing here throws: a folder that cannot be used costs a warning, once, and the program goes on without. Only the
// listing is changed under a lock, and nothing depends on it but what a clean-up removes first and where the code of a
// single task is found.
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
struct KeptTask {
    CacheKey key{};
    abi::Weight weight;
    abi::Binary binary;
};

struct KeptKernel {
    std::string name;
    LibraryVersion version{};
    std::vector<KeptTask> tasks; ///< those whose code was there
    bool published = false;
    const KeptTask *find(const CacheKey &task) const;
    KeptTask *find(const CacheKey &task) { return const_cast<KeptTask *>(std::as_const(*this).find(task)); }
};

enum class RecordPlace : uint8_t { own, fast };

/// A file as people see it.
struct CacheFile {
    std::string folder;
    FolderEntry entry;
    std::string kernel;           ///< of a file with code
    std::string problem;          ///< why it is not used; empty if it is
    bool used = false;            ///< by this program
    std::vector<uint8_t> content; ///< of a record
};

struct CacheSettings {
    std::string path;
    bool keeps_kernels =
        true; ///< else there are but records of fast kernels, and what the limits say goes all the same
    CacheLimits limits;
    std::string key; ///< of signatures; empty: there are none
};

class DiskCache {
  public:
    DiskCache(CacheSettings settings, std::function<void(const std::string &)> warn);

    const std::string &path() const { return trust_.root; }
    bool keeps_kernels() const { return keeps_kernels_; }
    /// True if there is no kernel at all, as far as a glance tells.
    bool is_empty() const;

    std::unique_ptr<KeptKernel> load_kernel(const KernelKey &key);
    /// The code of a task, in whichever kernel's file it lies.
    std::optional<KeptTask> load_task(const CacheKey &key);
    /// Code that was just made; it goes to disk with the kernels that have it.
    void keep_task(const CacheKey &key, abi::Weight weight, const abi::Binary &binary);
    /// The program has this kernel, which is to be on disk once the code of all its tasks was made. `found`: what the
    /// disk had of it.
    void use_kernel(const KernelKey &key, const std::string &name, const std::vector<CacheKey> &tasks,
                    const KeptKernel *found);
    /// The program used what other programs have a kernel for: there is a file for each, without tasks.
    void use_helper(const KernelKey &key, const std::string &name);
    /// Cleans up, then makes the kernels of this program a part of the folder that programs share.
    void publish();

    std::optional<std::vector<uint8_t>> load_record(const KernelKey &name, RecordPlace place);
    void store_record(const KernelKey &name, std::span<const uint8_t> bytes, RecordPlace place);
    bool has_record(const KernelKey &name, RecordPlace place) const;

    /// Every file, examined.
    std::vector<CacheFile> files(bool content);

  private:
    struct Used {
        std::string name;
        std::vector<CacheKey> tasks;
        bool waits = false;       ///< the code of some task is still to be made
        bool unpublished = false; ///< its file is to be moved
        bool helper = false;
    };
    bool collect(const KernelKey &key, bool partly);
    void find_tasks();
    bool take_lock();
    bool has_nothing_to_do();
    bool glance_is_enough() const;
    std::map<KernelKey, Used> settle();
    void change_listing(const std::map<KernelKey, Used> &used) const;
    bool needs_publishing(const CacheListing &listing, std::map<KernelKey, Used> &used) const;
    void clean_up(CacheListing &listing, bool readable, const std::map<KernelKey, Used> &used) const;
    void describe_unlisted(CacheListing &listing) const;
    void clean_up_records();
    void note_record(const KernelKey &name, RecordPlace place);

    CacheTrust trust_;
    const bool keeps_kernels_;
    const CacheLimits limits_;
    const CacheFolder kernels_, unpublished_, records_, fast_;

    BriefMutex lock_; ///< of what follows; no file is touched while it is held
    std::map<KernelKey, Used> used_;
    std::vector<std::pair<KernelKey, RecordPlace>> used_records_;
    std::unordered_map<CacheKey, KeptTask, CacheKeyHash> made_;   ///< code that is not on disk yet
    std::unordered_map<CacheKey, KernelKey, CacheKeyHash> where_; ///< the file that a task's code lies in
    std::pair<KernelKey, std::shared_ptr<const KeptKernel>> last_;
    bool settled_ = false; ///< nothing is to be published since the last time
    bool looked_ = false;  ///< `where_` holds what others made
    std::atomic<bool> recorded_{false};
};

/// The folder used when the program names none: below $XDG_CACHE_HOME, if that is an absolute path, or ~/.cache; empty
/// if there is no home.
std::string default_cache_folder();

} // namespace qd::runtime
