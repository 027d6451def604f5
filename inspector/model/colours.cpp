#include "model/colours.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace qd::inspector {

namespace {

// Evenly spaced; colours between them are interpolated.
constexpr std::array<std::uint32_t, 9> anchors[] = {
    {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725},
    {0x000004, 0x1c1044, 0x4f127b, 0x812581, 0xb5367a, 0xe55064, 0xfb8761, 0xfec287, 0xfcfdbf},
    {0x000000, 0x202020, 0x404040, 0x606060, 0x808080, 0xa0a0a0, 0xc0c0c0, 0xe0e0e0, 0xffffff},
    {0x3b4cc0, 0x6788ee, 0x9abbff, 0xc9d7f0, 0xedeae6, 0xf2cbb7, 0xf7a889, 0xe26952, 0xb40426},
};

std::uint32_t mixed(std::uint32_t a, std::uint32_t b, double share) {
    std::uint32_t out = 0xff000000u;
    for (int k = 0; k < 3; k++) { // 0xRRGGBB to red first
        const double from = double(a >> (16 - 8 * k) & 0xff), to = double(b >> (16 - 8 * k) & 0xff);
        out |= std::uint32_t(std::lround(from + (to - from) * share)) << (8 * k);
    }
    return out;
}

} // namespace

std::uint32_t colour_of(ColourMap map, double share) {
    const auto &all = anchors[int(map)];
    const double at = std::clamp(share, 0., 1.) * double(all.size() - 1);
    const auto below = std::min(std::size_t(at), all.size() - 2);
    return mixed(all[below], all[below + 1], at - double(below));
}

void paint_samples(Picture &to, std::span<const float> samples, int width, int height, ColourMap map, float lowest,
                   float highest) {
    std::array<std::uint32_t, 256> table;
    for (std::size_t k = 0; k < table.size(); k++) table[k] = colour_of(map, double(k) / 255);
    to.resize(width, height);
    const float range = highest - lowest, factor = range > 0 ? 255.999f / range : 0.f;
    for (int y = 0; y < height; y++) {
        std::uint32_t *row = to.row(height - 1 - y);
        for (int x = 0; x < width; x++) {
            const float v = samples[std::size_t(x) * std::size_t(height) + std::size_t(y)];
            if (std::isnan(v)) {
                row[x] = nan_colour;
            } else if (std::isinf(v)) {
                row[x] = infinity_colour;
            } else {
                const float at = range > 0 ? (v - lowest) * factor : 128.f;
                row[x] = table[std::size_t(std::clamp(at, 0.f, 255.f))];
            }
        }
    }
}

} // namespace qd::inspector
