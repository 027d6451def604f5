#include <string_view>
#include <utility>

#include "view/stage.h"

namespace qd::inspector {

namespace {

constexpr std::pair<std::string_view, ImGuiKey> keys[] = {
    {"Tab", ImGuiKey_Tab},
    {"Left", ImGuiKey_LeftArrow},
    {"Right", ImGuiKey_RightArrow},
    {"Up", ImGuiKey_UpArrow},
    {"Down", ImGuiKey_DownArrow},
    {"Page_Up", ImGuiKey_PageUp},
    {"Page_Down", ImGuiKey_PageDown},
    {"Home", ImGuiKey_Home},
    {"End", ImGuiKey_End},
    {"Delete", ImGuiKey_Delete},
    {"BackSpace", ImGuiKey_Backspace},
    {" ", ImGuiKey_Space},
    {"Return", ImGuiKey_Enter},
    {"Escape", ImGuiKey_Escape},
    {"a", ImGuiKey_A},
    {"c", ImGuiKey_C},
    {"v", ImGuiKey_V},
    {"x", ImGuiKey_X},
    {"y", ImGuiKey_Y},
    {"z", ImGuiKey_Z},
};

bool shift, control, alt; // state of ImGui's only context

} // namespace

void feed(const Event &event) {
    switch (event.type) {
    case Event::Type::move: feed_pointer(event.x, event.y); break;
    case Event::Type::wheel: feed_wheel(event.x, event.y); break;
    case Event::Type::text: ImGui::GetIO().AddInputCharactersUTF8(event.name.c_str()); break;
    case Event::Type::button: {
        const int button = event.name == "LMB" ? 0 : event.name == "RMB" ? 1 : event.name == "MMB" ? 2 : -1;
        if (button >= 0) feed_button(button, event.down);
        break;
    }
    case Event::Type::key:
        if (event.name.starts_with("Shift")) shift = event.down;
        if (event.name.starts_with("Control")) control = event.down;
        if (event.name.starts_with("Alt")) alt = event.down;
        feed_modifiers(shift, control, alt);
        for (const auto &[name, key] : keys)
            if (name == event.name) feed_key(key, event.down);
        break;
    case Event::Type::resize:
    case Event::Type::close: break;
    }
}

} // namespace qd::inspector
