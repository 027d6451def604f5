#pragma once
// The memory accesses of region sections that a kernel compiled with checks reports. Its code calls two functions like those of external
// libraries (runtime/externals.h), by these ids, which no library function has.
#include <cstdint>

namespace qd {

/// (): a region begins.
inline constexpr uint64_t region_begins_id = 1;
/// (address, SectionAccess, out): returns the earlier, conflicting access of another section to that address, or 0.
inline constexpr uint64_t section_access_id = 2;

/// An access packed into one word, never 0.
struct SectionAccess {
    enum class How : uint8_t { read = 1, update, write }; ///< update: atomic; several are compatible, as reads are
    How how = How::read;
    uint32_t section = 0; ///< within the region, from 0; at most 2^24 - 1
    uint32_t line = 0;

    uint64_t word() const { return uint64_t(how) << 56 | uint64_t(section) << line_bits | line; }
    static SectionAccess from(uint64_t word) {
        return {How(word >> 56), uint32_t(word >> line_bits & section_mask), uint32_t(word)};
    }
    static constexpr uint64_t line_bits = 32, section_mask = 0xffffff;
};

} // namespace qd
