// A picture in memory: rows from the top, red first in memory.
#pragma once

#include <cstdint>
#include <vector>

namespace qd::inspector {

struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;

    void resize(int w, int h) {
        width = w, height = h;
        pixels.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
    }
    std::uint32_t *row(int y) { return pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width); }
    const std::uint32_t *row(int y) const {
        return pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    }
};

// Blends `over` onto `under` by `share` (0 to 255). `under` is opaque, and so is the result.
inline std::uint32_t blend(std::uint32_t under, std::uint32_t over, std::uint32_t share) {
    const std::uint32_t keep = 255 - share;
    const std::uint32_t rb = (under & 0xff00ff) * keep + (over & 0xff00ff) * share + 0x800080;
    const std::uint32_t g = (under >> 8 & 0xff) * keep + (over >> 8 & 0xff) * share + 0x80;
    return 0xff000000u | ((rb + (rb >> 8 & 0xff00ff)) >> 8 & 0xff00ff) | ((g + (g >> 8)) & 0xff00);
}

constexpr int max_pixels_a_side = 16384;

} // namespace qd::inspector
