#include <algorithm>

#include "view/panes.h"

namespace qd::inspector {

namespace {

std::string words_of(const protocol::checkpoints::Step &step, bool running) {
    if (step.kind == "level" && step.iteration) {
        const int iterations = int(std::clamp(*step.iteration, 0., 2e9));
        if (iterations == 0) return "skipped";
        return running ? "iteration " + std::to_string(iterations)
                       : std::to_string(iterations) + (iterations == 1 ? " iteration" : " iterations");
    }
    if (step.kind == "checkpoint") return step.state + (step.flag ? ", yields on " + *step.flag : "");
    return "";
}

ImU32 colour_of_step(const protocol::checkpoints::Step &step) {
    if (step.kind == "level") return IM_COL32(58, 123, 213, 255);
    if (step.kind == "checkpoint")
        return step.state == "yielded" ? IM_COL32(200, 40, 60, 255) : IM_COL32(232, 113, 10, 255);
    return step.kind == "task" ? 0 : IM_COL32(128, 128, 128, 255);
}

} // namespace

void GraphPane::draw(UiState &ui) {
    if (ui.watched.graphs.empty()) {
        ImGui::TextDisabled("No kernel with graph=True has been compiled yet.");
        return;
    }
    for (const auto &graph : ui.watched.graphs) {
        const std::string name = Watched::shown_name(graph.name);
        ImGui::PushID(graph.name.c_str());
        std::string said = name;
        if (graph.launches > 0)
            said += ": " + Watched::brief(graph.launches) + (graph.launches == 1 ? " launch" : " launches");
        if (graph.running) said += ", one is running";
        if (graph.yielded) said += ", the newest yielded at " + *graph.yielded;
        const bool open = ImGui::CollapsingHeader((said + "###graph").c_str(), ImGuiTreeNodeFlags_DefaultOpen);
        ui.mark("graph " + name);
        if (open) steps(ui, graph);
        ImGui::PopID();
    }
}

void GraphPane::steps(UiState &ui, const sent::Graph &graph) {
    if (!ImGui::BeginTable("steps", 4,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingStretchProp))
        return;
    const std::pair<const char *, float> columns[] = {{"step", 4}, {"newest launch", 2}, {"runs", 1}, {"mean", 1}};
    for (const auto &[name, share] : columns) ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, share);
    ImGui::TableHeadersRow();
    const float deep = ImGui::GetFontSize() * 1.2f, high = ImGui::GetTextLineHeight();
    for (std::size_t k = 0; k < graph.steps.size(); k++) {
        const auto &[step, line] = graph.steps[k];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushID(int(k));
        const float left = deep * float(std::clamp(step.depth, 0., 30.)) + 8;
        ImGui::Indent(left);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - 7, at.y), ImVec2(at.x - 4, at.y + high),
                                                  colour_of_step(step));
        if (ImGui::Selectable(step.text.c_str(), false, ImGuiSelectableFlags_SpanAllColumns)) ui.show(graph.file, line);
        ui.mark("step " + step.text);
        ImGui::Unindent(left);
        ImGui::PopID();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(words_of(step, graph.running).c_str());
        ImGui::TableNextColumn();
        if (step.runs) ImGui::TextUnformatted(Watched::brief(*step.runs).c_str());
        ImGui::TableNextColumn();
        if (step.microseconds) ImGui::TextUnformatted(Watched::duration(*step.microseconds).c_str());
    }
    ImGui::EndTable();
}

} // namespace qd::inspector
