#include <algorithm>

#include "view/panes.h"

namespace qd::inspector {

void AdstackPane::draw(UiState &ui) {
    if (ui.watched.gradients.empty()) {
        ImGui::TextDisabled("No gradient has stored any values yet.");
        return;
    }
    if (!ImGui::BeginTable("kept", 6,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp))
        return;
    for (const char *name :
         {"gradient, loops, variables", "iterations", "per iteration", "per thread", "predicted", "all threads"})
        ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    double most = 1;
    for (const auto &gradient : ui.watched.gradients)
        for (const auto &task : gradient.tasks) most = std::max(most, task.measured);
    const auto bytes = [](double count) { return Watched::brief(count) + " B"; };
    for (const auto &gradient : ui.watched.gradients)
        for (const auto &task : gradient.tasks) {
            ImGui::PushID(&task);
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            if (ImGui::Selectable((gradient.name + ": " + task.text).c_str(), false,
                                  ImGuiSelectableFlags_SpanAllColumns))
                ui.show(gradient.file, task.line);
            ui.mark("gradient " + task.name);
            for (int k = 0; k < 3; k++) ImGui::TableNextColumn();
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float wide = ImGui::GetContentRegionAvail().x * float(task.measured / most);
            ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + wide, at.y + ImGui::GetTextLineHeight()),
                                                      UiState::heat(55), 2);
            ImGui::TextUnformatted(bytes(task.measured).c_str());
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(bytes(task.predicted).c_str());
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(bytes(task.total).c_str());
            if (!task.excess.empty()) {
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
                ImGui::TextWrapped("%s", task.excess.c_str());
            }
            for (const auto &loop : task.loops) {
                ImGui::PushID(&loop);
                ImGui::TableNextRow();
                ImGui::TableNextColumn();
                ImGui::Indent(float(1 + loop.depth) * ImGui::GetFontSize());
                if (ImGui::Selectable((std::to_string(int(loop.line)) + ": " + loop.text + "  " + loop.choice).c_str()))
                    ui.show(gradient.file, loop.line);
                std::string kept;
                for (const auto &variable : loop.variables)
                    kept += (kept.empty() ? "" : ", ") + (variable.name.empty() ? "?" : variable.name) + " (" +
                            variable.type + ", line " + std::to_string(int(variable.line)) + ")";
                ImGui::TextDisabled("%s", kept.c_str());
                if (!loop.reason.empty()) tooltip(loop.reason);
                ImGui::Unindent(float(1 + loop.depth) * ImGui::GetFontSize());
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(loop.trips ? Watched::brief(*loop.trips).c_str() : "not run yet");
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(bytes(loop.slot_bytes).c_str());
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(bytes(loop.bytes).c_str());
                ImGui::PopID();
            }
            ImGui::PopID();
        }
    ImGui::EndTable();
}

} // namespace qd::inspector
