#include <algorithm>

#include "view/panes.h"

namespace qd::inspector {

void TasksPane::draw(UiState &ui) {
    if (ui.watched.tasks.empty() && ui.watched.compilations.empty()) {
        ImGui::TextDisabled("No kernel has been compiled yet.");
        return;
    }
    times(ui);
    compilations(ui);
}

void TasksPane::times(UiState &ui) {
    std::vector<const sent::TaskTimes *> rows;
    double all = 0;
    for (const auto &task : ui.watched.tasks) rows.push_back(&task), all += task.total;
    std::stable_sort(rows.begin(), rows.end(), [](auto *a, auto *b) { return a->total > b->total; });
    if (rows.empty() ||
        !ImGui::BeginTable("times", 7,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp))
        return;
    for (const char *name : {"task", "share of the time", "runs", "now", "mean", "longest", "total"})
        ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    for (const auto *task : rows) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const std::string name =
            Watched::shown_name(task->task.starts_with(task->kernel) ? task->task : task->kernel + "." + task->task);
        ImGui::PushID(task);
        if (ImGui::Selectable(name.c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
            ui.show(task->file, task->line);
        ui.mark("task " + name);
        ImGui::PopID();
        ImGui::TableNextColumn();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float wide = ImGui::GetContentRegionAvail().x * float(all > 0 ? task->total / all : 0),
                    high = ImGui::GetTextLineHeight();
        ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + wide, at.y + high), UiState::heat(55), 2);
        ImGui::Text("%.1f %%", all > 0 ? 100 * task->total / all : 0.);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(Watched::brief(task->runs).c_str());
        ImGui::TableNextColumn();
        if (task->newest_runs > 0)
            ImGui::TextUnformatted(Watched::duration(task->newest_total / task->newest_runs).c_str());
        for (const double value : {task->runs > 0 ? task->total / task->runs : 0., task->longest, task->total}) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(Watched::duration(value).c_str());
        }
    }
    ImGui::EndTable();
}

void TasksPane::compilations(UiState &ui) {
    if (ui.watched.compilations.empty()) return;
    if (!ImGui::BeginTable("compilations", 4,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp))
        return;
    for (const char *name : {"compiled", "time", "tasks", "phases"}) ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    const auto &all = ui.watched.compilations;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushID(&*one);
        if (ImGui::Selectable(Watched::shown_name(one->kernel).c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
            ui.show(one->file, one->line);
        ImGui::PopID();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(Watched::duration(one->microseconds).c_str());
        ImGui::TableNextColumn();
        std::string origins;
        const std::pair<double, const char *> kinds[] = {
            {one->compiled, "compiled"}, {one->memory, "known"}, {one->disk, "from disk"}};
        for (const auto &[count, what] : kinds)
            if (count > 0) origins += (origins.empty() ? "" : ", ") + std::to_string(int(count)) + " " + what;
        ImGui::TextUnformatted(origins.c_str());
        ImGui::TableNextColumn();
        auto phases = one->phases;
        std::stable_sort(phases.begin(), phases.end(),
                         [](auto &a, auto &b) { return a.microseconds > b.microseconds; });
        std::string few, whole;
        for (std::size_t k = 0; k < phases.size(); k++) {
            const std::string text = phases[k].name + " " + Watched::duration(phases[k].microseconds);
            if (k < 3) few += (k ? ", " : "") + text;
            whole += (k ? "\n" : "") + text;
        }
        ImGui::TextUnformatted(few.c_str());
        tooltip(whole);
    }
    ImGui::EndTable();
}

} // namespace qd::inspector
