#include <algorithm>
#include <cmath>

#include "view/panes.h"

namespace qd::inspector {

void ParametersPane::draw(UiState &ui) {
    if (ui.watched.parameters.empty() && ui.watched.series.empty())
        ImGui::TextDisabled("ins.param(name, value, lo, hi) makes a slider, ins.plot(name, value) a curve.");
    for (auto &parameter : ui.watched.parameters) {
        const auto held = held_.find(parameter.name);
        double value = held == held_.end() ? parameter.value : held->second;
        ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.6f);
        bool changed;
        ImGui::PushID("sliders"); // a name may be empty
        if (parameter.whole) {
            auto whole = whole_of_slider(value);
            const auto lowest = whole_of_slider(parameter.lowest);
            const auto highest = whole_of_slider(parameter.highest);
            changed = ImGui::SliderScalar(parameter.name.c_str(), ImGuiDataType_S64, &whole, &lowest, &highest);
            value = double(whole);
        } else {
            const double lowest = end_of_slider(parameter.lowest), highest = end_of_slider(parameter.highest);
            changed =
                ImGui::SliderScalar(parameter.name.c_str(), ImGuiDataType_Double, &value, &lowest, &highest, "%.6g");
        }
        ImGui::PopID();
        ui.mark("parameter " + parameter.name);
        const bool active = ImGui::IsItemActive();
        if (changed) {
            held_[parameter.name] = parameter.value = std::clamp(value, parameter.lowest, parameter.highest);
            ui.ask({{"kind", "set"}, {"name", parameter.name}, {"value", parameter.value}});
        }
        if (!active) held_.erase(parameter.name);
    }
    for (const auto &[name, values] : ui.watched.series) curve(ui, name, values);
}

void ParametersPane::curve(UiState &ui, const std::string &name, const Curve &curve) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 6);
    if (size.x < 10) return;
    ImGui::InvisibleButton(("##" + name).c_str(), size);
    ui.mark("curve " + name);
    double lowest = INFINITY, highest = -INFINITY;
    for (const auto &value : curve.values)
        if (value) lowest = std::min(lowest, *value), highest = std::max(highest, *value);
    ImDrawList &list = *ImGui::GetWindowDrawList();
    const ImVec2 end(at.x + size.x, at.y + size.y);
    list.AddRectFilled(at, end, ImGui::GetColorU32(ImGuiCol_FrameBg));
    if (lowest <= highest) {
        const double range = highest > lowest ? highest - lowest : 1, base = highest > lowest ? lowest : lowest - 0.5;
        const auto y_of = [&](double v) { return float(end.y - 4 - (v - base) / range * double(size.y - 8)); };
        const auto columns = std::size_t(size.x);
        const std::size_t count = curve.values.size();
        ImVec2 before;
        bool joined = false;
        for (std::size_t x = 0; x < columns; x++) { // for each column of pixels, the extent of its values
            const std::size_t from = x * count / columns, to = std::max(from + 1, (x + 1) * count / columns);
            if (count < columns && x > 0 && from == (x - 1) * count / columns) continue;
            double low = INFINITY, high = -INFINITY;
            for (std::size_t k = from; k < std::min(to, count); k++)
                if (curve.values[k]) low = std::min(low, *curve.values[k]), high = std::max(high, *curve.values[k]);
            if (!(low <= high)) {
                joined = false;
                continue;
            }
            const ImVec2 here(at.x + float(x), y_of((low + high) / 2));
            if (joined) list.AddLine(before, here, IM_COL32(90, 160, 230, 255), 1.5f);
            list.AddLine(ImVec2(here.x, y_of(low)), ImVec2(here.x, y_of(high) - 1), IM_COL32(90, 160, 230, 255));
            before = here;
            joined = true;
        }
        char text[96];
        const auto newest =
            std::find_if(curve.values.rbegin(), curve.values.rend(), [](const auto &v) { return v.has_value(); });
        std::snprintf(text, sizeof text, "%s  %.6g", name.c_str(), **newest);
        list.AddText(ImVec2(at.x + 4, at.y + 2), ui.ink(), text);
        std::snprintf(text, sizeof text, "%.4g", highest);
        list.AddText(ImVec2(end.x - ImGui::CalcTextSize(text).x - 4, at.y + 2), ui.faint(), text);
        std::snprintf(text, sizeof text, "%.4g", lowest);
        list.AddText(ImVec2(end.x - ImGui::CalcTextSize(text).x - 4, end.y - ImGui::GetFontSize() - 2), ui.faint(),
                     text);
        if (ImGui::IsItemHovered()) {
            const auto k =
                std::min(count - 1, std::size_t(std::max(0.f, ImGui::GetMousePos().x - at.x) / size.x * float(count)));
            if (curve.values[k])
                ImGui::SetTooltip("%s[%.0f] = %.9g", name.c_str(), curve.first + double(k), *curve.values[k]);
        }
    }
}

} // namespace qd::inspector
