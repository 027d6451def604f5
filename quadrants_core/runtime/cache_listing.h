#pragma once
// The listing of a folder of kernels: which there are, how large, when they were written and used last, which tasks
// they hold. Files count, not the listing: what it lacks is added from the folder, and what it has too much is dropped.
#include "runtime/cache_folder.h"
#include "runtime/cache_limits.h"

#include <array>
#include <map>

namespace qd::runtime {

/// 128 bits that name a piece of content.
using CacheKey = std::array<uint64_t, 2>;
std::string to_hex(const CacheKey &key, std::string_view suffix = "");

/// 256 bits that name a kernel with all that its code depends on.
using KernelKey = std::array<uint64_t, 4>;
std::string to_hex(const KernelKey &key);

constexpr const char *kernel_suffix = ".qdc";
std::string file_of(const KernelKey &key);
/// Of the name of a file.
std::optional<KernelKey> kernel_key_of(std::string_view name);

using LibraryVersion = std::array<uint32_t, 3>;

struct ListedKernel {
    KernelKey key{};
    std::string name; ///< for people
    uint64_t bytes = 0;
    uint64_t created = 0, used = 0; ///< nanoseconds since 1970
    LibraryVersion version{};       ///< of the library that wrote it
    std::vector<CacheKey> tasks;
};

class CacheListing {
  public:
    static constexpr const char *file_name = "qdcache.qdb";
    std::map<KernelKey, ListedKernel> kernels;

    /// False: there is a listing that cannot be read.
    bool load(const CacheFolder &folder);
    /// How many bytes of kernels there are, and when that was written; false if it cannot be told.
    static bool glance(const CacheFolder &folder, uint64_t *bytes, uint64_t *written);
    /// Without kernels there is no listing. False if it cannot be written.
    bool store(const CacheFolder &folder) const;
    /// Takes the files of the folder for the truth.
    void follow(const CacheFolder &folder);
    uint64_t bytes() const;
    /// The kernels that these limits remove.
    std::vector<KernelKey> surplus(const CacheLimits &limits, const LibraryVersion &own) const;
};

} // namespace qd::runtime
