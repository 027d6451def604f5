// Draws frames on the processor, in bands of rows on several threads: the same picture on every machine, with or without a
// display or a driver.
#pragma once

#include <functional>

#include "model/frame.h"
#include "model/picture.h"

namespace qd::inspector {

// Rows that one thread draws.
struct Band {
    int top, bottom;
};

struct Canvas {
    Picture picture;
    std::vector<float> depth; // 1 at the near plane, 0 at the far one and in empty pixels
};

// Draws the letters of a text, in the caller's font.
using Letters = std::function<void(Picture &to, const Text &text, Band band)>;

void paint(const Frame &frame, Canvas &to, const Letters &letters);

// Draws a scene into one band (scene.cpp).
void paint_scene(const Scene &scene, Canvas &to, Band band);
// A line of given width between two points in pixels, y down; its colour changes linearly from one end to the other. The depth
// test needs a depth for each end and the depth buffer `depth`; null: no test.
struct Stroke {
    float x0, y0, x1, y1, width;
    std::uint32_t from, to;
    float depth0 = 0, depth1 = 0;
};
void paint_stroke(Picture &to, const Stroke &stroke, Band band, float *depth);

std::uint32_t mixed(std::uint32_t a, std::uint32_t b, float share);

} // namespace qd::inspector
