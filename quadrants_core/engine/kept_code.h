#pragma once
// Code and records of kernels: the tasks compiled in this process, and the cache on disk. May be called from any thread.
#include "base/fork.h"
#include "engine/compiled_kernel.h"
#include "engine/observers.h"
#include "runtime/disk_cache.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace qd::engine {

class KeptCode {
  public:
    /// `build_key` distinguishes code made by this build, for this machine and these options, from any other; part of every key.
    KeptCode(const Options &options, const runtime::CacheKey &build_key, Observers &observers,
             const std::shared_ptr<Lifetime> &lifetime);
    ~KeptCode(); ///< publishes
    /// Takes over the option `print_ir`: nothing is read from disk while IR is printed during compilation.
    void follow(const Options &now);

    /// Finds code by the key of the task it was compiled from; null if there is none.
    std::shared_ptr<TaskCode> known_task(const runtime::CacheKey &key) const;
    /// Returns the code to use: another thread may have added its own first.
    std::shared_ptr<TaskCode> keep_task(const runtime::CacheKey &key, std::shared_ptr<TaskCode> code);
    /// Before the device closes.
    void unload();

    const std::shared_ptr<runtime::DiskCache> &disk() const { return disk_; } ///< null: no cache
    /// True if code may be read from the disk.
    bool reads_disk() const { return disk_ && !dumps_; }

    // Records are bytes stored on disk next to the code, for this build and machine, under a name of any length. `fast`: the record belongs
    // to a kernel with fastcache=True, and is stored even if code is not.
    bool caches_entries(bool fast = false) const;
    std::vector<uint8_t> load_entry(std::span<const uint8_t> name, bool fast = false) const; ///< empty: none
    void store_entry(std::span<const uint8_t> name, std::span<const uint8_t> bytes, bool fast = false);
    bool has_entry(std::span<const uint8_t> name, bool fast = false) const;
    /// Notes the use of a helper, such as an element reader, for which other implementations compile a kernel; `description` identifies it
    /// uniquely. QD_SHOW_COMPILING names it `shown_as`.
    void use_helper(const std::string &name, std::string_view description, const std::string &shown_as);
    /// Makes everything compiled so far available in the folder that programs share.
    void publish();
    /// Lists every file in the cache; with `content`, also the bytes of records.
    std::vector<CachedFile> files(bool content) const;

  private:
    runtime::KernelKey key_of(std::span<const uint8_t> name) const;

    Observers &observers_;
    const runtime::CacheKey build_key_;
    const bool verifies_; ///< the IR of every kernel is checked, so that none may come from a record
    const bool prints_passes_;
    std::atomic<bool> dumps_;
    std::shared_ptr<runtime::DiskCache> disk_;
    mutable ForkLockedMutex lock_;
    std::unordered_map<runtime::CacheKey, std::shared_ptr<TaskCode>, runtime::CacheKeyHash> tasks_;
};

} // namespace qd::engine
