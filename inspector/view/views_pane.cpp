#include <algorithm>
#include <cmath>

#include "view/panes.h"

namespace qd::inspector {

namespace {

int parts_of(const sent::View &view) {
    double parts = 1;
    for (const double extent : view.element) parts *= extent;
    return int(parts);
}

std::string name_of_component(const sent::View &view, int component) {
    if (component < 0) return "magnitude";
    if (view.element.size() == 2) {
        const int columns = std::max(1, int(view.element[1]));
        return "[" + std::to_string(component / columns) + ", " + std::to_string(component % columns) + "]";
    }
    return "[" + std::to_string(component) + "]";
}

std::string index_text(const std::vector<int> &index) {
    std::string text;
    for (const int one : index) text += (text.empty() ? "" : ", ") + std::to_string(one);
    return "[" + text + "]";
}

std::string number_text(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.7g", value);
    return text;
}

} // namespace

ViewsPane::Kind ViewsPane::plain_kind(const sent::View &view) {
    return view.shape.size() < 2 ? Kind::lines : Kind::picture;
}

bool ViewsPane::may_be_points(const sent::View &view) {
    const auto few = [](double n) { return n == 2 || n == 3; };
    return (view.shape.size() == 1 && view.element.size() == 1 && few(view.element[0])) ||
           (view.shape.size() == 2 && view.element.empty() && few(view.shape[1]));
}

ViewsPane::Kind ViewsPane::kind_of(const sent::View &view, const Look &look) {
    if (look.kind && (*look.kind != Kind::points || may_be_points(view))) return *look.kind;
    return view.shape.size() == 1 && may_be_points(view) ? Kind::points : plain_kind(view);
}

void ViewsPane::ask_for(const sent::View &view, Look &look, ImVec2 room) {
    // Sizes are requested in steps, not for each pixel that a splitter moves.
    const auto stepped = [](float pixels) { return std::clamp((int(pixels) + 127) / 128 * 128, 128, 1024); };
    const Kind kind = kind_of(view, look);
    look.width = kind == Kind::points ? max_points : stepped(room.x);
    look.height = stepped(room.y);
    if (kind != Kind::table) return;
    look.width = std::max(1, look.room[0]);
    look.height = std::max(1, look.room[1]);
}

void ViewsPane::want(UiState &ui, const std::vector<std::string> &panes) {
    Json views = Json::array();
    for (const auto &view : ui.watched.views) {
        const auto look = looks_.find(int(view.id));
        if (view.gone || look == looks_.end() || !look->second.shown || look->second.width < 1) continue;
        sent::WantedView one;
        one.id = view.id;
        one.width = look->second.width;
        one.height = look->second.height;
        const Kind kind = kind_of(view, look->second);
        const bool each =
            view.shape.size() == 1 && (kind == Kind::points || (kind == Kind::table && !view.element.empty()));
        one.component = each ? each_component : look->second.component;
        if (kind == Kind::table) one.first = {double(look->second.first[0]), double(look->second.first[1])};
        one.slice.assign(look->second.slice.begin(), look->second.slice.end());
        views.push_back(one);
    }
    Json wanted = {{"kind", "want"}, {"panes", panes}, {"views", std::move(views)}};
    if (wanted == wanted_ && views_received_ == ui.watched.views_received) return;
    ui.ask(wanted);
    wanted_ = std::move(wanted);
    views_received_ = ui.watched.views_received;
}

void ViewsPane::draw(UiState &ui) {
    const auto &views = ui.watched.views;
    if (views.empty()) {
        ImGui::TextDisabled("qd.inspect(v) or ins.show(v) shows a field or an array here.");
        return;
    }
    int shown = 0;
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    for (const auto &view : views) {
        Look &look = looks_.try_emplace(int(view.id), Look{.shown = looks_.size() < 4}).first->second;
        const float box = ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().ItemSpacing.x;
        if (&view != &views.front() &&
            ImGui::GetItemRectMax().x + box + ImGui::CalcTextSize(view.name.c_str()).x < right)
            ImGui::SameLine();
        ImGui::Checkbox(view.name.c_str(), &look.shown);
        ui.mark("show " + view.name);
        shown += look.shown;
    }
    if (shown == 0) return;
    const ImVec2 space = ImGui::GetContentRegionAvail();
    const int columns = shown == 1 ? 1 : shown <= 4 ? 2 : 3, rows = (shown + columns - 1) / columns;
    const ImVec2 gap = ImGui::GetStyle().ItemSpacing;
    const ImVec2 size(std::max(40.f, (space.x - gap.x * float(columns - 1)) / float(columns)),
                      std::max(120.f, (space.y - gap.y * float(rows - 1)) / float(rows)));
    int n = 0;
    for (const auto &view : views) {
        Look &look = looks_.at(int(view.id));
        if (!look.shown) continue;
        if (n++ % columns) ImGui::SameLine();
        one(ui, view, look, size);
    }
}

void ViewsPane::one(UiState &ui, const sent::View &view, Look &look, ImVec2 size) {
    ImGui::PushID(int(view.id));
    ImGui::BeginChild("view", size, true, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    if (ImGui::SmallButton("...")) ImGui::OpenPopup("options");
    ui.mark("options " + view.name);
    tooltip("colours, range, component, slice");
    options(ui, view, look);
    ImGui::SameLine();
    const auto found = ui.watched.shots.find(int(view.id));
    const Shot *shot = found == ui.watched.shots.end() ? nullptr : &found->second;
    std::string title = view.name + "  " + view.dtype;
    if (!view.element.empty() && !(shot && shot->head.component == each_component))
        title += " " + name_of_component(view, look.component);
    title += " [";
    for (std::size_t k = 0; k < view.shape.size(); k++) title += (k ? ", " : "") + std::to_string(int(view.shape[k]));
    title += "]";
    ImGui::TextUnformatted(title.c_str());
    if (view.gone) {
        ImGui::SameLine();
        ImGui::TextDisabled("its program has ended");
    } else if (shot && shot->head.during_launch) {
        ImGui::SameLine();
        ImGui::TextColored(ImVec4(0.9f, 0.5f, 0.1f, 1), "during a launch");
    }
    const float below = ImGui::GetTextLineHeightWithSpacing() * (look.chosen.empty() ? 1 : 2) +
                        ImGui::GetStyle().ItemSpacing.y * 2 + (look.histogram ? ImGui::GetFontSize() * 4 : 0);
    const ImVec2 at = ImGui::GetCursorScreenPos(), space = ImGui::GetContentRegionAvail();
    const ImVec2 room(space.x, std::max(20.f, space.y - below));
    ask_for(view, look, room);
    const Kind kind = kind_of(view, look);
    if (kind == Kind::table && shot) {
        table(ui, view, *shot, look, at, ImVec2(room.x, room.y + ImGui::GetTextLineHeightWithSpacing()));
        if (!look.chosen.empty()) edit(ui, view, look);
        if (look.histogram) histogram(*shot, look);
        ImGui::EndChild();
        ImGui::PopID();
        return;
    }
    ImGui::InvisibleButton("picture", room);
    ui.mark("view " + view.name);
    const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
    if (!shot) {
        ImGui::GetWindowDrawList()->AddText(at, ui.faint(), view.gone ? "" : "waiting for the program");
    } else if (kind == Kind::points) {
        points(ui, view, *shot, look, at, room);
    } else {
        paint(ui, *shot, look);
        const bool line = shot->head.rows == 1;
        ImVec2 from = at, drawn = room;
        if (line) {
            curve(ui, *shot, look, at, room);
        } else {
            const float scale = std::min(room.x / float(shot->head.columns), room.y / float(shot->head.rows));
            drawn = ImVec2(float(shot->head.columns) * scale, float(shot->head.rows) * scale);
            from = ImVec2(at.x + (room.x - drawn.x) / 2, at.y + (room.y - drawn.y) / 2);
            ImGui::GetWindowDrawList()->AddImage(texture_id(look.texture), from,
                                                 ImVec2(from.x + drawn.x, from.y + drawn.y));
        }
        const ImVec2 pointer = ImGui::GetMousePos();
        const float u = (pointer.x - from.x) / drawn.x, v = 1 - (pointer.y - from.y) / drawn.y;
        const int x = int(std::floor(u * float(shot->width()))),
                  y = line ? 0 : int(std::floor(v * float(shot->height())));
        const bool inside = hovered && u >= 0 && u < 1 && v >= 0 && v < 1;
        if (inside) {
            under_pointer(ui, view, *shot, look, x, y);
            if (clicked) {
                look.chosen = {shot->column(x)};
                if (view.shape.size() > 1) look.chosen.push_back(shot->row(y));
                for (const double k : shot->head.slice) look.chosen.push_back(int(k));
                std::snprintf(look.text.data(), look.text.size(), "%.9g", double(shot->at(x, y)));
            }
        } else {
            std::string said = number_text(look.lowest) + " to " + number_text(look.highest);
            if (look.difference) said = "difference from the previous picture: " + said;
            if (shot->range.nans) said += ", " + std::to_string(shot->range.nans) + " NaN";
            if (shot->range.infinities) said += ", " + std::to_string(shot->range.infinities) + " infinite";
            if (shot->range.finite == 0)
                said = "no finite values" +
                       said.substr(said.find(',') == std::string::npos ? said.size() : said.find(','));
            ImGui::TextUnformatted(said.c_str());
        }
        if (!look.chosen.empty()) edit(ui, view, look);
        if (look.histogram) histogram(*shot, look);
    }
    ImGui::EndChild();
    ImGui::PopID();
}

void ViewsPane::options(UiState &ui, const sent::View &view, Look &look) {
    if (!ImGui::BeginPopup("options")) return;
    const float wide = ImGui::GetFontSize() * 10;
    int map = int(look.map), scaling = int(look.scaling);
    ImGui::SetNextItemWidth(wide);
    const Kind now = kind_of(view, look);
    if (ImGui::BeginCombo("as", kind_names[int(now)])) {
        for (const Kind kind : {plain_kind(view), Kind::points, Kind::table}) {
            if (kind == Kind::points && !may_be_points(view)) continue;
            if (ImGui::Selectable(kind_names[int(kind)], kind == now)) {
                look.kind = kind;
                look.painted = -1;
            }
            ui.mark(std::string("as ") + kind_names[int(kind)]);
        }
        ImGui::EndCombo();
    }
    ui.mark("as");
    ImGui::SetNextItemWidth(wide);
    if (ImGui::Combo("colours", &map, colour_map_names, IM_ARRAYSIZE(colour_map_names))) look.map = ColourMap(map);
    ui.mark("colours");
    if (now == Kind::points) { // the other options do not apply
        ImGui::EndPopup();
        return;
    }
    ImGui::SetNextItemWidth(wide);
    if (ImGui::Combo("range", &scaling, "minimum to maximum\0middle 98 %\0fixed\0")) look.scaling = Scaling(scaling);
    ui.mark("range");
    if (look.scaling == Scaling::fixed) {
        float ends[] = {look.lowest, look.highest};
        ImGui::SetNextItemWidth(wide);
        if (ImGui::InputFloat2("from, to", ends)) look.lowest = ends[0], look.highest = std::max(ends[0], ends[1]);
        ui.mark("ends");
    }
    if (const int parts = parts_of(view); !view.element.empty()) {
        ImGui::SetNextItemWidth(wide);
        if (ImGui::BeginCombo("component", name_of_component(view, look.component).c_str())) {
            for (int k = -1; k < parts; k++)
                if (ImGui::Selectable(name_of_component(view, k).c_str(), k == look.component)) look.component = k;
            ImGui::EndCombo();
        }
        ui.mark("component");
    }
    if (view.shape.size() > 2) look.slice.resize(view.shape.size() - 2);
    for (std::size_t k = 0; k < look.slice.size(); k++) {
        ImGui::SetNextItemWidth(wide);
        const std::string label = "axis " + std::to_string(k + 2);
        ImGui::SliderInt(label.c_str(), &look.slice[k], 0, std::max(0, int(view.shape[k + 2]) - 1));
        ui.mark(label);
    }
    ImGui::Checkbox("difference from the previous picture", &look.difference);
    ui.mark("difference");
    ImGui::Checkbox("histogram", &look.histogram);
    ui.mark("histogram");
    ImGui::EndPopup();
}

void ViewsPane::paint(UiState &ui, const Shot &shot, Look &look) {
    const std::string key =
        std::to_string(int(look.map)) + " " + std::to_string(int(look.scaling)) + (look.difference ? " d" : "") +
        (look.scaling == Scaling::fixed ? number_text(look.lowest) + number_text(look.highest) : "");
    if (look.texture && look.painted == shot.head.number && look.key == key) return;
    const std::vector<float> *samples = &shot.samples;
    if (look.difference) {
        values_.assign(shot.samples.size(), 0.f);
        if (shot.comparable())
            for (std::size_t k = 0; k < values_.size(); k++) values_[k] = shot.samples[k] - shot.before[k];
        samples = &values_;
    }
    if (look.scaling != Scaling::fixed) {
        const Range range = look.scaling == Scaling::inner ? inner_range(*samples, 0.01)
                            : look.difference              ? range_of(*samples)
                                                           : shot.range;
        look.lowest = range.lowest, look.highest = range.highest;
        if (look.difference || look.map == ColourMap::diverging) { // 0 is in the middle
            look.highest = std::max(std::abs(look.lowest), std::abs(look.highest));
            look.lowest = -look.highest;
        }
    }
    paint_samples(picture_, *samples, shot.width(), shot.height(), look.difference ? ColourMap::diverging : look.map,
                  look.lowest, look.highest);
    look.texture = ui.stage.texture(look.texture, picture_, false);
    look.painted = shot.head.number;
    look.key = key;
}

void ViewsPane::curve(UiState &ui, const Shot &shot, const Look &look, ImVec2 at, ImVec2 size) {
    ImDrawList &list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), ImGui::GetColorU32(ImGuiCol_FrameBg));
    const float range = look.highest > look.lowest ? look.highest - look.lowest : 1;
    ImVec2 before;
    bool joined = false;
    for (int x = 0; x < shot.width(); x++) {
        const float value = shot.at(x, 0);
        if (!std::isfinite(value)) {
            joined = false;
            continue;
        }
        const ImVec2 here(at.x + size.x * (float(x) + 0.5f) / float(shot.width()),
                          at.y + size.y - 3 -
                              (std::clamp(value, look.lowest, look.highest) - look.lowest) / range * (size.y - 6));
        if (joined)
            list.AddLine(before, here, IM_COL32(90, 160, 230, 255), 1.5f);
        else
            list.AddRectFilled(ImVec2(here.x - 1, here.y - 1), ImVec2(here.x + 1, here.y + 1),
                               IM_COL32(90, 160, 230, 255));
        before = here;
        joined = true;
    }
    (void)ui;
}

void ViewsPane::under_pointer(UiState &, const sent::View &view, const Shot &shot, Look &, int x, int y) {
    std::vector<int> index = {shot.column(x)};
    if (view.shape.size() > 1) index.push_back(shot.row(y));
    for (const double k : shot.head.slice) index.push_back(int(k));
    std::string said = view.name + index_text(index);
    if (!view.element.empty()) said += name_of_component(view, int(shot.head.component));
    said += " = " + number_text(shot.at(x, y));
    if (shot.comparable()) {
        const float before = shot.before[std::size_t(x) * std::size_t(shot.height()) + std::size_t(y)];
        if (before != shot.at(x, y)) said += ", before " + number_text(before);
    }
    ImGui::TextUnformatted(said.c_str());
}

void ViewsPane::edit(UiState &ui, const sent::View &view, Look &look) {
    const ImGuiStyle &style = ImGui::GetStyle();
    const auto width = [](const std::string &text) { return ImGui::CalcTextSize(text.c_str()).x; };
    const float least = ImGui::GetFontSize() * 4, gap = style.ItemSpacing.x;
    const float buttons = width("Set") + width("x") + 4 * style.FramePadding.x + 2 * gap;
    float room = ImGui::GetContentRegionAvail().x - buttons;
    std::string label = view.name + index_text(look.chosen);
    if (width(label) + gap + least > room) label = index_text(look.chosen); // the title shows the name
    if (width(label) + gap + least <= room) {
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(label.c_str());
        ImGui::SameLine();
        room -= width(label) + gap;
    }
    ImGui::SetNextItemWidth(std::clamp(room, 1.f, 2 * least));
    const bool entered =
        ImGui::InputText("##value", look.text.data(), look.text.size(), ImGuiInputTextFlags_EnterReturnsTrue);
    ui.mark("value " + view.name);
    ImGui::SameLine();
    const bool pressed = ImGui::SmallButton("Set");
    ui.mark("set " + view.name);
    if ((entered || pressed) && !ui.ended && !view.gone)
        ui.ask({{"kind", "edit"},
                {"view", view.id},
                {"index", look.chosen},
                {"component", look.component},
                {"value", look.text.data()}});
    ImGui::SameLine();
    if (ImGui::SmallButton("x")) look.chosen.clear();
    ui.mark("let go " + view.name);
}

void ViewsPane::histogram(const Shot &shot, const Look &look) {
    constexpr std::size_t parts = 128;
    const auto counts = qd::inspector::histogram(shot.samples, shot.range.lowest, shot.range.highest, parts);
    const double most = std::max<double>(1, double(*std::max_element(counts.begin(), counts.end())));
    const ImVec2 at = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 3.5f);
    ImDrawList &list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), ImGui::GetColorU32(ImGuiCol_FrameBg));
    for (std::size_t k = 0; k < parts; k++) {
        const double share = std::log1p(double(counts[k])) / std::log1p(most);
        const float x = at.x + size.x * float(k) / parts;
        const double value =
            shot.range.lowest + (double(shot.range.highest) - shot.range.lowest) * (double(k) + 0.5) / parts;
        const double place =
            look.highest > look.lowest ? (value - look.lowest) / (double(look.highest) - look.lowest) : 0.5;
        list.AddRectFilled(ImVec2(x, at.y + size.y * float(1 - share)), ImVec2(x + size.x / parts, at.y + size.y),
                           colour_of(look.map, place));
    }
    ImGui::Dummy(size);
}

} // namespace qd::inspector
