#include "view/widgets.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace qd::inspector {

namespace {

constexpr std::size_t longest_text = 4096;

enum class Holds { nothing, boolean, integer, number, colour, text, press };

Holds holds(const std::string &kind) {
    if (kind == "checkbox") return Holds::boolean;
    if (kind == "slider_int" || kind == "combo") return Holds::integer;
    if (kind == "slider_float") return Holds::number;
    if (kind == "color") return Holds::colour;
    if (kind == "input_text") return Holds::text;
    if (kind == "button") return Holds::press;
    if (kind == "begin" || kind == "end" || kind == "text" || kind == "plot") return Holds::nothing;
    throw Garbled("a widget of unknown kind");
}

void check(const Json &widget) {
    const auto kind = member<std::string>(widget, "do");
    const Holds what = holds(kind);
    if (what != Holds::nothing) member<std::string>(widget, "key");
    member<std::string>(widget, "text", "");
    switch (what) {
    case Holds::boolean: member<bool>(widget, "value"); break;
    case Holds::integer: member<std::int64_t>(widget, "value"); break;
    case Holds::number: member<double>(widget, "value"); break;
    case Holds::text: member<std::string>(widget, "value"); break;
    case Holds::colour:
        if (member<std::vector<float>>(widget, "value").size() != 3) throw Garbled("an invalid colour");
        break;
    case Holds::press:
    case Holds::nothing: break;
    }
    if (kind == "slider_int") member<std::int64_t>(widget, "least"), member<std::int64_t>(widget, "most");
    if (kind == "slider_float")
        member<double>(widget, "least"), member<double>(widget, "most"), member<double>(widget, "step", 0);
    if (kind == "combo" && member<std::vector<std::string>>(widget, "choices").empty())
        throw Garbled("a choice without options");
    if (kind == "plot") member<std::vector<float>>(widget, "values");
    if (kind == "begin") {
        for (const char *name : {"x", "y", "width", "height"})
            if (!std::isfinite(member<float>(widget, name))) throw Garbled("a panel without a size");
    }
    if (kind == "text") member<std::vector<float>>(widget, "colour", {}), member<float>(widget, "size", 0);
}

} // namespace

void Widgets::declare(const Json &list) {
    if (!list.is_array()) throw Garbled("widgets that are not a list");
    for (const Json &widget : list) {
        if (!widget.is_object()) throw Garbled("an invalid widget");
        check(widget);
        const Holds what = holds(widget["do"]);
        if (what == Holds::nothing) continue;
        const std::string key = widget["key"];
        const auto found = values_.find(key);
        if (what == Holds::press) {
            if (found == values_.end() || !found->second.is_boolean()) values_[key] = false;
            continue;
        }
        Json given = widget["value"]; // in the type of its kind, however the program wrote it
        if (what == Holds::number) given = given.get<double>();
        if (what == Holds::integer) given = given.get<std::int64_t>();
        const bool other = found == values_.end() || found->second.type() != given.type();
        if (other || member<bool>(widget, "set", false)) values_[key] = given;
    }
    declared_ = list;
}

void Widgets::draw(float width, float height) {
    width_ = width, height_ = height;
    int number = 0, open = 0;
    for (const Json &widget : declared_) {
        const std::string kind = widget["do"];
        if (kind == "begin") ++open;
        if (kind == "end" && --open < 0) {
            open = 0; // an end without a beginning
            continue;
        }
        if (kind != "begin" && kind != "end" && open == 0) continue; // widgets must be in panels
        one(widget, number++);
    }
    for (; open > 0; --open) ImGui::End();
}

void Widgets::one(const Json &widget, int number) {
    const std::string kind = widget["do"], text = widget.value("text", "");
    const char *label = text.c_str();
    if (kind == "begin") {
        ImGui::SetNextWindowPos(ImVec2(widget["x"].get<float>() * width_, widget["y"].get<float>() * height_),
                                ImGuiCond_Once);
        const float w = widget["width"].get<float>() * width_, h = widget["height"].get<float>() * height_;
        if (w > 0 && h > 0) ImGui::SetNextWindowSize(ImVec2(w, h), ImGuiCond_Once);
        const bool plain = widget.value("plain", false); // a panel without a title, as large as its content
        ImGui::Begin(text.empty() ? "##panel" : label, nullptr,
                     plain ? ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize : 0);
        return;
    }
    if (kind == "end") return ImGui::End();
    ImGui::PushID(number);
    if (kind == "text") {
        const auto colour = widget.value("colour", std::vector<float>());
        const float size = widget.value("size", 0.f);
        if (size > 0) ImGui::SetWindowFontScale(std::clamp(size, 4.f, 200.f) / ImGui::GetFontSize());
        if (colour.size() >= 3)
            ImGui::PushStyleColor(ImGuiCol_Text,
                                  ImVec4(colour[0], colour[1], colour[2], colour.size() > 3 ? colour[3] : 1));
        ImGui::TextUnformatted(label);
        if (colour.size() >= 3) ImGui::PopStyleColor();
        if (size > 0) ImGui::SetWindowFontScale(1);
    } else if (kind == "plot") {
        const auto values = widget["values"].get<std::vector<float>>();
        ImGui::PlotLines(label, values.data(), int(values.size()), 0, nullptr, 3.4e38f, 3.4e38f, ImVec2(0, 60));
    } else {
        Json &value = values_[widget["key"]];
        if (kind == "checkbox") {
            bool on = value;
            if (ImGui::Checkbox(label, &on)) value = on;
        } else if (kind == "slider_int") {
            std::int64_t now = value, least = end_of_slider<std::int64_t>(widget["least"]),
                         most = end_of_slider<std::int64_t>(widget["most"]);
            if (ImGui::SliderScalar(label, ImGuiDataType_S64, &now, &least, &most)) value = now;
        } else if (kind == "slider_float") {
            double now = value, least = end_of_slider<double>(widget["least"]),
                   most = end_of_slider<double>(widget["most"]);
            const double step = widget.value("step", 0.);
            if (ImGui::SliderScalar(label, ImGuiDataType_Double, &now, &least, &most,
                                    step >= 1 && step == std::floor(step) ? "%.0f" : "%.3f")) {
                if (step > 0) now = std::min(most, least + std::round((now - least) / step) * step);
                value = now;
            }
        } else if (kind == "color") {
            auto colour = value.get<std::vector<float>>();
            if (ImGui::ColorEdit3(label, colour.data())) value = colour;
        } else if (kind == "combo") {
            const auto choices = widget["choices"].get<std::vector<std::string>>();
            const std::int64_t now =
                std::clamp<std::int64_t>(value.get<std::int64_t>(), 0, std::int64_t(choices.size()) - 1);
            if (ImGui::BeginCombo(label, choices[std::size_t(now)].c_str())) {
                for (std::size_t i = 0; i < choices.size(); ++i)
                    if (ImGui::Selectable((choices[i] + "##" + std::to_string(i)).c_str(), std::int64_t(i) == now))
                        value = std::int64_t(i);
                ImGui::EndCombo();
            }
        } else if (kind == "input_text") {
            char buffer[longest_text] = {};
            std::strncpy(buffer, value.get<std::string>().c_str(), sizeof buffer - 1);
            if (ImGui::InputText(label, buffer, sizeof buffer)) value = std::string(buffer);
        } else if (kind == "button") {
            if (ImGui::Button(label)) value = true;
        }
    }
    ImGui::PopID();
}

Json Widgets::answer() {
    Json made = Json::object();
    for (const Json &widget : declared_) {
        const auto key = widget.find("key");
        if (key == widget.end()) continue;
        Json &value = values_[*key];
        made[key->get<std::string>()] = value;
        if (widget["do"] == "button") value = false;
    }
    return made;
}

} // namespace qd::inspector
