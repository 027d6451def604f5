// Draws on the processor: the triangles of ImGui, each with a texture and a clip rectangle.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>

#include "view/stage.h"

namespace qd::inspector {

namespace {

struct Texture {
    Picture pixels;
    bool smooth;
};

struct Clip {
    int left, top, right, bottom;
};

struct Colour {
    float r, g, b, a;
};

Colour unpack(std::uint32_t c) { return {float(c & 255), float(c >> 8 & 255), float(c >> 16 & 255), float(c >> 24)}; }

Colour sample(const Texture &from, float u, float v) {
    const int w = from.pixels.width, h = from.pixels.height;
    if (!from.smooth) {
        const int x = std::clamp(int(u * float(w)), 0, w - 1), y = std::clamp(int(v * float(h)), 0, h - 1);
        return unpack(from.pixels.row(y)[x]);
    }
    const float fx = std::clamp(u * float(w) - 0.5f, 0.f, float(w - 1)),
                fy = std::clamp(v * float(h) - 0.5f, 0.f, float(h - 1));
    const int x = int(fx), y = int(fy), right = std::min(x + 1, w - 1), below = std::min(y + 1, h - 1);
    const float sx = fx - float(x), sy = fy - float(y);
    const Colour a = unpack(from.pixels.row(y)[x]), b = unpack(from.pixels.row(y)[right]),
                 c = unpack(from.pixels.row(below)[x]), d = unpack(from.pixels.row(below)[right]);
    const auto mix = [&](float p, float q, float r, float s) {
        return (p + (q - p) * sx) * (1 - sy) + (r + (s - r) * sx) * sy;
    };
    return {mix(a.r, b.r, c.r, d.r), mix(a.g, b.g, c.g, d.g), mix(a.b, b.b, c.b, d.b), mix(a.a, b.a, c.a, d.a)};
}

void triangle(Picture &to, const ImDrawVert &a, const ImDrawVert &b, const ImDrawVert &c, const Texture *texture,
              const Clip &clip) {
    const float area = (b.pos.x - a.pos.x) * (c.pos.y - a.pos.y) - (b.pos.y - a.pos.y) * (c.pos.x - a.pos.x);
    if (!(std::abs(area) > 1e-6f) || !std::isfinite(area)) return;
    const float x0 = std::min({a.pos.x, b.pos.x, c.pos.x}), x1 = std::max({a.pos.x, b.pos.x, c.pos.x});
    const float y0 = std::min({a.pos.y, b.pos.y, c.pos.y}), y1 = std::max({a.pos.y, b.pos.y, c.pos.y});
    const int left = std::max(clip.left, int(std::max(std::floor(x0), -1.f))),
              top = std::max(clip.top, int(std::max(std::floor(y0), -1.f)));
    const int right = std::min(clip.right, int(std::min(std::ceil(x1) + 1, 32768.f))),
              bottom = std::min(clip.bottom, int(std::min(std::ceil(y1) + 1, 32768.f)));
    const Colour ca = unpack(a.col), cb = unpack(b.col), cc = unpack(c.col);
    const float scale = 1 / area;
    // A pixel whose centre is on an edge belongs to one of the two adjacent triangles.
    const auto owns = [&](const ImVec2 &p, const ImVec2 &q) {
        return area > 0 ? p.y > q.y || (p.y == q.y && p.x < q.x) : p.y < q.y || (p.y == q.y && p.x > q.x);
    };
    const bool own_a = owns(b.pos, c.pos), own_b = owns(c.pos, a.pos), own_c = owns(a.pos, b.pos);
    const bool plain = a.col == b.col && b.col == c.col;
    for (int y = top; y < bottom; ++y) {
        std::uint32_t *row = to.row(y);
        const float py = float(y) + 0.5f;
        for (int x = left; x < right; ++x) {
            const float px = float(x) + 0.5f;
            const float wa = ((b.pos.x - px) * (c.pos.y - py) - (b.pos.y - py) * (c.pos.x - px)) * scale;
            const float wb = ((c.pos.x - px) * (a.pos.y - py) - (c.pos.y - py) * (a.pos.x - px)) * scale;
            const float wc = ((a.pos.x - px) * (b.pos.y - py) - (a.pos.y - py) * (b.pos.x - px)) * scale;
            if (wa < 0 || wb < 0 || wc < 0 || (wa == 0 && !own_a) || (wb == 0 && !own_b) || (wc == 0 && !own_c))
                continue;
            Colour colour = plain ? ca
                                  : Colour{ca.r * wa + cb.r * wb + cc.r * wc, ca.g * wa + cb.g * wb + cc.g * wc,
                                           ca.b * wa + cb.b * wb + cc.b * wc, ca.a * wa + cb.a * wb + cc.a * wc};
            if (texture) {
                const Colour t =
                    sample(*texture, a.uv.x * wa + b.uv.x * wb + c.uv.x * wc, a.uv.y * wa + b.uv.y * wb + c.uv.y * wc);
                colour = {colour.r * t.r / 255, colour.g * t.g / 255, colour.b * t.b / 255, colour.a * t.a / 255};
            }
            const std::uint32_t share = std::uint32_t(std::clamp(colour.a + 0.5f, 0.f, 255.f));
            if (share == 0) continue;
            const std::uint32_t over = std::uint32_t(std::clamp(colour.r + 0.5f, 0.f, 255.f)) |
                                       std::uint32_t(std::clamp(colour.g + 0.5f, 0.f, 255.f)) << 8 |
                                       std::uint32_t(std::clamp(colour.b + 0.5f, 0.f, 255.f)) << 16;
            row[x] = blend(row[x], over, share);
        }
    }
}

// Copies a rectangle that shows a texture pixel for pixel, as canvases and pictures do. Returns false for any other.
bool copied(Picture &to, const ImDrawVert &a, const ImDrawVert &c, const Texture *texture, const Clip &clip) {
    if (!texture || a.col != 0xffffffffu) return false;
    const int w = texture->pixels.width, h = texture->pixels.height;
    if (a.uv.x != 0 || a.uv.y != 0 || c.uv.x != 1 || c.uv.y != 1 || c.pos.x - a.pos.x != float(w) ||
        c.pos.y - a.pos.y != float(h) || a.pos.x != std::floor(a.pos.x) || a.pos.y != std::floor(a.pos.y) ||
        std::abs(a.pos.x) > 32768 || std::abs(a.pos.y) > 32768)
        return false;
    const int x0 = int(a.pos.x), y0 = int(a.pos.y);
    const int left = std::max(clip.left, x0), right = std::min(clip.right, x0 + w);
    for (int y = std::max(clip.top, y0); y < std::min(clip.bottom, y0 + h); ++y)
        for (int x = left; x < right; ++x) {
            const std::uint32_t over = texture->pixels.row(y - y0)[x - x0];
            to.row(y)[x] = blend(to.row(y)[x], over, over >> 24);
        }
    return true;
}

class MemoryStage : public Stage {
  public:
    explicit MemoryStage(const WindowOptions &options) { resize(options.width, options.height); }

    void wait(double seconds) override {
        std::unique_lock hold(lock_);
        wakeup_.wait_for(hold, std::chrono::duration<double>(seconds), [this] { return woken_; });
        woken_ = false;
    }

    void wake() override {
        {
            const std::lock_guard hold(lock_);
            woken_ = true;
        }
        wakeup_.notify_one();
    }

    std::vector<Event> events() override { return {}; }
    void size(int &width, int &height) const override { width = picture_.width, height = picture_.height; }

    void begin() override {
        ImFontAtlas &fonts = *ImGui::GetIO().Fonts;
        if (font_ && fonts.IsBuilt()) return;
        unsigned char *pixels;
        Picture made;
        int w, h;
        fonts.GetTexDataAsRGBA32(&pixels, &w, &h);
        made.resize(w, h);
        std::copy_n(reinterpret_cast<const std::uint32_t *>(pixels), made.pixels.size(), made.pixels.data());
        font_ = texture(font_, made, true);
        fonts.SetTexID(texture_id(font_));
    }

    void present(ImDrawData *data) override {
        std::fill(picture_.pixels.begin(), picture_.pixels.end(), 0xff000000u);
        for (int n = 0; n < data->CmdListsCount; ++n) {
            const ImDrawList &list = *data->CmdLists[n];
            for (const ImDrawCmd &command : list.CmdBuffer) draw(list, command);
        }
        if (wanted_) *wanted_ = picture_;
    }

    void read(Picture *to) override { wanted_ = to; }
    void title(const std::string &) override {}
    void resize(int width, int height) override {
        picture_.resize(std::clamp(width, 1, max_pixels_a_side), std::clamp(height, 1, max_pixels_a_side));
    }
    std::string renderer() const override { return "memory"; }
    bool software() const override { return true; }
    bool seen() const override { return false; }

    std::uintptr_t texture(std::uintptr_t id, const Picture &pixels, bool smooth) override {
        if (id == 0) id = ++last_;
        textures_[id] = {pixels, smooth};
        return id;
    }

    void drop(std::uintptr_t id) override { textures_.erase(id); }

  private:
    void draw(const ImDrawList &list, const ImDrawCmd &command) {
        if (command.UserCallback) return;
        const auto whole = [](float x, int most) { return int(std::clamp(x, 0.f, float(most))); };
        const Clip clip = {whole(command.ClipRect.x, picture_.width), whole(command.ClipRect.y, picture_.height),
                           whole(command.ClipRect.z, picture_.width), whole(command.ClipRect.w, picture_.height)};
        const auto found = textures_.find((std::uintptr_t)command.GetTexID());
        const Texture *texture = found == textures_.end() ? nullptr : &found->second;
        const ImDrawIdx *index = list.IdxBuffer.Data + command.IdxOffset;
        const ImDrawVert *vertex = list.VtxBuffer.Data + command.VtxOffset;
        for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
            const bool quad = i + 5 < command.ElemCount && index[i + 3] == index[i] && index[i + 4] == index[i + 2];
            if (quad && copied(picture_, vertex[index[i]], vertex[index[i + 2]], texture, clip)) {
                i += 3;
                continue;
            }
            triangle(picture_, vertex[index[i]], vertex[index[i + 1]], vertex[index[i + 2]], texture, clip);
        }
    }

    Picture picture_, *wanted_ = nullptr;
    std::map<std::uintptr_t, Texture> textures_;
    std::uintptr_t last_ = 0, font_ = 0;
    std::mutex lock_;
    std::condition_variable wakeup_;
    bool woken_ = false;
};

} // namespace

std::unique_ptr<Stage> open_memory(const WindowOptions &options) { return std::make_unique<MemoryStage>(options); }

} // namespace qd::inspector
