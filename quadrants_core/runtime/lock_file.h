#pragma once
// Files by which the programs that share a cache exclude each other. Their text names the process that created them.
#include "runtime/cache_folder.h"
#include "runtime/cache_listing.h"

namespace qd::runtime {

/// Returns the text of a lock file of this process.
std::string lock_text();
/// Removes a lock file whose process no longer exists, or that is older than a minute.
void remove_abandoned_lock(const CacheFolder &folder, const std::string &name);

/// The claim of a kernel by the program that compiles it: a file next to those of unpublished kernels. The destructor removes it.
class KernelClaim {
  public:
    /// `root` is the folder of the cache.
    KernelClaim(const std::string &root, const KernelKey &key);
    ~KernelClaim();
    KernelClaim(const KernelClaim &) = delete;

    /// Returns false if another program has the claim. Returns true, without a claim, if the folder cannot be written to.
    bool take();

  private:
    CacheTrust trust_;
    const CacheFolder folder_;
    const std::string name_; ///< that of a temporary file, so that it is removed with others if its program was killed
    int owner_ = 0;          ///< process id, since a forked child must not end the claim of its parent; 0: not taken
};

} // namespace qd::runtime
