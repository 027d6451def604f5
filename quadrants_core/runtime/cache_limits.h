#pragma once
// How much is kept on disk.
#include <cstdint>

namespace qd::runtime {

/// What a clean-up removes.
enum class Cleaning : uint8_t {
    never,
    version, ///< files that another version wrote
    lru,     ///< over the limit: those of other versions, then those used longest ago
    fifo,    ///< over the limit: those of other versions, then those written longest ago
};

struct CacheLimits {
    uint64_t max_bytes = 100u << 20;
    Cleaning cleaning = Cleaning::lru;
    double factor = 0.25; ///< part of the files that goes if there is more than max_bytes
};

} // namespace qd::runtime
