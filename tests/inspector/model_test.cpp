// Messages in both directions, and pictures, without a screen.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "model/canvas.h"
#include "model/connection.h"
#include "model/event.h"
#include "model/frame.h"

using namespace qd::inspector;

namespace {

// The script's end of a connection.
struct Script {
    int socket = -1;
    std::optional<Connection> window;

    Script() {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        socket = ends[0];
        window.emplace(ends[1], 0, [] {});
    }
    ~Script() {
        if (socket >= 0) close(socket);
    }

    void say(const std::string &text) { EXPECT_EQ(write(socket, text.data(), text.size()), ssize_t(text.size())); }

    void share(const std::string &line, int descriptor) {
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        std::string text = line + "\n";
        iovec part = {text.data(), text.size()};
        msghdr header = {};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        cmsghdr *c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(c), &descriptor, sizeof descriptor);
        EXPECT_EQ(sendmsg(socket, &header, 0), ssize_t(text.size()));
    }

    static bool soon(const auto &holds) {
        for (int i = 0; i < 2000; ++i) {
            if (holds()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    }

    std::optional<Json> next() {
        std::optional<Json> found;
        soon([&] { return (found = window->take()).has_value() || window->ended(); });
        return found;
    }

    // Memory 1, of 64 KiB.
    std::span<float> memory() {
        const int descriptor = memfd_create("test", MFD_ALLOW_SEALING);
        EXPECT_EQ(ftruncate(descriptor, 1 << 16), 0);
        EXPECT_EQ(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK), 0);
        auto *at = static_cast<float *>(mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
        share(R"({"kind":"memory","id":1,"bytes":65536})", descriptor);
        close(descriptor);
        EXPECT_TRUE(next());
        return {at, 1 << 14};
    }
};

Canvas painted(const Script &script, const Json &draw) {
    const Json message = {{"memory", 1}, {"size", {40, 30}}, {"background", 0xff332211u}, {"draw", draw}};
    const Frame frame = frame_of(message, *script.window);
    Canvas canvas;
    paint(frame, canvas, [](Picture &, const Text &, Band) {});
    return canvas;
}

} // namespace

TEST(Connection, LinesBecomeMessagesHoweverTheyAreSplit) {
    Script script;
    script.say("{\"kind\":\"a\",\"x\":1}\n{\"kind\":");
    EXPECT_EQ(script.next().value()["x"], 1);
    script.say("\"b\"}\n");
    EXPECT_EQ(script.next().value()["kind"], "b");
    script.window->send({{"kind", "back"}});
    char text[64] = {};
    EXPECT_EQ(read(script.socket, text, sizeof text), 16);
    EXPECT_EQ(std::string(text), "{\"kind\":\"back\"}\n");
    EXPECT_FALSE(script.window->ended());
}

TEST(Connection, EndsWhenTheScriptDoes) {
    Script script;
    script.say("{\"kind\":\"last\"}\n");
    close(script.socket);
    script.socket = -1;
    EXPECT_TRUE(Script::soon([&] { return script.window->ended(); }));
    EXPECT_EQ(script.window->why(), "");
    EXPECT_EQ(script.next().value()["kind"], "last");
}

TEST(Connection, InvalidMessagesEndItWithTheReason) {
    for (const char *line : {"hello", "[1]", "{\"x\":1}", "{\"kind\":5}", "{\"kind\":\"memory\",\"id\":1,\"bytes\":10}",
                             "{\"kind\":\"a\"", "\xff\xfe"}) {
        Script script;
        script.say(std::string(line) + "\n");
        EXPECT_TRUE(Script::soon([&] { return script.window->ended(); })) << line;
        EXPECT_NE(script.window->why(), "") << line;
        char text;
        EXPECT_EQ(read(script.socket, &text, 1), 0) << "the script learns of it";
    }
}

TEST(Connection, MemoryThatCouldShrinkIsRefused) {
    for (const bool sealed : {false, true}) {
        Script script;
        const int descriptor = memfd_create("test", MFD_ALLOW_SEALING);
        EXPECT_EQ(ftruncate(descriptor, 4096), 0);
        if (sealed) fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK);
        script.share(R"({"kind":"memory","id":1,"bytes":8192})", descriptor); // more than the memory has
        EXPECT_TRUE(Script::soon([&] { return script.window->ended(); }));
        close(descriptor);
    }
    Script script;
    const int descriptor = memfd_create("test", MFD_ALLOW_SEALING);
    EXPECT_EQ(ftruncate(descriptor, 4096), 0);
    script.share(R"({"kind":"memory","id":1,"bytes":4096})", descriptor);
    EXPECT_TRUE(Script::soon([&] { return script.window->ended(); }));
    EXPECT_THROW(script.window->memory(1), Garbled);
    close(descriptor);
}

TEST(Connection, PartsAreInsideTheirMemory) {
    Script script;
    script.memory();
    EXPECT_EQ(script.window->piece(1, 65536 - 16, 4, 4).size(), 16u);
    EXPECT_THROW(script.window->piece(1, 65536 - 16, 5, 4), Garbled);
    EXPECT_THROW(script.window->piece(1, 65552, 0, 4), Garbled);
    EXPECT_THROW(script.window->piece(1, 0, std::uint64_t(1) << 62, 4), Garbled);
    EXPECT_THROW(script.window->piece(1, 4, 1, 4), Garbled) << "offsets suit every type";
    EXPECT_THROW(script.window->piece(2, 0, 1, 4), Garbled);
}

TEST(Events, RoundTrip) {
    const Json list = {{{"type", "key"}, {"key", "a"}, {"down", true}},
                       {{"type", "move"}, {"x", 1.5}, {"y", 2.}},
                       {{"type", "button"}, {"key", "LMB"}, {"down", false}},
                       {{"type", "wheel"}, {"x", 0.}, {"y", -1.}},
                       {{"type", "text"}, {"text", "ä"}},
                       {{"type", "resize"}, {"x", 10.}, {"y", 20.}},
                       {{"type", "close"}}};
    Json back = Json::array();
    for (const Event &event : events_of({{"events", list}})) back.push_back(to_json(event));
    EXPECT_EQ(back, list);
    for (const char *wrong :
         {R"({"events":5})", R"({"events":[5]})", R"({"events":[{"type":"no"}]})", R"({"events":[{"type":"key"}]})",
          R"({"events":[{"type":"move","x":"1","y":1}]})", R"({})"})
        EXPECT_THROW(events_of(Json::parse(wrong)), Garbled) << wrong;
}

TEST(Picture, BlendIsExactAtItsEnds) {
    for (std::uint32_t share : {0u, 255u})
        for (std::uint32_t a : {0xff000000u, 0xffffffffu, 0xff123456u})
            for (std::uint32_t b : {0xff000000u, 0xffffffffu, 0xffabcdefu})
                EXPECT_EQ(blend(a, b, share), share ? b : a);
    EXPECT_EQ(blend(0xff000000u, 0xffffffffu, 128), 0xff808080u);
}

TEST(Picture, DiscsCoverTheirArea) {
    Script script;
    auto numbers = script.memory();
    numbers[0] = 0.5f, numbers[1] = 0.5f;
    const Canvas canvas =
        painted(script, {{{"do", "discs"}, {"n", 1}, {"at", 0}, {"radius", 8}, {"colour", 0xff0000ffu}}});
    double covered = 0;
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) covered += (double(canvas.picture.row(y)[x] & 255) - 0x11) / (255 - 0x11);
    EXPECT_NEAR(covered, M_PI * 64, 2.5);
    EXPECT_EQ(canvas.picture.row(15)[20], 0xff0000ffu);
    EXPECT_EQ(canvas.picture.row(0)[0], 0xff332211u);
}

TEST(Picture, TrianglesThatShareAnEdgeCoverEachPixelOnce) {
    Script script;
    auto numbers = script.memory();
    const float corners[] = {0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1};
    std::copy(std::begin(corners), std::end(corners), numbers.begin());
    const Canvas canvas = painted(script, {{{"do", "triangles"}, {"n", 2}, {"at", 0}, {"colour", 0x800000ffu}}});
    for (const std::uint32_t pixel : canvas.picture.pixels) EXPECT_EQ(pixel, blend(0xff332211u, 0xff, 128));
}

TEST(Picture, ImagesStandUpright) {
    Script script;
    auto numbers = script.memory();
    for (int x = 0; x < 40; ++x)
        for (int y = 0; y < 30; ++y) numbers[std::size_t(x * 30 + y)] = y == 0 ? 1.f : x == 0 ? 0.5f : 0.f;
    numbers[40] = std::numeric_limits<float>::quiet_NaN();
    const Json image = {{"do", "image"}, {"at", 0}, {"size", {40, 30}}, {"components", 1}, {"form", "f32"}};
    const Canvas canvas = painted(script, Json::array({image}));
    EXPECT_EQ(canvas.picture.row(29)[7], 0xffffffffu);
    EXPECT_EQ(canvas.picture.row(3)[0], 0xff808080u);
    EXPECT_EQ(canvas.picture.row(3)[5], 0xff000000u);
}

namespace {

Json scene_of(const Json &things, const Json &lights = Json::array(), std::vector<float> ambient = {1, 1, 1}) {
    // The camera is at the origin and faces -z; near 1, far 11, 90 degrees.
    const float f = 30.f / 40.f;
    const std::vector<float> view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const std::vector<float> projection = {f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.1f, 1.1f, 0, 0, -1, 0};
    return {{{"do", "scene"},
             {"view", view},
             {"projection", projection},
             {"ambient", ambient},
             {"lights", lights},
             {"things", things}}};
}

} // namespace

TEST(Scene, NearerTrianglesHideFartherOnes) {
    Script script;
    auto numbers = script.memory();
    const float centres[] = {0, 0, -3, 0, 0, -6};
    std::copy(std::begin(centres), std::end(centres), numbers.begin());
    const std::uint32_t colours[] = {0xff0000ffu, 0xff00ff00u};
    std::memcpy(&numbers[16], colours, sizeof colours);
    const Json balls = {
        {"do", "balls"}, {"n", 2}, {"at", 0}, {"radius", 1}, {"colour", {{"at", 64}, {"form", "rgba"}}}};
    const Canvas canvas = painted(script, scene_of(Json::array({balls})));
    EXPECT_EQ(canvas.picture.row(15)[20], 0xff0000ffu);
    EXPECT_EQ(canvas.picture.row(0)[0], 0xff332211u);
    const float depth = canvas.depth[15 * 40 + 20];
    EXPECT_NEAR(depth, (0.1f * -2 + 1.1f) / 2, 0.01) << "of the nearest point of the ball";
    EXPECT_EQ(canvas.depth[0], 0);
}

TEST(Scene, LightFollowsLambert) {
    Script script;
    auto numbers = script.memory();
    const float corners[] = {-9, -9, -4, 9, -9, -4, 0, 18, -4};
    const float normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
    std::copy(std::begin(corners), std::end(corners), numbers.begin());
    std::copy(std::begin(normals), std::end(normals), numbers.begin() + 12);
    const Json mesh = {{"do", "mesh"},
                       {"vertices", {{"at", 0}, {"n", 3}}},
                       {"normals", {{"at", 48}, {"n", 3}}},
                       {"colour", 0xffffffffu}};
    const Json light = {{"place", {0, 0, 0}}, {"colour", {0.5, 0.5, 0.5}}};
    const Canvas canvas = painted(script, scene_of(Json::array({mesh}), Json::array({light}), {0.25, 0.25, 0.25}));
    EXPECT_NEAR(canvas.picture.row(15)[20] & 255, 255 * 0.75, 2) << "straight ahead";
    const double aside = 4 / std::hypot(4., 4. * (39.5 - 20) / 15);
    EXPECT_NEAR(canvas.picture.row(15)[39] & 255, 255 * (0.25 + 0.5 * aside), 3) << "at an angle";
}

TEST(Scene, TrianglesAreClippedAtTheNearPlane) {
    Script script;
    auto numbers = script.memory();
    const float corners[] = {-5, -1, -5, 5, -1, -5, 0, -1, 50}; // a floor that continues behind the camera
    std::copy(std::begin(corners), std::end(corners), numbers.begin());
    const Json mesh = {{"do", "mesh"},
                       {"vertices", {{"at", 0}, {"n", 3}}},
                       {"normals", {{"at", 0}, {"n", 3}}},
                       {"colour", 0xff00ffffu}};
    const Canvas canvas = painted(script, scene_of(Json::array({mesh})));
    EXPECT_EQ(canvas.picture.row(29)[20] & 0xffff, 0xffffu);
    EXPECT_EQ(canvas.picture.row(5)[20], 0xff332211u);
}

TEST(Frames, SurviveAnyContent) {
    Script script;
    auto numbers = script.memory();
    std::mt19937 random(7);
    const float odd[] = {
        0,    -1,     1e30f, -1e30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
        0.5f, 1e-30f, 3};
    const auto any = [&] { return odd[random() % std::size(odd)]; };
    for (int round = 0; round < 300; ++round) {
        for (float &number : numbers) number = any();
        const auto at = [&](int n) { return Json{{"at", (random() % 100) * 16}, {"n", n}}; };
        const Json balls = {{"do", "balls"}, {"n", 50}, {"at", 0}, {"radius", {{"at", 1600}}}, {"colour", 0x80ff00ffu}};
        const Json mesh = {{"do", "mesh"},
                           {"vertices", at(40)},
                           {"normals", {{"at", 16}, {"n", 40}}},
                           {"indices", {{"at", 3200}, {"n", 60}}},
                           {"first", int(random() % 9) - 4},
                           {"colour", 0xff112233u},
                           {"two_sided", round % 2 == 0},
                           {"wireframe", round % 3 == 0}};
        const Json wires = {
            {"do", "lines"}, {"n", 30}, {"at", 32}, {"width", {{"at", 48}}}, {"colour", {{"at", 64}, {"form", "f3"}}}};
        Json draw = scene_of(Json::array({balls, mesh, wires}));
        draw[0]["projection"][random() % 16] = random() % 3;
        draw.push_back({{"do", "discs"},
                        {"n", 100},
                        {"at", 0},
                        {"radius", {{"at", 800}}},
                        {"colour", {{"at", 160}, {"form", "f4"}}}});
        draw.push_back({{"do", "lines"},
                        {"n", 60},
                        {"at", 16},
                        {"width", {{"at", 80}}},
                        {"colour", 0xffffffffu},
                        {"by_end", false}});
        draw.push_back({{"do", "triangles"}, {"n", 60}, {"at", 16}, {"colour", {{"at", 160}, {"form", "rgb"}}}});
        draw.push_back({{"do", "image"},
                        {"at", 0},
                        {"size", {1 + int(random() % 60), 1 + int(random() % 60)}},
                        {"components", 3},
                        {"form", "f32"}});
        EXPECT_NO_THROW(painted(script, draw));
    }
}

TEST(Frames, GarbledOnesAreRefusedWithoutSideEffects) {
    Script script;
    script.memory();
    const Json good = {
        {"memory", 1},
        {"size", {40, 30}},
        {"background", 0},
        {"draw",
         {{{"do", "discs"}, {"n", 3}, {"at", 0}, {"radius", 1}, {"colour", {{"at", 0}, {"form", "rgb"}}}},
          {{"do", "image"}, {"at", 0}, {"size", {4, 4}}, {"components", 1}, {"form", "u8"}},
          scene_of(Json::array({{{"do", "balls"}, {"n", 1}, {"at", 0}, {"radius", 1}, {"colour", 5}}}))[0]}}};
    EXPECT_EQ(frame_of(good, *script.window).things.size(), 3u);
    const Json flat = good.flatten();
    const Json wrong[] = {nullptr, -1, 1e30, "x", Json::array(), Json::object(), 1u << 30, true};
    int refused = 0, tried = 0;
    for (const auto &[path, value] : flat.items())
        for (const Json &other : wrong) {
            Json bad = flat;
            bad[path] = other;
            ++tried;
            try {
                frame_of(bad.unflatten(), *script.window);
            } catch (const Garbled &) {
                ++refused;
            } catch (const Json::exception &) { // the message itself could not be built
            }
        }
    EXPECT_GT(refused, tried / 3);
}
