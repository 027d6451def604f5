#include <algorithm>
#include <cmath>
#include <cstring>

#include "view/panes.h"

namespace qd::inspector {

namespace {

constexpr const char *quantity_names[] = {"Total", "Newest run", "Difference"};

std::string name_of(const std::string &path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

void hatch(ImDrawList &list, ImVec2 from, ImVec2 to, ImU32 colour) {
    list.PushClipRect(from, to, true);
    const float height = to.y - from.y;
    for (float x = from.x - height; x < to.x; x += 6) list.AddLine(ImVec2(x, to.y), ImVec2(x + height, from.y), colour);
    list.PopClipRect();
}

std::string joined(const std::vector<std::string> &all) {
    std::string text;
    for (const auto &one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
}

} // namespace

void LinesPane::draw(UiState &ui) {
    const auto &files = ui.watched.files;
    if (files.empty()) {
        ImGui::TextDisabled("No kernel has been counted yet.");
        return;
    }
    if (!files.contains(ui.file)) {
        ui.file = files.begin()->first;
        const auto counted = files.begin()->second.lines();
        if (!counted.empty()) ui.line = counted.begin()->first;
    }
    const Listed &file = files.at(ui.file);
    controls(ui, file);
    body(ui, file);
}

void LinesPane::controls(UiState &ui, const Listed &file) {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 12);
    if (ImGui::BeginCombo("##file", name_of(ui.file).c_str())) {
        for (const auto &[path, one] : ui.watched.files)
            if (ImGui::Selectable((name_of(path) + "##" + path).c_str(), path == ui.file)) ui.file = path;
        ImGui::EndCombo();
    }
    ui.mark("file");
    tooltip(ui.file);
    for (int k = 0; k < 3; k++) {
        ImGui::SameLine();
        if (ImGui::RadioButton(quantity_names[k], int(quantity_) == k)) quantity_ = Quantity(k);
        ui.mark(quantity_names[k]);
    }
    if (file.listing.specialisations.size() < 2) {
        specialisation_.clear();
        return;
    }
    ImGui::SetNextItemWidth(-1);
    if (ImGui::BeginCombo("##kept apart",
                          specialisation_.empty() ? "all specialisations together" : specialisation_.c_str())) {
        if (ImGui::Selectable("all specialisations together", specialisation_.empty())) specialisation_.clear();
        for (const auto &one : file.listing.specialisations)
            if (ImGui::Selectable(one.name.c_str(), one.name == specialisation_)) specialisation_ = one.name;
        ImGui::EndCombo();
    }
    ui.mark("specialisations");
}

void LinesPane::body(UiState &ui, const Listed &file) {
    const float letter = ImGui::CalcTextSize("0").x, row = ImGui::GetTextLineHeightWithSpacing(),
                map_width = letter * 8;
    const auto counts = file.lines();
    const protocol::coverage::SpecialisationCounts *apart = nullptr;
    for (const auto &one : file.listing.specialisations)
        if (one.name == specialisation_) apart = &one;
    std::map<int, const protocol::coverage::AdstackLine *> kept;
    for (const auto &one : file.listing.kept) kept[int(one.number)] = &one;
    const double most = ui.watched.most(quantity_);
    ImGui::BeginChild("text", ImVec2(-map_width - 4, 0), false, ImGuiWindowFlags_HorizontalScrollbar);
    if (ui.line > 0) {
        ImGui::SetScrollY(std::max(0.f, float(ui.line - 1) * row - ImGui::GetWindowHeight() / 3));
        ui.line = 0;
    }
    ImDrawList &list = *ImGui::GetWindowDrawList();
    ImGuiListClipper clipper;
    clipper.Begin(int(file.text.size()), row);
    while (clipper.Step())
        for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; n++) {
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float left = at.x + letter * 5, text_at = at.x + letter * 13;
            const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth();
            const auto found = counts.find(n + 1);
            const auto *line = found == counts.end() ? nullptr : found->second;
            std::string shown, words = std::to_string(n + 1) + ": ";
            if (line) {
                double value = Watched::value(*line, quantity_);
                if (apart) {
                    value = 0;
                    for (const auto &one : apart->lines)
                        if (int(one.number) == n + 1) value = one.count;
                }
                const int level = Watched::level(std::abs(value), most);
                const bool never = line->count == 0 && line->launched;
                list.AddRectFilled(at, ImVec2(right, at.y + row),
                                   value < 0 ? UiState::less(level) : UiState::heat(level));
                if (never) hatch(list, ImVec2(left, at.y), ImVec2(text_at - letter, at.y + row), ui.faint());
                shown = never ? "never" : line->launched || value != 0 ? Watched::brief(value) : "-";
                if (quantity_ == Quantity::difference && value > 0) shown = "+" + shown;
                char all[160];
                std::snprintf(all, sizeof all, "%.0f times in total, %.0f in the newest run", line->count,
                              line->newest);
                words += line->launched ? all : "no kernel with this line has been launched yet";
                if (line->previous) {
                    std::snprintf(all, sizeof all, ", %.0f in the run before", *line->previous);
                    words += all;
                }
                for (const auto &[outcome, count] : line->outcomes) {
                    std::snprintf(all, sizeof all, "\n%s: %.0f", outcome.c_str(), count);
                    words += all;
                }
            }
            char number[16];
            std::snprintf(number, sizeof number, "%4d", n + 1);
            list.AddText(at, ui.faint(), number);
            const float wide = ImGui::CalcTextSize(shown.c_str()).x;
            list.AddText(ImVec2(text_at - 2 * letter - wide, at.y), ui.ink(), shown.c_str());
            ImGui::SetCursorScreenPos(ImVec2(text_at, at.y));
            ImGui::TextUnformatted(file.text[std::size_t(n)].c_str());
            if (line) {
                const std::string remark = joined(Watched::remarks(*line));
                if (!remark.empty()) {
                    ImGui::SameLine(0, 2 * letter);
                    ImGui::Text("<- %s", remark.c_str());
                }
            }
            if (const auto keeps = kept.find(n + 1); keeps != kept.end()) {
                char all[96];
                std::snprintf(all, sizeof all, "keeps %s B per thread", Watched::brief(keeps->second->bytes).c_str());
                ImGui::SameLine(0, 2 * letter);
                ImGui::TextDisabled("%s", all);
                words += std::string("\nA gradient ") + all;
                for (const auto &value : keeps->second->of)
                    words += "\n  " + value.kernel + ": " + value.name + " " + value.type + ", " + value.choice;
            }
            if ((line || kept.contains(n + 1)) && ImGui::IsMouseHoveringRect(at, ImVec2(right, at.y + row)) &&
                ImGui::IsWindowHovered())
                ImGui::SetTooltip("%s", words.c_str());
            ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + row));
        }
    const float scroll = ImGui::GetScrollY(), window = ImGui::GetWindowHeight();
    ImGui::EndChild();
    ui.mark("lines");
    ImGui::SameLine();
    minimap(ui, file, scroll, window, row * float(file.text.size()));
}

void LinesPane::minimap(UiState &ui, const Listed &file, float scroll, float shown, float whole) {
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    if (size.x < 4 || size.y < 4 || file.text.empty()) return;
    ImGui::InvisibleButton("minimap", size);
    ui.mark("minimap");
    if (ImGui::IsItemActive()) ui.line = 1 + int((ImGui::GetMousePos().y - at.y) / size.y * float(file.text.size()));
    ImDrawList &list = *ImGui::GetWindowDrawList();
    const float step = size.y / float(file.text.size()), high = std::max(step, 1.f);
    const double most = ui.watched.most(quantity_);
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), ImGui::GetColorU32(ImGuiCol_FrameBg));
    for (std::size_t n = 0; n < file.text.size(); n++) {
        const std::size_t begin = file.text[n].find_first_not_of(' ');
        if (begin == std::string::npos) continue;
        const float x = at.x + size.x * float(std::min<std::size_t>(begin, 80)) / 80;
        const float end = at.x + size.x * float(std::min<std::size_t>(file.text[n].size(), 80)) / 80;
        list.AddRectFilled(ImVec2(x, at.y + step * float(n)), ImVec2(end, at.y + step * float(n) + high * 0.6f),
                           IM_COL32(128, 128, 128, 70));
    }
    for (const auto &line : file.listing.lines) {
        const double value = Watched::value(line, quantity_);
        const int level = Watched::level(std::abs(value), most);
        const float y = at.y + step * float(line.number - 1);
        if (level)
            list.AddRectFilled(ImVec2(at.x, y), ImVec2(at.x + size.x, y + high),
                               value < 0 ? UiState::less(level) : UiState::heat(level));
    }
    if (whole > shown)
        list.AddRect(ImVec2(at.x, at.y + size.y * scroll / whole),
                     ImVec2(at.x + size.x, at.y + size.y * std::min(1.f, (scroll + shown) / whole)), ui.ink());
}

} // namespace qd::inspector
