// The window of qd.inspect(): panes side by side, below the controls of the program.
#include <algorithm>
#include <array>

#include "view/face.h"
#include "view/letters.h"
#include "view/panes.h"

namespace qd::inspector {

namespace {

constexpr float bar = 5; // pixels of a splitter

class InspectFace : public Face {
  public:
    InspectFace(Connection &connection, Stage &stage, const Json &hello)
        : connection_(connection), stage_(stage), keep_(member<bool>(hello, "keep", true)),
          title_(member<std::string>(hello, "title", "Quadrants")),
          watched_([this](int id, std::uint64_t at, std::uint64_t count) {
              const auto bytes = connection_.piece(id, at, count, sizeof(float));
              return std::span<const float>(reinterpret_cast<const float *>(bytes.data()), std::size_t(count));
          }),
          ui_(watched_, stage, [this](const Json &request) {
              if (!ui_.ended) connection_.send(request);
          }) {
        add_font(*ImGui::GetIO().Fonts, 14);
        ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
        know_all_keys();
        theme();
    }

    void receive(const Json &message) override {
        if (watched_.take(message)) {
            if (message["kind"] == "picture") shown_.push_back(member<int>(message, "view"));
            return;
        }
        if (message["kind"] != "test")
            throw Garbled("a message of unknown kind: " + member<std::string>(message, "kind").substr(0, 40));
        Json answer = watched_.dump();
        answer["places"] = Json::object();
        for (const auto &[name, place] : ui_.places) answer["places"][name] = {place.x, place.y, place.z, place.w};
        answer["dark"] = ui_.dark;
        answer["scale"] = scale_;
        answer["file"] = ui_.file;
        answer["ended"] = ui_.ended;
        connection_.send(answer);
    }

    void input(const Event &event) override {
        if (event.type == Event::Type::close) over_ = true;
        if (event.type != Event::Type::key) return;
        if (event.name.starts_with("Control")) control_ = event.down;
        if (!event.down) return;
        if (control_) {
            if (event.name == "=" || event.name == "+" || event.name == "Equal" || event.name == "Add") scale(1.1f);
            if (event.name == "-" || event.name == "Minus" || event.name == "Subtract") scale(1 / 1.1f);
            if (event.name == "0") scale(1 / scale_);
            if (event.name == "s" || event.name == "S") save();
            if (event.name == "d" || event.name == "D") turn_theme();
        } else if (event.name == "F5") {
            ask("resume");
        } else if (event.name == "F6") {
            ask("pause");
        } else if (event.name == "F10") {
            ask("step");
        }
    }

    void draw() override {
        ui_.places.clear();
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        ImGui::SetNextWindowPos(ImVec2(0, 0));
        ImGui::SetNextWindowSize(size);
        ImGui::Begin("inspector", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoBringToFrontOnFocus);
        controls();
        const ImVec2 space = ImGui::GetContentRegionAvail();
        const float upper = std::floor(space.y * upper_), left = std::floor(space.x * left_);
        const ImVec2 from = ImGui::GetCursorScreenPos();
        pane("Lines", ImVec2(left, upper), [this] { lines_.draw(ui_); });
        const float right = from.x + left + bar, rest = space.x - left - bar,
                    views = std::floor((upper - bar) * views_share_);
        ImGui::SetCursorScreenPos(ImVec2(right, from.y));
        pane("Views", ImVec2(rest, views), [this] { views_.draw(ui_); });
        ImGui::SetCursorScreenPos(ImVec2(right, from.y + views + bar));
        pane("Parameters", ImVec2(rest, upper - views - bar), [this] { parameters_.draw(ui_); });
        splitter("left of views", ImVec2(right - bar, from.y), ImVec2(bar, upper), left_, space.x, true);
        splitter("above parameters", ImVec2(right, from.y + views), ImVec2(rest, bar), views_share_, upper - bar,
                 false);
        splitter("above tasks", ImVec2(from.x, from.y + upper), ImVec2(space.x, bar), upper_, space.y, false);
        ImGui::SetCursorScreenPos(ImVec2(from.x, from.y + upper + bar));
        lower(ImVec2(space.x, space.y - upper - bar));
        ImGui::End();
        views_.want(ui_, {"lines", "tasks", "adstack", "graph"});
    }

    void drawn() override {
        for (const int view : shown_) connection_.send({{"kind", "shown"}, {"view", view}});
        shown_.clear();
    }

    bool over() const override { return over_; }

    bool ended(const std::string &why) override {
        ui_.ended = true;
        why_ = why;
        stage_.title(title_ + (why.empty() ? ": program ended" : ": the connection has ended"));
        return keep_ || !why.empty();
    }

  private:
    template <class Draw> void pane(const char *name, ImVec2 size, const Draw &draw) {
        ImGui::BeginChild(name, ImVec2(std::max(size.x, 8.f), std::max(size.y, 8.f)), true);
        draw();
        ImGui::EndChild();
        ui_.mark(name);
    }

    void splitter(const char *name, ImVec2 at, ImVec2 size, float &share, float whole, bool upright) {
        ImGui::SetCursorScreenPos(at);
        ImGui::InvisibleButton(name, ImVec2(std::max(size.x, 1.f), std::max(size.y, 1.f)));
        ui_.mark(name);
        if (ImGui::IsItemHovered() || ImGui::IsItemActive())
            ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        if (ImGui::IsItemActive() && whole > 1) {
            const ImVec2 moved = ImGui::GetIO().MouseDelta;
            share = std::clamp(share + (upright ? moved.x : moved.y) / whole, 0.1f, 0.9f);
        }
    }

    bool button(const char *name, const char *tip, bool usable = true) {
        ImGui::BeginDisabled(!usable);
        const bool pressed = ImGui::Button(name);
        ImGui::EndDisabled();
        ui_.mark(name);
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", tip);
        ImGui::SameLine();
        return pressed;
    }

    void controls() {
        const bool here = !ui_.ended, paused = watched_.state.paused;
        if (button("Pause", "pauses the program after its current launch (F6)", here && !paused)) ask("pause");
        if (button("Step", "runs one launch (F10)", here && paused)) ask("step");
        if (button("Resume", "F5", here && paused)) ask("resume");
        if (button("Stop", "like Ctrl-C in its terminal", here)) ask("stop");
        if (button("Mark", "starts a new run here: differences are relative to the counts so far", here)) ask("mark");
        if (button("Clear", "resets all counts to zero", here)) ask("clear");
        if (button("Save", "writes a report into the folder that the program runs in (Ctrl+S)", here)) save();
        if (button(ui_.dark ? "Light" : "Dark", "Ctrl+D")) turn_theme();
        std::string text = watched_.state.program;
        if (watched_.state.process > 0) text += ", process " + std::to_string(int(watched_.state.process));
        if (!watched_.state.device.empty()) text += ", " + watched_.state.device;
        text += ui_.ended ? ": program ended" : paused ? ": paused" : "";
        if (!why_.empty()) text += " (" + why_ + ")";
        if (!watched_.said.empty()) text += "   " + watched_.said.back();
        ImGui::TextUnformatted(text.c_str());
        ui_.mark("status");
    }

    void lower(ImVec2 size) {
        ImGui::BeginChild("lower", ImVec2(std::max(size.x, 8.f), std::max(size.y, 8.f)), true);
        if (ImGui::BeginTabBar("tabs")) {
            const bool tasks = ImGui::BeginTabItem("Tasks");
            ui_.mark("tab Tasks");
            if (tasks) {
                ImGui::BeginChild("tasks");
                tasks_.draw(ui_);
                ImGui::EndChild();
                ImGui::EndTabItem();
            }
            const bool kept = ImGui::BeginTabItem("Adstack");
            ui_.mark("tab Adstack");
            if (kept) {
                ImGui::BeginChild("adstack");
                adstack_.draw(ui_);
                ImGui::EndChild();
                ImGui::EndTabItem();
            }
            const bool graph = ImGui::BeginTabItem("Graph");
            ui_.mark("tab Graph");
            if (graph) {
                ImGui::BeginChild("graph");
                graph_.draw(ui_);
                ImGui::EndChild();
                ImGui::EndTabItem();
            }
            const bool log = ImGui::BeginTabItem("Log");
            ui_.mark("tab Log");
            if (log) {
                log_.draw(ui_);
                ImGui::EndTabItem();
            }
            ImGui::EndTabBar();
        }
        ImGui::EndChild();
        ui_.mark("lower");
    }

    void ask(const char *what) { ui_.ask({{"kind", "do"}, {"what", what}}); }
    void save() { ui_.ask({{"kind", "save"}, {"path", ""}}); }

    void scale(float by) {
        scale_ = std::clamp(scale_ * by, 0.5f, 4.f);
        ImGui::GetIO().FontGlobalScale = scale_;
    }

    void turn_theme() {
        ui_.dark = !ui_.dark;
        theme();
    }

    void theme() {
        ui_.dark ? ImGui::StyleColorsDark() : ImGui::StyleColorsLight();
        ImGuiStyle &style = ImGui::GetStyle();
        style.WindowPadding = ImVec2(6, 6);
        style.WindowBorderSize = 0;
        style.FrameRounding = 3;
        if (!ui_.dark) style.Colors[ImGuiCol_FrameBg] = ImVec4(0.92f, 0.92f, 0.93f, 1);
        style.Colors[ImGuiCol_WindowBg] = ui_.dark ? ImVec4(0.09f, 0.09f, 0.1f, 1) : ImVec4(0.9f, 0.9f, 0.9f, 1);
        style.Colors[ImGuiCol_ChildBg] = ui_.dark ? ImVec4(0.13f, 0.13f, 0.14f, 1) : ImVec4(1, 1, 1, 1);
    }

    Connection &connection_;
    Stage &stage_;
    bool keep_, over_ = false, control_ = false;
    std::string title_, why_;
    Watched watched_;
    UiState ui_;
    LinesPane lines_;
    ViewsPane views_;
    ParametersPane parameters_;
    TasksPane tasks_;
    AdstackPane adstack_;
    GraphPane graph_;
    LogPane log_;
    std::vector<int> shown_; // views whose pictures are in this frame
    float left_ = 0.46f, upper_ = 0.7f, views_share_ = 0.68f, scale_ = 1;
};

} // namespace

std::unique_ptr<Face> inspect_face(Connection &connection, Stage &stage, const Json &hello) {
    return std::make_unique<InspectFace>(connection, stage, hello);
}

} // namespace qd::inspector
