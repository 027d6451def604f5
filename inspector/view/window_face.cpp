// A window of qd.GUI or qd.ui: one picture that the script drew, and widgets over it.
#include <cstring>
#include <functional>
#include <set>
#include <string>

#include "model/canvas.h"
#include "view/face.h"
#include "view/letters.h"
#include "view/widgets.h"

namespace qd::inspector {

namespace {

class WindowFace : public Face {
  public:
    WindowFace(Connection &connection, Stage &stage) : connection_(connection), stage_(stage) {
        add_font(*ImGui::GetIO().Fonts, 14);
        ImGui::GetStyle().WindowRounding = 4;
    }

    void receive(const Json &message) override {
        const std::string kind = message["kind"];
        if (kind == "frame")
            frame(message);
        else if (kind == "depth")
            depth(message);
        else if (kind == "title")
            stage_.title(member<std::string>(message, "title"));
        else
            throw Garbled("a message of unknown kind: " + kind.substr(0, 40));
    }

    void input(const Event &event) override {
        const ImGuiIO &io = ImGui::GetIO();
        // Input of a widget is not sent to the program. The release of a key is sent if its press was.
        const bool held = event.type == Event::Type::button || event.type == Event::Type::key;
        if (held && !event.down && held_.erase(event.name) == 0) return;
        if (event.type == Event::Type::button && event.down && io.WantCaptureMouse) return;
        if (event.type == Event::Type::wheel && io.WantCaptureMouse) return;
        if ((event.type == Event::Type::text || (event.type == Event::Type::key && event.down)) && io.WantTextInput)
            return;
        if (held && event.down) held_.insert(event.name);
        if (event.type == Event::Type::close) ++closes_;
        connection_.send({{"kind", "input"}, {"events", Json::array({to_json(event)})}});
    }

    void draw() override {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        if (texture_) ImGui::GetBackgroundDrawList()->AddImage(texture_id(texture_), ImVec2(0, 0), size);
        widgets_.draw(size.x, size.y);
    }

    void drawn() override {
        if (number_ < 0) return;
        int width, height;
        stage_.size(width, height);
        connection_.send(
            {{"kind", "shown"}, {"number", number_}, {"size", {width, height}}, {"widgets", widgets_.answer()}});
        number_ = -1;
    }

    bool over() const override { return closes_ > 1; } // the program did not react to the first
    bool ended(const std::string &why) override {
        if (!why.empty()) stage_.title("the connection to the program has ended: " + why);
        return !why.empty();
    }

  private:
    void frame(const Json &message) {
        const Frame frame = frame_of(message, connection_);
        const auto number = member<std::int64_t>(message, "number");
        const auto widgets = message.find("widgets");
        if (widgets != message.end()) widgets_.declare(*widgets);
        for (const auto &thing : frame.things)
            if (const auto *text = std::get_if<Text>(&thing)) letters_.prepare(text->size);
        paint(frame, canvas_, std::cref(letters_));
        texture_ = stage_.texture(texture_, canvas_.picture, true);
        number_ = number;
        closes_ = 0;
    }

    void depth(const Json &message) {
        const auto bytes = std::as_bytes(std::span(canvas_.depth));
        const auto to = connection_.piece(member<int>(message, "memory"), member<std::uint64_t>(message, "at"),
                                          member<std::uint64_t>(message, "bytes"), 1);
        std::memcpy(to.data(), bytes.data(), std::min(to.size(), bytes.size()));
        connection_.send({{"kind", "depth"}, {"size", {canvas_.picture.width, canvas_.picture.height}}});
    }

    Connection &connection_;
    Stage &stage_;
    Canvas canvas_;
    Typesetter letters_;
    Widgets widgets_;
    std::uintptr_t texture_ = 0;
    std::int64_t number_ = -1;
    int closes_ = 0;
    std::set<std::string> held_; // keys and buttons whose press was sent to the program
};

} // namespace

std::unique_ptr<Face> window_face(Connection &connection, Stage &stage, const Json &) {
    return std::make_unique<WindowFace>(connection, stage);
}

} // namespace qd::inspector
