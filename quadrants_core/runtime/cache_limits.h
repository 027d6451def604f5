#pragma once
// Limits of the cache on disk.
#include <cstdint>
#include <string_view>

namespace qd::runtime {

/// The kernels that a clean-up removes.
enum class Cleaning : uint8_t {
    never,
    version, ///< kernels written by other versions of the library
    lru,     ///< at the limit: kernels of other versions, then the least recently used
    fifo,    ///< at the limit: kernels of other versions, then the oldest
};

/// Maps the names above; an unknown name removes nothing.
constexpr Cleaning cleaning_of(std::string_view name) {
    if (name == "version") return Cleaning::version;
    if (name == "lru") return Cleaning::lru;
    return name == "fifo" ? Cleaning::fifo : Cleaning::never;
}

struct CacheLimits {
    uint64_t max_bytes = 100u << 20;
    Cleaning cleaning = Cleaning::lru;
    double factor = 0.25; ///< the fraction of kernels to remove once there are max_bytes
    bool operator==(const CacheLimits &) const = default;
};

} // namespace qd::runtime
