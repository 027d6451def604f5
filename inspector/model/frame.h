// A picture that a script drew, as lists of things. Their numbers are in shared memory, which the script does not change until
// it is notified that the frame was shown. Everything is checked while it is read: spans are within their memory, whatever
// numbers they hold.
#pragma once

#include <array>
#include <cstdint>
#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "model/connection.h"

namespace qd::inspector {

// One value for all items, or one for each.
template <class T> struct Each {
    T one{};
    std::span<const T> many{};
    T operator[](std::size_t i) const { return many.empty() ? one : many[i]; }
};

// Positions on the canvas go from (0, 0), lower left, to (1, 1); colours are bytes red, green, blue, alpha; lengths are pixels.
struct Image { // columns from the left, each from the bottom up
    enum class Format { f32, u8, u16, u32 };
    int width, height, components; // 1: grey; 2: red and green; the fourth is ignored
    Format format;
    std::span<const std::byte> pixels;
};

struct Discs {
    std::span<const float> centres; // x, y
    Each<float> radius;
    Each<std::uint32_t> colour;
};

struct Lines {
    std::span<const float> ends; // x, y of one end, then of the other
    Each<float> width;
    Each<std::uint32_t> colour;
    bool by_end; // two colours per line
};

struct Triangles {
    std::span<const float> corners; // x, y, three times
    Each<std::uint32_t> colour;
    bool by_corner;
};

struct Text {
    std::string text;
    float x, y, size;
    std::uint32_t colour;
};

struct Balls {
    std::span<const float> centres; // x, y, z
    Each<float> radius;             // in units of the scene
    Each<std::uint32_t> colour;
};

struct Mesh {
    std::span<const float> vertices, normals;
    std::span<const std::uint32_t> indices; // none: triples of vertices in order
    std::int64_t first = 0;                 // added to indices
    Each<std::uint32_t> colour;             // by vertex
    std::span<const float> transforms;      // 16 each, row-major; none: the identity
    bool two_sided, wireframe;
};

struct Segments {
    std::span<const float> ends; // x, y, z of one end, then of the other
    Each<float> width;
    Each<std::uint32_t> colour;
    bool by_end;
};

struct Light {
    std::array<float, 3> place, colour;
};

struct Scene {
    std::array<float, 16> view, projection; // row-major
    std::array<float, 3> ambient;
    std::vector<Light> lights;
    std::vector<std::variant<Balls, Mesh, Segments>> things;
};

struct Frame {
    int width = 0, height = 0;
    std::uint32_t background = 0xff000000u;
    std::vector<std::variant<Image, Discs, Lines, Triangles, Text, Scene>> things;
    std::vector<std::vector<std::uint32_t>> colours; // converted from another form
};

// Throws Garbled.
Frame frame_of(const Json &message, const Connection &connection);

} // namespace qd::inspector
