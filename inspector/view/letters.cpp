#include "view/letters.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace qd::inspector {

const char *font_file() {
    for (const char *path :
         {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
          "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf", "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
          "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf"})
        if (access(path, R_OK) == 0) return path;
    return nullptr;
}

ImFont *add_font(ImFontAtlas &to, float size) {
    static const ImWchar ranges[] = {0x20, 0xff, 0x370, 0x3ff, 0x2010, 0x2027, 0x2190, 0x21ff, 0x2200, 0x22ff, 0};
    ImFontConfig config;
    config.OversampleH = config.OversampleV = 1; // a pixel of a letter is a pixel on the screen
    config.PixelSnapH = true;
    config.SizePixels = size;
    if (const char *path = font_file())
        if (ImFont *made = to.AddFontFromFileTTF(path, size, &config, ranges)) return made;
    return to.AddFontDefault(&config);
}

int Typesetter::rounded(float size) { return int(std::clamp(std::isfinite(size) ? size : 13.f, 4.f, 200.f) + 0.5f); }

void Typesetter::prepare(float size) {
    if (faces_.size() > 16) faces_.clear();
    auto &face = faces_[rounded(size)];
    if (face) return;
    face = std::make_unique<Face>();
    face->font = add_font(face->atlas, float(rounded(size)));
    face->atlas.GetTexDataAsAlpha8(&face->pixels, &face->width, &face->height);
}

namespace {

// Returns the next character of UTF-8; an invalid one counts as U+FFFD.
unsigned next(std::string_view &text) {
    const unsigned char lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    unsigned code = lead < 0x80 ? lead : lead & (0xff >> (length + 1));
    if (length > text.size()) return text = {}, 0xfffd;
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 63);
    text.remove_prefix(length);
    return code;
}

} // namespace

void Typesetter::operator()(Picture &to, const Text &text, Band band) const {
    const auto found = faces_.find(rounded(text.size));
    if (found == faces_.end() || !std::isfinite(text.x + text.y)) return;
    const Face &face = *found->second;
    const float left = text.x * float(to.width);
    float x = left, top = (1 - text.y) * float(to.height);
    for (std::string_view rest = text.text; !rest.empty();) {
        const unsigned code = next(rest);
        if (code == '\n') {
            x = left, top += float(rounded(text.size));
            continue;
        }
        const ImFontGlyph *glyph = face.font->FindGlyph(code < 0x10000 ? ImWchar(code) : ImWchar(0xfffd));
        if (!glyph) continue;
        const int x0 = int(std::clamp(x + glyph->X0, -1e6f, 1e6f)), y0 = int(std::clamp(top + glyph->Y0, -1e6f, 1e6f));
        const int u0 = int(glyph->U0 * float(face.width) + 0.5f), v0 = int(glyph->V0 * float(face.height) + 0.5f);
        const int w = int(glyph->U1 * float(face.width) + 0.5f) - u0,
                  h = int(glyph->V1 * float(face.height) + 0.5f) - v0;
        for (int y = std::max(band.top, y0); y < std::min(band.bottom, y0 + h); ++y)
            for (int i = std::max(0, x0); i < std::min(to.width, x0 + w); ++i) {
                const std::uint32_t ink = face.pixels[(v0 + y - y0) * face.width + u0 + i - x0];
                if (ink) to.row(y)[i] = blend(to.row(y)[i], text.colour, ink * (text.colour >> 24) / 255);
            }
        x += glyph->AdvanceX;
    }
}

} // namespace qd::inspector
