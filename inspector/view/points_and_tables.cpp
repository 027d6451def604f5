// Views that are not pictures: points in a plane, and tables of numbers.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "view/panes.h"

namespace qd::inspector {

namespace {

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

} // namespace

/// Draws the first two components as x and y, to the same scale; the third one, if there is one, is the colour.
void ViewsPane::points(UiState &ui, const sent::View &view, const Shot &shot, Look &look, ImVec2 at, ImVec2 size) {
    const int parts = shot.height();
    const std::string key = "points " + std::to_string(int(look.map)) + " " + std::to_string(int(size.x)) + " " +
                            std::to_string(int(size.y)) + (ui.dark ? " dark" : "");
    if (parts < 2 || int(size.x) < 2 || int(size.y) < 2) return; // a picture from before the view showed points
    if (!look.texture || look.painted != shot.head.number || look.key != key) {
        Range ranges[3];
        for (int k = 0; k < std::min(parts, 3); k++) {
            values_.resize(std::size_t(shot.width()));
            for (int n = 0; n < shot.width(); n++) values_[std::size_t(n)] = shot.at(n, k);
            ranges[k] = range_of(values_);
        }
        const float wide = std::max(ranges[0].highest - ranges[0].lowest, 1e-30f),
                    high = std::max(ranges[1].highest - ranges[1].lowest, 1e-30f);
        const float scale = std::min((size.x - 8) / wide, (size.y - 8) / high);
        const float left = size.x / 2 - scale * (ranges[0].lowest / 2 + ranges[0].highest / 2),
                    low = size.y / 2 + scale * (ranges[1].lowest / 2 + ranges[1].highest / 2);
        look.lowest = ranges[2].lowest, look.highest = ranges[2].highest;
        picture_.resize(int(size.x), int(size.y));
        std::fill(picture_.pixels.begin(), picture_.pixels.end(), ui.dark ? 0xff1c1a1a : 0xfff4f2f2);
        look.bodies.clear();
        for (int n = 0; n < shot.width(); n++) {
            const float x = left + scale * shot.at(n, 0), y = low - scale * shot.at(n, 1);
            if (!std::isfinite(x) || !std::isfinite(y)) continue;
            const float third = parts > 2 ? shot.at(n, 2) : 0, span = look.highest - look.lowest;
            const std::uint32_t colour = parts < 3           ? (ui.dark ? 0xffe6a05a : 0xffa05014)
                                         : std::isnan(third) ? nan_colour
                                         : !std::isfinite(third)
                                             ? infinity_colour
                                             : colour_of(look.map, span > 0 ? (third - look.lowest) / span : 0.5);
            const int r = shot.width() > 20'000 ? 0 : shot.width() > 2000 ? 1 : 2;
            for (int j = std::max(0, int(y) - r); j <= std::min(picture_.height - 1, int(y) + r); j++)
                for (int i = std::max(0, int(x) - r); i <= std::min(picture_.width - 1, int(x) + r); i++)
                    picture_.row(j)[i] = colour;
            look.bodies.push_back({x, y, n});
        }
        look.texture = ui.stage.texture(look.texture, picture_, false);
        look.painted = shot.head.number;
        look.key = key;
    }
    const ImVec2 corner(at.x + float(int(size.x)), at.y + float(int(size.y)));
    ImGui::GetWindowDrawList()->AddImage(texture_id(look.texture), at, corner);
    const ImVec2 pointer = ImGui::GetMousePos();
    const Body *nearest = nullptr;
    float least = 100; // 10 pixels, squared
    if (ImGui::IsItemHovered())
        for (const Body &body : look.bodies) {
            const float dx = at.x + body.x - pointer.x, dy = at.y + body.y - pointer.y;
            if (dx * dx + dy * dy < least) least = dx * dx + dy * dy, nearest = &body;
        }
    std::string said = std::to_string(look.bodies.size()) + " of " + std::to_string(int(shot.head.columns)) + " points";
    if (parts > 2) said += ", colours from " + number_text(look.lowest) + " to " + number_text(look.highest);
    if (nearest) {
        said = view.name + "[" + std::to_string(shot.column(nearest->sample)) + "] = ";
        for (int k = 0; k < parts; k++) said += (k ? ", " : "(") + number_text(shot.at(nearest->sample, k));
        said += ")";
        ImGui::GetWindowDrawList()->AddCircle(ImVec2(at.x + nearest->x, at.y + nearest->y), 6, ui.ink());
    }
    ImGui::TextUnformatted(said.c_str());
}

/// Draws the first index downwards and the second to the right, as NumPy prints.
void ViewsPane::table(UiState &ui, const sent::View &view, const Shot &shot, Look &look, ImVec2 at, ImVec2 size) {
    const float wide = ImGui::CalcTextSize("-0.123456e-10").x, high = ImGui::GetTextLineHeightWithSpacing();
    const int columns = int(shot.head.columns), rows = int(shot.head.rows);
    look.room = {std::clamp(int((size.y - ImGui::GetFrameHeightWithSpacing()) / high) - 1, 1, 200),
                 std::clamp(int(size.x / wide) - 1, 1, 60)};
    const int last[] = {std::max(0, columns - look.room[0]), std::max(0, rows - look.room[1])};
    for (int axis = 0; axis < 2; axis++) {
        if (last[axis] == 0) {
            look.first[axis] = 0;
            continue;
        }
        if (axis) ImGui::SameLine();
        ImGui::SetNextItemWidth(size.x * 0.35f);
        const std::string label = axis ? "##across" : "##down";
        ImGui::SliderInt(label.c_str(), &look.first[axis], 0, last[axis], axis ? "from column %d" : "from row %d");
        ui.mark((axis ? "column " : "row ") + view.name);
        look.first[axis] = std::clamp(look.first[axis], 0, last[axis]);
    }
    if (shot.head.first.empty()) return; // a picture from before the view showed a table
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("table", ImVec2(size.x, std::max(20.f, at.y + size.y - begin.y)));
    ui.mark("view " + view.name);
    const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
    if (hovered) look.first[0] = std::clamp(look.first[0] - int(3 * ImGui::GetIO().MouseWheel), 0, last[0]);
    ImDrawList &list = *ImGui::GetWindowDrawList();
    const auto text = [&](float x, float y, ImU32 colour, const std::string &what) {
        list.AddText(ImVec2(x + wide * 0.9f - ImGui::CalcTextSize(what.c_str()).x, y), colour, what.c_str());
    };
    list.PushClipRect(begin, ImVec2(begin.x + size.x, begin.y + size.y), true);
    const bool plain = rows == 1 && view.shape.size() == 1, each = shot.head.component == each_component;
    for (int j = 0; j < shot.height() && !plain; j++)
        text(begin.x + wide * float(j + 1), begin.y, ui.faint(), std::to_string(shot.row(j)));
    const ImVec2 pointer = ImGui::GetMousePos();
    const int i_at = int(std::floor((pointer.y - begin.y) / high)) - 1,
              j_at = int(std::floor((pointer.x - begin.x) / wide)) - 1;
    for (int i = 0; i < shot.width(); i++) {
        const float y = begin.y + high * float(i + 1);
        text(begin.x, y, ui.faint(), std::to_string(shot.column(i)));
        for (int j = 0; j < shot.height(); j++) {
            const float value = shot.at(i, j), x = begin.x + wide * float(j + 1);
            const bool changed =
                shot.comparable() && shot.before[std::size_t(i) * std::size_t(shot.height()) + std::size_t(j)] != value;
            if (hovered && i == i_at && j == j_at)
                list.AddRectFilled(ImVec2(x, y), ImVec2(x + wide, y + high),
                                   ImGui::GetColorU32(ImGuiCol_FrameBgHovered));
            text(x, y,
                 std::isnan(value)       ? IM_COL32(255, 0, 255, 255)
                 : !std::isfinite(value) ? IM_COL32(0, 200, 200, 255)
                 : changed               ? IM_COL32(232, 113, 10, 255)
                                         : ui.ink(),
                 number_text(value));
        }
    }
    list.PopClipRect();
    if (clicked && i_at >= 0 && j_at >= 0 && i_at < shot.width() && j_at < shot.height()) {
        look.chosen = {shot.column(i_at)};
        if (view.shape.size() > 1) look.chosen.push_back(shot.row(j_at));
        if (each) look.component = shot.row(j_at);
        for (const double k : shot.head.slice) look.chosen.push_back(int(k));
        std::snprintf(look.text.data(), look.text.size(), "%.9g", double(shot.at(i_at, j_at)));
    }
}

} // namespace qd::inspector
