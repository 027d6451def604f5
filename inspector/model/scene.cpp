// Draws scenes of balls, triangles and lines: every pixel is lit by the ambient light and, by Lambert's law, by the point lights.
#include <algorithm>
#include <cmath>

#include "model/canvas.h"

namespace qd::inspector {

namespace {

struct V3 {
    float x, y, z;
};

V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V3 operator*(V3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V3 normal(V3 a) {
    const float length = std::sqrt(dot(a, a));
    return length > 0 ? a * (1 / length) : a;
}

using Matrix = std::array<float, 16>;

V3 apply(const Matrix &m, V3 p) {
    return {m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3], m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7],
            m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]};
}

V3 turn(const Matrix &m, V3 p) {
    return {m[0] * p.x + m[1] * p.y + m[2] * p.z, m[4] * p.x + m[5] * p.y + m[6] * p.z,
            m[8] * p.x + m[9] * p.y + m[10] * p.z};
}

struct Corner {
    V3 place, normal; // in camera space; the camera looks along -z
    float r, g, b, a;
};

struct Seen {
    float x, y, depth, w;
};

class Painter {
  public:
    Painter(const Scene &scene, Canvas &to, Band band)
        : scene_(scene), to_(to), band_(band), width_(float(to.picture.width)), height_(float(to.picture.height)) {
        for (const Light &light : scene.lights) {
            const auto &[r, g, b] = light.colour;
            if (r != 0 || g != 0 || b != 0)
                lights_.push_back({apply(scene.view, {light.place[0], light.place[1], light.place[2]}), {r, g, b}});
        }
        perspective_ = scene.projection[14] != 0; // w grows with the distance
    }

    void operator()(const Balls &balls) {
        for (std::size_t i = 0; i < balls.centres.size() / 3; ++i) {
            const V3 centre =
                apply(scene_.view, {balls.centres[i * 3], balls.centres[i * 3 + 1], balls.centres[i * 3 + 2]});
            ball(centre, balls.radius[i], balls.colour[i]);
        }
    }

    void operator()(const Segments &lines) {
        for (std::size_t i = 0; i < lines.ends.size() / 6; ++i) {
            const float *at = &lines.ends[i * 6];
            const V3 a = apply(scene_.view, {at[0], at[1], at[2]}), b = apply(scene_.view, {at[3], at[4], at[5]});
            line(a, b, lines.width[i], lines.colour[lines.by_end ? i * 2 : i],
                 lines.colour[lines.by_end ? i * 2 + 1 : i]);
        }
    }

    void operator()(const Mesh &mesh) {
        const std::size_t instances = mesh.transforms.empty() ? 1 : mesh.transforms.size() / 16;
        const std::size_t corners = mesh.indices.empty() ? mesh.vertices.size() / 3 : mesh.indices.size();
        std::vector<Corner> seen(mesh.vertices.size() / 3);
        for (std::size_t instance = 0; instance < instances; ++instance) {
            Matrix place = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
            if (!mesh.transforms.empty()) std::copy_n(&mesh.transforms[instance * 16], 16, place.begin());
            for (std::size_t v = 0; v < seen.size(); ++v) {
                const V3 at = apply(place, {mesh.vertices[v * 3], mesh.vertices[v * 3 + 1], mesh.vertices[v * 3 + 2]});
                const V3 out = turn(place, {mesh.normals[v * 3], mesh.normals[v * 3 + 1], mesh.normals[v * 3 + 2]});
                const std::uint32_t c = mesh.colour[v];
                seen[v] = {apply(scene_.view, at), normal(turn(scene_.view, out)), float(c & 255),
                           float(c >> 8 & 255),    float(c >> 16 & 255),           float(c >> 24)};
            }
            const auto corner = [&](std::size_t i) -> const Corner * {
                const std::int64_t v =
                    (mesh.indices.empty() ? std::int64_t(i) : std::int64_t(mesh.indices[i])) + mesh.first;
                return v >= 0 && v < std::int64_t(seen.size()) ? &seen[std::size_t(v)] : nullptr;
            };
            for (std::size_t i = 0; i + 2 < corners; i += 3) {
                const Corner *a = corner(i), *b = corner(i + 1), *c = corner(i + 2);
                if (!a || !b || !c) continue;
                if (mesh.wireframe)
                    wires(*a, *b, *c);
                else
                    triangle(*a, *b, *c, mesh.two_sided);
            }
        }
    }

  private:
    struct Lamp {
        V3 place, colour;
    };

    Seen see(V3 p) const {
        const Matrix &m = scene_.projection;
        const float w = m[12] * p.x + m[13] * p.y + m[14] * p.z + m[15], over = 1 / w;
        const float x = (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]) * over,
                    y = (m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7]) * over;
        return {(x + 1) / 2 * width_, (1 - y) / 2 * height_, (m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11]) * over, w};
    }

    // Returns how far a point is in front of the near plane, where it is clipped. Depth is 1 on the plane.
    float before(V3 p) const {
        const Matrix &m = scene_.projection;
        const float z = m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11],
                    w = m[12] * p.x + m[13] * p.y + m[14] * p.z + m[15];
        return z - w; // > 0: too near
    }

    std::uint32_t lit(V3 at, V3 out, float r, float g, float b, bool two_sided = false) const {
        V3 sum = {scene_.ambient[0], scene_.ambient[1], scene_.ambient[2]};
        for (const Lamp &lamp : lights_) {
            const float towards = dot(out, normal(lamp.place - at)), share = two_sided ? std::abs(towards) : towards;
            if (share > 0) sum = sum + lamp.colour * share;
        }
        const auto byte = [](float x) { return std::uint32_t(std::clamp(x + 0.5f, 0.f, 255.f)); };
        return byte(r * sum.x) | byte(g * sum.y) << 8 | byte(b * sum.z) << 16;
    }

    void ball(V3 centre, float radius, std::uint32_t colour) {
        if (!(radius > 0) || !std::isfinite(dot(centre, centre)) || before(centre) > 0) return;
        const Seen middle = see(centre);
        const float pixels =
            std::abs(scene_.projection[5] / middle.w) * radius * height_ / 2; // its radius on the screen
        if (!std::isfinite(pixels) || !std::isfinite(middle.x + middle.y) || !(middle.depth >= 0)) return;
        const float reach = std::max(pixels, 0.5f);
        const int top = std::max(band_.top, int(std::clamp(std::floor(middle.y - reach), -1.f, 32768.f)));
        const int bottom = std::min(band_.bottom, int(std::clamp(std::ceil(middle.y + reach), -1.f, 32768.f)));
        const int left = std::max(0, int(std::clamp(std::floor(middle.x - reach), -1.f, 32768.f)));
        const int right = std::min(to_.picture.width, int(std::clamp(std::ceil(middle.x + reach), -1.f, 32768.f)));
        const float share = float(colour >> 24), r = float(colour & 255), g = float(colour >> 8 & 255),
                    b = float(colour >> 16 & 255);
        const float scale = 1 / reach, alpha = share * std::min(pixels * 2, 1.f);
        const bool tiny = pixels < 1;
        for (int y = top; y < bottom; ++y) {
            const float ny = -(float(y) + 0.5f - middle.y) * scale;
            for (int x = left; x < right; ++x) {
                const float nx = (float(x) + 0.5f - middle.x) * scale, rest = 1 - nx * nx - ny * ny;
                if (rest < 0 && !tiny) continue;
                const float nz = std::sqrt(std::max(rest, 0.f));
                const V3 out = tiny ? V3{0, 0, 1} : V3{nx, ny, nz}, at = centre + out * radius;
                float &there = to_.depth[std::size_t(y) * std::size_t(to_.picture.width) + std::size_t(x)];
                const Matrix &m = scene_.projection;
                const float w = m[14] * at.z + m[15], here = (m[10] * at.z + m[11]) / w;
                if (!(here >= there)) continue;
                there = here;
                put(x, y, lit(at, out, r, g, b), alpha);
            }
        }
    }

    void put(int x, int y, std::uint32_t colour, float alpha) {
        std::uint32_t &pixel = to_.picture.row(y)[x];
        pixel = blend(pixel, colour, std::uint32_t(std::clamp(alpha + 0.5f, 0.f, 255.f)));
    }

    static Corner between(const Corner &a, const Corner &b, float t) {
        const auto mix = [t](float p, float q) { return p + (q - p) * t; };
        return {a.place + (b.place - a.place) * t,
                a.normal + (b.normal - a.normal) * t,
                mix(a.r, b.r),
                mix(a.g, b.g),
                mix(a.b, b.b),
                mix(a.a, b.a)};
    }

    void triangle(const Corner &a, const Corner &b, const Corner &c, bool two_sided) {
        const Corner *all[3] = {&a, &b, &c};
        float ahead[3];
        int hidden = 0;
        for (int i = 0; i < 3; ++i) {
            ahead[i] = before(all[i]->place);
            if (!std::isfinite(ahead[i])) return;
            hidden += ahead[i] > 0;
        }
        if (hidden == 3) return;
        if (hidden == 0) return whole(a, b, c, two_sided);
        Corner kept[4];
        int n = 0;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            if (ahead[i] <= 0) kept[n++] = *all[i];
            if ((ahead[i] > 0) != (ahead[j] > 0))
                kept[n++] = between(*all[i], *all[j], ahead[i] / (ahead[i] - ahead[j]));
        }
        for (int i = 2; i < n; ++i) whole(kept[0], kept[i - 1], kept[i], two_sided);
    }

    void whole(const Corner &a, const Corner &b, const Corner &c, bool two_sided) {
        const Seen p = see(a.place), q = see(b.place), r = see(c.place);
        const float area = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
        if (!std::isfinite(area) || std::abs(area) < 1e-9f) return;
        const auto bound = [](float x) { return int(std::clamp(x, -1.f, 32768.f)); };
        const int top = std::max(band_.top, bound(std::floor(std::min({p.y, q.y, r.y})))),
                  bottom = std::min(band_.bottom, bound(std::ceil(std::max({p.y, q.y, r.y}))));
        const int left = std::max(0, bound(std::floor(std::min({p.x, q.x, r.x})))),
                  right = std::min(to_.picture.width, bound(std::ceil(std::max({p.x, q.x, r.x}))));
        const auto owns = [&](const Seen &s, const Seen &t) {
            return area > 0 ? s.y > t.y || (s.y == t.y && s.x < t.x) : s.y < t.y || (s.y == t.y && s.x > t.x);
        };
        const bool own_p = owns(q, r), own_q = owns(r, p), own_r = owns(p, q);
        const float over = 1 / area, ip = 1 / p.w, iq = 1 / q.w, ir = 1 / r.w;
        for (int y = top; y < bottom; ++y) {
            const float py = float(y) + 0.5f;
            for (int x = left; x < right; ++x) {
                const float px = float(x) + 0.5f;
                const float wp = ((q.x - px) * (r.y - py) - (q.y - py) * (r.x - px)) * over,
                            wq = ((r.x - px) * (p.y - py) - (r.y - py) * (p.x - px)) * over,
                            wr = ((p.x - px) * (q.y - py) - (p.y - py) * (q.x - px)) * over;
                if (wp < 0 || wq < 0 || wr < 0 || (wp == 0 && !own_p) || (wq == 0 && !own_q) || (wr == 0 && !own_r))
                    continue;
                const float here = p.depth * wp + q.depth * wq + r.depth * wr;
                float &there = to_.depth[std::size_t(y) * std::size_t(to_.picture.width) + std::size_t(x)];
                if (!(here >= there) || here < 0) continue;
                const float sp = perspective_ ? wp * ip : wp, sq = perspective_ ? wq * iq : wq,
                            sr = perspective_ ? wr * ir : wr, sum = 1 / (sp + sq + sr);
                const float u = sp * sum, v = sq * sum, w = sr * sum;
                const V3 at = a.place * u + b.place * v + c.place * w;
                const V3 out = normal(a.normal * u + b.normal * v + c.normal * w);
                there = here;
                put(x, y,
                    lit(at, out, a.r * u + b.r * v + c.r * w, a.g * u + b.g * v + c.g * w, a.b * u + b.b * v + c.b * w,
                        two_sided),
                    a.a * u + b.a * v + c.a * w);
            }
        }
    }

    static std::uint32_t packed(const Corner &a) {
        return std::uint32_t(a.r) | std::uint32_t(a.g) << 8 | std::uint32_t(a.b) << 16 | std::uint32_t(a.a) << 24;
    }

    void wires(const Corner &a, const Corner &b, const Corner &c) {
        line(a.place, b.place, 1, packed(a), packed(b));
        line(b.place, c.place, 1, packed(b), packed(c));
        line(c.place, a.place, 1, packed(c), packed(a));
    }

    void line(V3 a, V3 b, float width, std::uint32_t from, std::uint32_t until) {
        const float da = before(a), db = before(b);
        if (!std::isfinite(da + db) || (da > 0 && db > 0)) return;
        if (da > 0 || db > 0) {
            const float t = da / (da - db);
            const V3 cut = a + (b - a) * t;
            const std::uint32_t colour = mixed(from, until, t);
            if (da > 0)
                a = cut, from = colour;
            else
                b = cut, until = colour;
        }
        const Seen p = see(a), q = see(b);
        if (p.depth < 0 && q.depth < 0) return;
        paint_stroke(to_.picture, {p.x, p.y, q.x, q.y, width, from, until, p.depth, q.depth}, band_, to_.depth.data());
    }

    const Scene &scene_;
    Canvas &to_;
    const Band band_;
    const float width_, height_;
    std::vector<Lamp> lights_;
    bool perspective_;
};

} // namespace

void paint_scene(const Scene &scene, Canvas &to, Band band) {
    Painter painter(scene, to, band);
    for (const auto &thing : scene.things) std::visit(painter, thing);
}

} // namespace qd::inspector
