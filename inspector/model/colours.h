// Colour maps for samples.
#pragma once

#include <cstdint>
#include <span>

#include "model/picture.h"

namespace qd::inspector {

enum class ColourMap { viridis, magma, grey, diverging };
constexpr const char *colour_map_names[] = {"viridis", "magma", "grey", "diverging"};
constexpr std::uint32_t nan_colour = 0xffff00ff, infinity_colour = 0xffffff00; // magenta, cyan: in none of the maps

// Returns the colour of a `share` from 0 to 1; red first in memory, as in Picture.
std::uint32_t colour_of(ColourMap map, double share);

// Paints samples. Sample (x, y) is at x * height + y; row 0 of the picture is the largest y.
void paint_samples(Picture &to, std::span<const float> samples, int width, int height, ColourMap map, float lowest,
                   float highest);

} // namespace qd::inspector
