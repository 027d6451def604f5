// The state that the panes of an inspected program share.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "model/watched.h"
#include "view/imgui.h"
#include "view/stage.h"

namespace qd::inspector {

class UiState {
  public:
    UiState(Watched &watched, Stage &stage, std::function<void(const Json &)> ask)
        : watched(watched), stage(stage), ask(std::move(ask)) {}

    Watched &watched;
    Stage &stage;
    std::function<void(const Json &)> ask; // sends a request to the program
    bool dark = true;
    bool ended = false;                   // the program has ended
    std::string file;                     // the file whose lines are shown
    int line = 0;                         // the line to scroll to; 0: stay
    std::map<std::string, ImVec4> places; // left, top, right, bottom of clickable items, by name; for tests

    void mark(const std::string &name) {
        const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
        places[name] = ImVec4(a.x, a.y, b.x, b.y);
    }
    void show(const std::string &in_file, double at) {
        if (in_file.empty() || !watched.files.contains(in_file)) return;
        file = in_file;
        line = int(at);
    }
    ImU32 faint() const { return ImGui::GetColorU32(ImGuiCol_TextDisabled); }
    ImU32 ink() const { return ImGui::GetColorU32(ImGuiCol_Text); }
    static ImU32 heat(int level) { return IM_COL32(232, 113, 10, 255 * level / 100); }
    static ImU32 less(int level) { return IM_COL32(30, 120, 220, 255 * level / 100); }
};

// Shows the whole text of an item that has no room for it.
inline void tooltip(const std::string &text) {
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

} // namespace qd::inspector
