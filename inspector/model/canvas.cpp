#include "model/canvas.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <type_traits>

namespace qd::inspector {

namespace {

struct Point {
    float x, y;
};

// Clamps a coordinate to the range of int: far outside the picture its value does not matter.
int whole(float x) { return int(std::clamp(x, -1e6f, 1e6f)); }

std::uint32_t share_of(std::uint32_t colour, float covered) {
    return std::uint32_t(float(colour >> 24) * covered + 0.5f);
}

void disc(Picture &to, Point centre, float radius, std::uint32_t colour, Band band) {
    const float reach = radius + 0.5f;
    if (!(reach > 0.5f) || !std::isfinite(centre.x + centre.y + reach)) return;
    const int top = std::max(band.top, whole(std::floor(centre.y - reach))),
              bottom = std::min(band.bottom, whole(std::ceil(centre.y + reach)));
    // Discs of less than a pixel are fainter, not smaller.
    const float faint = radius < 0.5f ? radius * 2 : 1;
    const float r = std::max(radius, 0.5f), inner = std::max(r - 0.5f, 0.f) * std::max(r - 0.5f, 0.f),
                outer = (r + 0.5f) * (r + 0.5f);
    for (int y = top; y < bottom; ++y) {
        const float dy = float(y) + 0.5f - centre.y, rest = outer - dy * dy;
        if (rest <= 0) continue;
        const float half = std::sqrt(rest);
        const int left = std::max(0, whole(std::floor(centre.x - half))),
                  right = std::min(to.width, whole(std::ceil(centre.x + half)));
        std::uint32_t *row = to.row(y);
        for (int x = left; x < right; ++x) {
            const float dx = float(x) + 0.5f - centre.x, square = dx * dx + dy * dy;
            const float covered = square <= inner   ? 1
                                  : square >= outer ? 0
                                                    : std::min(1.f, r + 0.5f - std::sqrt(square));
            if (covered > 0) row[x] = blend(row[x], colour, share_of(colour, covered * faint));
        }
    }
}

void triangle(Picture &to, Point a, Point b, Point c, const std::uint32_t colours[3], Band band) {
    float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!std::isfinite(area) || std::abs(area) < 1e-9f) return;
    const int top = std::max(band.top, whole(std::floor(std::min({a.y, b.y, c.y})))),
              bottom = std::min(band.bottom, whole(std::ceil(std::max({a.y, b.y, c.y}))));
    const int left = std::max(0, whole(std::floor(std::min({a.x, b.x, c.x})))),
              right = std::min(to.width, whole(std::ceil(std::max({a.x, b.x, c.x}))));
    const bool plain = colours[0] == colours[1] && colours[1] == colours[2];
    // A pixel whose centre is on an edge belongs to one of the two adjacent triangles.
    const auto owns = [&](Point p, Point q) {
        return area > 0 ? p.y > q.y || (p.y == q.y && p.x < q.x) : p.y < q.y || (p.y == q.y && p.x > q.x);
    };
    const bool own_a = owns(b, c), own_b = owns(c, a), own_c = owns(a, b);
    for (int y = top; y < bottom; ++y) {
        const float py = float(y) + 0.5f;
        std::uint32_t *row = to.row(y);
        for (int x = left; x < right; ++x) {
            const float px = float(x) + 0.5f;
            const float wa = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) / area,
                        wb = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) / area,
                        wc = ((a.x - px) * (b.y - py) - (a.y - py) * (b.x - px)) / area;
            if (wa < 0 || wb < 0 || wc < 0 || (wa == 0 && !own_a) || (wb == 0 && !own_b) || (wc == 0 && !own_c))
                continue;
            const std::uint32_t colour =
                plain ? colours[0]
                      : mixed(mixed(colours[0], colours[1], wb / std::max(wa + wb, 1e-6f)), colours[2], wc);
            row[x] = blend(row[x], colour, colour >> 24);
        }
    }
}

template <class T> std::uint32_t byte_of(T x) {
    if constexpr (std::is_same_v<T, float>)
        return x > 0 ? std::uint32_t(std::min(x, 1.f) * 255 + 0.5f) : 0; // NaN is black
    else
        return std::uint32_t(x >> (8 * (sizeof(T) - 1)));
}

template <class T> void image_of(Picture &to, const Image &from, Band band) {
    const T *pixels = reinterpret_cast<const T *>(from.pixels.data());
    const auto pixel = [&](int x, int y) {
        const T *at =
            pixels + (std::size_t(x) * std::size_t(from.height) + std::size_t(y)) * std::size_t(from.components);
        const std::uint32_t first = byte_of(at[0]);
        if (from.components == 1) return 0xff000000u | first * 0x010101u;
        const std::uint32_t blue = from.components > 2 ? byte_of(at[2]) : 0;
        return 0xff000000u | first | byte_of(at[1]) << 8 | blue << 16;
    };
    if (from.width == to.width && from.height == to.height) {
        for (int x0 = 0; x0 < to.width; x0 += 16) // in blocks: columns of the image are rows of the picture
            for (int y = band.top; y < band.bottom; ++y)
                for (int x = x0; x < std::min(x0 + 16, to.width); ++x) to.row(y)[x] = pixel(x, to.height - 1 - y);
        return;
    }
    const float sx = float(from.width) / float(to.width), sy = float(from.height) / float(to.height);
    for (int y = band.top; y < band.bottom; ++y) {
        const float v = std::clamp((float(to.height - 1 - y) + 0.5f) * sy - 0.5f, 0.f, float(from.height - 1));
        const int below = int(v), above = std::min(below + 1, from.height - 1);
        for (int x = 0; x < to.width; ++x) {
            const float u = std::clamp((float(x) + 0.5f) * sx - 0.5f, 0.f, float(from.width - 1));
            const int left = int(u), right = std::min(left + 1, from.width - 1);
            const float across = u - float(left);
            to.row(y)[x] = mixed(mixed(pixel(left, below), pixel(right, below), across),
                                 mixed(pixel(left, above), pixel(right, above), across), v - float(below));
        }
    }
}

void image(Picture &to, const Image &from, Band band) {
    switch (from.format) {
    case Image::Format::f32: return image_of<float>(to, from, band);
    case Image::Format::u8: return image_of<std::uint8_t>(to, from, band);
    case Image::Format::u16: return image_of<std::uint16_t>(to, from, band);
    case Image::Format::u32: return image_of<std::uint32_t>(to, from, band);
    }
}

void paint_band(const Frame &frame, Canvas &to, const Letters &letters, Band band) {
    const float w = float(frame.width), h = float(frame.height);
    const auto place = [&](const float *at) { return Point{at[0] * w, (1 - at[1]) * h}; };
    Picture &picture = to.picture;
    for (int y = band.top; y < band.bottom; ++y) std::fill_n(picture.row(y), picture.width, frame.background);
    std::fill(to.depth.begin() + std::ptrdiff_t(band.top) * frame.width,
              to.depth.begin() + std::ptrdiff_t(band.bottom) * frame.width, 0.f);
    for (const auto &thing : frame.things) {
        if (const auto *one = std::get_if<Image>(&thing)) image(picture, *one, band);
        if (const auto *one = std::get_if<Text>(&thing)) letters(picture, *one, band);
        if (const auto *one = std::get_if<Scene>(&thing)) paint_scene(*one, to, band);
        if (const auto *one = std::get_if<Discs>(&thing))
            for (std::size_t i = 0; i < one->centres.size() / 2; ++i)
                disc(picture, place(&one->centres[i * 2]), one->radius[i], one->colour[i], band);
        if (const auto *one = std::get_if<Lines>(&thing))
            for (std::size_t i = 0; i < one->ends.size() / 4; ++i) {
                const Point a = place(&one->ends[i * 4]), b = place(&one->ends[i * 4 + 2]);
                const std::uint32_t from = one->colour[one->by_end ? i * 2 : i],
                                    until = one->colour[one->by_end ? i * 2 + 1 : i];
                paint_stroke(picture, {a.x, a.y, b.x, b.y, one->width[i], from, until}, band, nullptr);
            }
        if (const auto *one = std::get_if<Triangles>(&thing))
            for (std::size_t i = 0; i < one->corners.size() / 6; ++i) {
                std::uint32_t colours[3];
                for (std::size_t k = 0; k < 3; ++k) colours[k] = one->colour[one->by_corner ? i * 3 + k : i];
                triangle(picture, place(&one->corners[i * 6]), place(&one->corners[i * 6 + 2]),
                         place(&one->corners[i * 6 + 4]), colours, band);
            }
    }
}

// Estimates the work of a frame: several threads pay off only if it is large.
std::size_t work(const Frame &frame) {
    std::size_t sum = std::size_t(frame.width) * std::size_t(frame.height) / 16;
    for (const auto &thing : frame.things) {
        if (const auto *one = std::get_if<Discs>(&thing)) sum += one->centres.size() * 8;
        if (const auto *one = std::get_if<Lines>(&thing)) sum += one->ends.size() * 8;
        if (const auto *one = std::get_if<Triangles>(&thing)) sum += one->corners.size() * 8;
        if (std::get_if<Scene>(&thing)) sum += 1u << 20;
    }
    return sum;
}

} // namespace

std::uint32_t mixed(std::uint32_t a, std::uint32_t b, float share) {
    const std::uint32_t t = std::uint32_t(std::clamp(share, 0.f, 1.f) * 256), s = 256 - t;
    const std::uint32_t rb = ((a & 0xff00ff) * s + (b & 0xff00ff) * t) >> 8 & 0xff00ff;
    const std::uint32_t ga = ((a >> 8 & 0xff00ff) * s + (b >> 8 & 0xff00ff) * t) & 0xff00ff00u;
    return rb | ga;
}

void paint_stroke(Picture &to, const Stroke &stroke, Band band, float *depth) {
    const float dx = stroke.x1 - stroke.x0, dy = stroke.y1 - stroke.y0;
    const float length = float(std::sqrt(double(dx) * dx + double(dy) * dy)); // std::hypot of floats needs glibc 2.35
    if (!std::isfinite(length) || !(stroke.width > 0)) return;
    const float faint = std::min(stroke.width, 1.f), half = std::max(stroke.width, 1.f) / 2, reach = half + 0.5f;
    const float ux = length > 0 ? dx / length : 1, uy = length > 0 ? dy / length : 0;
    const int top = std::max(band.top, whole(std::floor(std::min(stroke.y0, stroke.y1) - reach)));
    const int bottom = std::min(band.bottom, whole(std::ceil(std::max(stroke.y0, stroke.y1) + reach)));
    const float least = std::min(stroke.x0, stroke.x1) - reach, most = std::max(stroke.x0, stroke.x1) + reach;
    const bool plain = stroke.from == stroke.to;
    for (int y = top; y < bottom; ++y) {
        const float py = float(y) + 0.5f - stroke.y0;
        float low = least, high = most;
        if (std::abs(uy) > 1e-4f) { // the part of the row near the line through both ends
            const float middle = stroke.x0 + py * ux / uy, span = reach / std::abs(uy);
            low = std::max(low, middle - span), high = std::min(high, middle + span);
        }
        const int left = std::max(0, whole(std::floor(low))), right = std::min(to.width, whole(std::ceil(high)));
        std::uint32_t *row = to.row(y);
        for (int x = left; x < right; ++x) {
            const float px = float(x) + 0.5f - stroke.x0, along = px * ux + py * uy,
                        across = std::abs(px * uy - py * ux);
            const float past = std::max({0.f, -along, along - length}); // butt ends, blurred over one pixel
            const float covered = std::clamp(reach - across, 0.f, 1.f) * std::clamp(1 - past, 0.f, 1.f);
            if (covered <= 0) continue;
            const float t = length > 0 ? std::clamp(along / length, 0.f, 1.f) : 0;
            if (depth) {
                float &there = depth[std::size_t(y) * std::size_t(to.width) + std::size_t(x)];
                const float here = stroke.depth0 + (stroke.depth1 - stroke.depth0) * t;
                if (!(here >= there)) continue;
                if (covered > 0.5f) there = here;
            }
            const std::uint32_t colour = plain ? stroke.from : mixed(stroke.from, stroke.to, t);
            row[x] = blend(row[x], colour, share_of(colour, covered * faint));
        }
    }
}

void paint(const Frame &frame, Canvas &to, const Letters &letters) {
    to.picture.resize(frame.width, frame.height);
    to.depth.resize(to.picture.pixels.size());
    const std::size_t bands =
        std::clamp<std::size_t>(work(frame) >> 16, 1, std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
    const auto band = [&](std::size_t i) {
        return Band{int(std::size_t(frame.height) * i / bands), int(std::size_t(frame.height) * (i + 1) / bands)};
    };
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < bands; ++i) helpers.emplace_back([&, i] { paint_band(frame, to, letters, band(i)); });
    paint_band(frame, to, letters, band(0));
}

} // namespace qd::inspector
