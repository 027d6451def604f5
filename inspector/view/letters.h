// Draws the letters of texts on canvases, in the sizes that programs request.
#pragma once

#include <map>
#include <memory>

#include "model/canvas.h"
#include "view/imgui.h"

namespace qd::inspector {

// Returns a font of the system that has Greek too; null if there is none: then ImGui's own is used.
const char *font_file();
// Adds that font to an atlas.
ImFont *add_font(ImFontAtlas &to, float size);

class Typesetter {
  public:
    // Makes the letters of a size. Must be called before threads draw with them.
    void prepare(float size);
    void operator()(Picture &to, const Text &text, Band band) const;

  private:
    struct Face {
        ImFontAtlas atlas;
        ImFont *font;
        unsigned char *pixels;
        int width, height;
    };
    static int rounded(float size);
    std::map<int, std::unique_ptr<Face>> faces_;
};

} // namespace qd::inspector
