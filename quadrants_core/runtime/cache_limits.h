#pragma once
// How much is kept on disk.
#include <cstdint>
#include <string_view>

namespace qd::runtime {

/// What a clean-up removes.
enum class Cleaning : uint8_t {
    never,
    version, ///< what another version of the library wrote
    lru,     ///< at the limit: what other versions wrote, then what was used longest ago
    fifo,    ///< at the limit: what other versions wrote, then what was written longest ago
};

/// By name, as above; an unknown one removes nothing.
constexpr Cleaning cleaning_of(std::string_view name) {
    if (name == "version") return Cleaning::version;
    if (name == "lru") return Cleaning::lru;
    return name == "fifo" ? Cleaning::fifo : Cleaning::never;
}

struct CacheLimits {
    uint64_t max_bytes = 100u << 20;
    Cleaning cleaning = Cleaning::lru;
    double factor = 0.25; ///< part of the kernels that goes once there are max_bytes
    bool operator==(const CacheLimits &) const = default;
};

} // namespace qd::runtime
