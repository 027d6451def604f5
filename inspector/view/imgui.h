// Dear ImGui of Debian 12 (1.86) and 13 (1.90). Only this file depends on the version.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace qd::inspector {

// A texture is identified by a number; 1.92 has a type of its own for references to textures.
inline ImTextureID texture_id(std::uintptr_t number) {
    return (ImTextureID)number; // a pointer or a number, depending on the version
}

// Clamps the end of a slider: ImGui asserts that it is at most half of what its type holds.
template <class T> T end_of_slider(T end) {
    return std::clamp<T>(end, std::numeric_limits<T>::lowest() / 2, std::numeric_limits<T>::max() / 2);
}

// Converts a number to an integer in the range where it may end a slider.
inline std::int64_t whole_of_slider(double number) {
    constexpr double half = 4611686018427387904.; // 2^62
    return number >= half ? end_of_slider(std::numeric_limits<std::int64_t>::max())
                          : std::int64_t(std::max(number, -half));
}

inline void feed_key(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddKeyEvent(key, down);
#else
    ImGui::GetIO().KeyMap[key] = key;
    ImGui::GetIO().KeysDown[key] = down;
#endif
}

// Called before the first frame of a face that is navigated by keyboard.
inline void know_all_keys() {
#if IMGUI_VERSION_NUM < 18700
    for (int key = 0; key < ImGuiKey_COUNT; key++) ImGui::GetIO().KeyMap[key] = key;
#endif
}

inline void feed_modifiers(bool shift, bool control, bool alt) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, control);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, alt);
#else
    ImGui::GetIO().KeyShift = shift;
    ImGui::GetIO().KeyCtrl = control;
    ImGui::GetIO().KeyAlt = alt;
#endif
}

inline void feed_pointer(float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMousePosEvent(x, y);
#else
    ImGui::GetIO().MousePos = ImVec2(x, y);
#endif
}

inline void feed_button(int button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMouseButtonEvent(button, down);
#else
    ImGui::GetIO().MouseDown[button] = down;
#endif
}

inline void feed_wheel(float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui::GetIO().AddMouseWheelEvent(x, y);
#else
    ImGui::GetIO().MouseWheelH += x;
    ImGui::GetIO().MouseWheel += y;
#endif
}

} // namespace qd::inspector
