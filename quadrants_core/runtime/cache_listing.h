#pragma once
// The listing of a folder of kernels: their sizes, the times they were written and last used, their tasks. The files are authoritative:
// missing entries are added from the folder, and stale ones are dropped.
#include "runtime/cache_folder.h"
#include "runtime/cache_limits.h"

#include <array>
#include <map>

namespace qd::runtime {

/// A 128-bit hash of some content.
using CacheKey = std::array<uint64_t, 2>;
std::string to_hex(const CacheKey &key, std::string_view suffix = "");

/// A 256-bit hash of a kernel and everything that its code depends on.
using KernelKey = std::array<uint64_t, 4>;
std::string to_hex(const KernelKey &key);

constexpr const char *kernel_suffix = ".qdc";
std::string file_of(const KernelKey &key);
/// Parses a file name.
std::optional<KernelKey> kernel_key_of(std::string_view name);

using LibraryVersion = std::array<uint32_t, 3>;

struct ListedKernel {
    KernelKey key{};
    std::string name; ///< for display
    uint64_t bytes = 0;
    uint64_t created = 0, used = 0; ///< nanoseconds since 1970
    LibraryVersion version{};       ///< version of the library that wrote it
    std::vector<CacheKey> tasks;
};

class CacheListing {
  public:
    static constexpr const char *file_name = "qdcache.qdb";
    std::map<KernelKey, ListedKernel> kernels;

    /// Returns false if a listing exists but cannot be read.
    bool load(const CacheFolder &folder);
    /// Reads the total size of the kernels and the time the listing was written; false if unknown.
    static bool glance(const CacheFolder &folder, uint64_t *bytes, uint64_t *written);
    /// Without kernels there is no listing. Returns false if it cannot be written.
    bool store(const CacheFolder &folder) const;
    /// Updates the listing from the files in the folder.
    void follow(const CacheFolder &folder);
    uint64_t bytes() const;
    /// The kernels to remove under these limits.
    std::vector<KernelKey> surplus(const CacheLimits &limits, const LibraryVersion &own) const;
};

} // namespace qd::runtime
