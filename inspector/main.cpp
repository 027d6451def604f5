// qd-inspector --socket N [--attached | --unseen]: the window of the program at the other end of the socket.
// docs/design/inspector.md describes the protocol. Attached: the user started it to inspect a running program; unseen: the
// same, drawn in memory.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/connection.h"
#include "view/face.h"
#include "view/imgui.h"
#include "view/stage.h"

namespace qd::inspector {

namespace {

constexpr int protocol_version = 1;

/// Releases stdout and stderr: the reader of a pipe with the program's output waits until every writer has closed it.
void leave_output() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Wakes the drawing thread. Messages may arrive before there is a stage.
struct Bell {
    std::atomic<Stage *> stage = nullptr;
    std::mutex lock;
    std::condition_variable rung;
    bool pending = false;

    void ring() {
        const std::lock_guard hold(lock);
        pending = true;
        rung.notify_one();
        if (Stage *to = stage) to->wake();
    }
};

std::optional<Json> first(Connection &connection, Bell &bell) {
    for (;;) {
        if (auto message = connection.take()) return message;
        if (connection.ended()) return {};
        std::unique_lock hold(bell.lock);
        bell.rung.wait_for(hold, std::chrono::seconds(1), [&] { return bell.pending; });
        bell.pending = false;
    }
}

std::vector<int> pair(const Json &message, const char *name, std::vector<int> otherwise) {
    auto found = member<std::vector<int>>(message, name, otherwise);
    if (found.size() != 2) throw Garbled(std::string(name) + " is not a pair");
    return found;
}

class Program {
  public:
    Program(Connection &connection, Stage &stage, Face &face) : connection_(connection), stage_(stage), face_(face) {}

    void run() {
        while (!over_) {
            take();
            for (const Event &event : stage_.events())
                if (!driven_ || event.type == Event::Type::resize || event.type == Event::Type::close) input(event);
            if (over_) break;
            const double time = now();
            if (frames_ > 0 && time >= next_) draw(time);
            // An idle window only checks that its script is there.
            const double rest = frames_ > 0 ? std::max(0., next_ - now()) : face_.restless() ? 1. / 30 : 10.;
            if (face_.restless()) frames_ = std::max(frames_, 1);
            if (!connection_.ended() || stage_.seen()) stage_.wait(rest);
        }
    }

  private:
    void take() {
        try {
            while (auto message = connection_.take()) {
                const std::string kind = (*message)["kind"];
                if (kind == "close")
                    over_ = true;
                else if (kind == "input") {
                    driven_ = true;
                    for (const Event &event : events_of(*message)) input(event);
                } else if (kind == "read")
                    read(*message);
                else if (kind != "memory")
                    face_.receive(*message);
                want(1);
                if (kind == "frame") { // each is shown, since its script waits for that
                    draw(now());
                }
            }
        } catch (const Garbled &wrong) {
            connection_.end(wrong.what());
        } catch (const std::exception &wrong) {
            connection_.end(wrong.what());
        }
        if (connection_.ended() && !end_handled_) {
            end_handled_ = true;
            over_ = over_ || !face_.ended(connection_.why()) || !stage_.seen();
            leave_output();
            want(2);
        }
    }

    void input(const Event &event) {
        if (event.type == Event::Type::resize && !stage_.seen()) stage_.resize(int(event.x), int(event.y));
        // The item under the pointer is known only after a frame was drawn since it moved.
        if (event.type == Event::Type::button && frames_ > 0) draw(now());
        feed(event);
        face_.input(event);
        if (event.type == Event::Type::close && end_handled_) over_ = true;
        over_ = over_ || face_.over();
        want(3); // the item under the pointer lights up a frame later
        // Clicks of a test arrive at once; each gets a frame of its own, as those of a person do.
        if (event.type == Event::Type::button || event.type == Event::Type::key) draw(now());
    }

    void read(const Json &message) {
        Picture picture;
        {
            struct Reading { // resets the target in any case, before the picture is destroyed
                Stage &stage;
                ~Reading() { stage.read(nullptr); }
            } reading{stage_};
            stage_.read(&picture);
            draw(now());
        }
        const auto bytes = std::as_bytes(std::span(picture.pixels));
        Json answer = {{"kind", "picture"}, {"size", {picture.width, picture.height}}};
        const auto to = connection_.piece(member<int>(message, "memory"), member<std::uint64_t>(message, "at"),
                                          member<std::uint64_t>(message, "bytes"), 1);
        std::memcpy(to.data(), bytes.data(), std::min(to.size(), bytes.size()));
        connection_.send(answer);
    }

    void want(int frames) { frames_ = std::max(frames_, frames); }

    void draw(double time) {
        int width, height;
        stage_.size(width, height);
        if (width <= 0 || height <= 0) return;
        ImGuiIO &io = ImGui::GetIO();
        io.DisplaySize = ImVec2(float(width), float(height));
        io.DeltaTime = float(std::clamp(time - last_, 1e-4, 1.));
        last_ = time;
        stage_.begin();
        ImGui::NewFrame();
        face_.draw();
        ImGui::Render();
        stage_.present(ImGui::GetDrawData());
        face_.drawn();
        frames_ -= frames_ > 0;
        // A frame that is late by less than a period does not delay the next ones.
        const double period = stage_.software() ? 1. / 30 : 1. / 60;
        next_ = (time >= next_ && time < next_ + period ? next_ : time) + period;
    }

    Connection &connection_;
    Stage &stage_;
    Face &face_;
    bool over_ = false, end_handled_ = false;
    bool driven_ = false; // a test sends the input; from the screen only resize and close count
    int frames_ = 2;
    double next_ = 0, last_ = now();
};

/// Returns the process that made the other end of a socket, or 0.
int peer_of(int socket) {
    ucred found = {};
    socklen_t size = sizeof found;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &found, &size) == 0 ? found.pid : 0;
}

int run(int socket, bool attached, bool unseen) {
    Bell bell;
    Connection connection(socket, peer_of(socket), [&] { bell.ring(); });
    const auto hello = first(connection, bell);
    if (!hello || (*hello)["kind"] != "hello") return 1;
    if (member<int>(*hello, "version") != protocol_version) {
        connection.send({{"kind", "hello"}, {"version", protocol_version}});
        std::fprintf(stderr, "qd-inspector: the program uses another version of the protocol\n");
        return 1;
    }
    const auto size = pair(*hello, "size", {1280, 800}), position = pair(*hello, "position", {100, 100});
    const auto side = [](int n) { return std::clamp(n, 1, max_pixels_a_side); };
    const auto mode = member<std::string>(*hello, "mode");
    const WindowOptions options = {member<std::string>(*hello, "title", "Quadrants"),
                                   side(size[0]),
                                   side(size[1]),
                                   position[0],
                                   position[1],
                                   member<bool>(*hello, "show", true) && !unseen,
                                   member<bool>(*hello, "fullscreen", false),
                                   member<bool>(*hello, "vsync", false),
                                   member<bool>(*hello, "resizable", true)};
    std::string why;
    std::unique_ptr<Stage> stage;
    if (options.shown) {
        stage = open_screen(options, why);
        if (!stage) std::fprintf(stderr, "qd-inspector: cannot show a window: %s\n", why.c_str());
        if (!stage && attached) return 1;
    }
    if (!stage) stage = open_memory(options);
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().LogFilename = nullptr;
    int width, height;
    stage->size(width, height);
    {
        const auto face =
            mode == "inspect" ? inspect_face(connection, *stage, *hello) : window_face(connection, *stage, *hello);
        connection.send({{"kind", "hello"},
                         {"version", protocol_version},
                         {"renderer", stage->renderer()},
                         {"software", stage->software()},
                         {"seen", stage->seen()},
                         {"size", {width, height}}});
        {
            const std::lock_guard hold(bell.lock);
            bell.stage = stage.get();
        }
        Program(connection, *stage, *face).run();
        const std::lock_guard hold(bell.lock);
        bell.stage = nullptr;
    }
    stage.reset();
    ImGui::DestroyContext();
    return 0;
}

} // namespace

} // namespace qd::inspector

int main(int count, char **words) {
    const std::string how = count == 4 ? words[3] : "";
    const bool unseen = how == "--unseen", attached = unseen || how == "--attached";
    if (count < 3 || std::strcmp(words[1], "--socket") != 0 || (count > 3 && !attached)) {
        std::fprintf(stderr, "qd-inspector shows the windows of Quadrants programs, which start it.\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (!attached) signal(SIGINT, SIG_IGN); // Ctrl-C is for the program; this process ends after it
    try {
        return qd::inspector::run(std::atoi(words[2]), attached, unseen);
    } catch (const std::exception &wrong) {
        std::fprintf(stderr, "qd-inspector: %s\n", wrong.what());
        return 1;
    }
}
