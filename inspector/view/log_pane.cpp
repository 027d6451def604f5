#include <cstring>

#include "view/panes.h"

namespace qd::inspector {

void LogPane::draw(UiState &ui) {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 14);
    ImGui::InputTextWithHint("##filter", "show lines with ...", filter_.data(), filter_.size());
    ui.mark("filter");
    ImGui::BeginChild("log");
    const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
    std::vector<const sent::LogLine *> shown;
    for (const auto &line : ui.watched.log)
        if (!filter_[0] || line.text.find(filter_.data()) != std::string::npos) shown.push_back(&line);
    ImGuiListClipper clipper;
    clipper.Begin(int(shown.size()));
    while (clipper.Step())
        for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; n++) {
            const auto &line = *shown[std::size_t(n)];
            if (line.what == "warning")
                ImGui::TextColored(ImVec4(0.9f, 0.5f, 0.1f, 1), "warning: %s", line.text.c_str());
            else if (line.what == "note")
                ImGui::TextDisabled("%s", line.text.c_str());
            else
                ImGui::TextUnformatted(line.text.c_str());
        }
    if (at_end && ui.watched.log.size() != seen_) ImGui::SetScrollHereY(1);
    seen_ = ui.watched.log.size();
    ImGui::EndChild();
}

} // namespace qd::inspector
