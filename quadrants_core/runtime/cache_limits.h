#pragma once
// How much is kept on disk.
#include <array>
#include <cstdint>
#include <string_view>

namespace qd::runtime {

/// What a clean-up removes.
enum class Cleaning : uint8_t {
    never,
    version, ///< files that another version wrote
    lru,     ///< over the limit: those of other versions, then those used longest ago
    fifo,    ///< over the limit: those of other versions, then those written longest ago
};

/// By name, as above; whether there is one of that name.
constexpr bool read_cleaning(std::string_view name, Cleaning *found) {
    constexpr std::array<std::string_view, 4> names{"never", "version", "lru", "fifo"};
    for (size_t i = 0; i < names.size(); i++) {
        if (names[i] != name) continue;
        *found = Cleaning(i);
        return true;
    }
    return false;
}

struct CacheLimits {
    uint64_t max_bytes = 100u << 20;
    Cleaning cleaning = Cleaning::lru;
    double factor = 0.25; ///< part of the files that goes if there is more than max_bytes
};

} // namespace qd::runtime
