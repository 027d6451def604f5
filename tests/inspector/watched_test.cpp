// The window's state of a program, from its messages, without a screen.
#include "model/colours.h"
#include "model/watched.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace qd::inspector;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

struct Fixture : testing::Test {
    std::vector<float> shared = std::vector<float>(64);
    Watched watched{[this](int memory, std::uint64_t at, std::uint64_t count) {
        if (memory != 1 || at % 4 || at / 4 + count > shared.size()) throw Garbled("outside of the memory");
        return std::span<const float>(shared).subspan(at / 4, count);
    }};

    static Json line(int number, double count, Json previous = nullptr) {
        return {{"number", number},     {"count", count},   {"newest", count / 2},
                {"previous", previous}, {"launched", true}, {"outcomes", {{"taken", 0}, {"not_taken", 3}}}};
    }
    static Json listing(Json text, Json lines) {
        return {{"file", "/a/b.py"},    {"label", "b.py"}, {"digest", "1"},
                {"text", text},         {"lines", lines},  {"specialisations", Json::array()},
                {"kept", Json::array()}};
    }
    static Json listings(Json text, Json lines) {
        return {{"kind", "listings"},
                {"scale", {{"total", 9}, {"newest", 4}, {"difference", 2}}},
                {"listings", {listing(text, lines)}}};
    }
    static Json picture(int width, int height) {
        return {{"kind", "picture"},
                {"view", 0},
                {"memory", 1},
                {"at", 0},
                {"width", width},
                {"height", height},
                {"columns", 4 * width},
                {"rows", 2 * height},
                {"component", 0},
                {"slice", Json::array()},
                {"first", Json::array()},
                {"number", 0},
                {"during_launch", false}};
    }
};

} // namespace

TEST_F(Fixture, TextStaysUntilItIsSentAgain) {
    EXPECT_TRUE(watched.take(listings("one\n\ttwo\r\n", {line(2, 8, 3)})));
    const std::vector<std::string> text = {"one", "    two"};
    EXPECT_EQ(watched.files.at("/a/b.py").text, text);
    EXPECT_TRUE(watched.take(listings(nullptr, {line(2, 9)})));
    const Listed &file = watched.files.at("/a/b.py");
    EXPECT_EQ(file.text, text);
    EXPECT_EQ(file.lines().at(2)->count, 9);
    EXPECT_FALSE(file.lines().at(2)->previous.has_value());
    EXPECT_EQ(watched.most(Quantity::difference), 2);
}

TEST_F(Fixture, ContentsOfALine) {
    watched.take(listings("x", {line(1, 8, 1)}));
    const auto &one = *watched.files.at("/a/b.py").lines().at(1);
    EXPECT_EQ(Watched::value(one, Quantity::total), 8);
    EXPECT_EQ(Watched::value(one, Quantity::newest), 4);
    EXPECT_EQ(Watched::value(one, Quantity::difference), 3);
    EXPECT_EQ(Watched::remarks(one), std::vector<std::string>{"never true"});
    EXPECT_EQ(Watched::level(0, 100), 0);
    EXPECT_EQ(Watched::level(100, 100), 60);
    EXPECT_EQ(Watched::level(1, 100), 17); // equals quadrants_jupyter.looks.level
    EXPECT_EQ(Watched::brief(999), "999");
    EXPECT_EQ(Watched::brief(1234), "1.2k");
    EXPECT_EQ(Watched::brief(34'000), "34k");
    EXPECT_EQ(Watched::brief(-5'600'000), "-5.6M");
    EXPECT_EQ(Watched::duration(1250), "1.25 ms");
    EXPECT_EQ(Watched::shown_name("make.<locals>.add.0"), "make.add.0");
}

TEST_F(Fixture, APictureIsCopiedAndCounted) {
    const float values[] = {1, not_a_number, -2, inf, 5, -inf};
    std::copy(std::begin(values), std::end(values), shared.begin());
    EXPECT_TRUE(watched.take(picture(3, 2)));
    shared.assign(64, 0);
    const Shot &shot = watched.shots.at(0);
    EXPECT_EQ(shot.range, (Range{-2, 5, 3, 1, 2}));
    EXPECT_EQ(shot.at(2, 0), 5);
    EXPECT_EQ(shot.at(9, 0), 0);
    EXPECT_EQ(shot.column(2), 8);
    EXPECT_EQ(shot.row(1), 2);
    EXPECT_FALSE(shot.comparable());
    watched.take(picture(3, 2));
    EXPECT_TRUE(shot.comparable());
    EXPECT_EQ(shot.before[4], 5);
    watched.take(picture(2, 2));
    EXPECT_FALSE(shot.comparable());
}

TEST_F(Fixture, ElementsFromOneOn) {
    Json part = picture(3, 2);
    part["first"] = {5, 7};
    EXPECT_TRUE(watched.take(part));
    const Shot &shot = watched.shots.at(0);
    EXPECT_EQ(shot.column(2), 7);
    EXPECT_EQ(shot.row(1), 8);
    part["first"] = {6, 7}; // other elements, which cannot be compared
    watched.take(part);
    EXPECT_FALSE(shot.comparable());
    for (const Json &wrong : {Json{1}, Json{1, 2, 3}, Json{-1, 0}, Json{0, 1e300}, Json{"a", 0}, Json("a")}) {
        part["first"] = wrong;
        EXPECT_THROW(watched.take(part), Garbled) << wrong;
    }
}

TEST_F(Fixture, GraphsAreReplaced) {
    const Json step = {{"kind", "level"},        {"depth", 0},     {"text", "do_while again"},
                       {"label", nullptr},       {"state", ""},    {"flag", "again"},
                       {"value", nullptr},       {"iteration", 3}, {"runs", nullptr},
                       {"microseconds", nullptr}};
    const Json graph = {{"name", "f"},      {"file", "/a/b.py"},  {"launches", 2},
                        {"running", false}, {"yielded", nullptr}, {"steps", {{{"step", step}, {"line", 0}}}}};
    EXPECT_TRUE(watched.take({{"kind", "graph"}, {"graphs", {graph}}}));
    ASSERT_EQ(watched.graphs.size(), 1u);
    EXPECT_EQ(watched.graphs[0].steps[0].step.iteration, 3);
    EXPECT_FALSE(watched.graphs[0].yielded);
    EXPECT_EQ(watched.dump()["graphs"][0]["steps"][0]["step"], step);
    EXPECT_TRUE(watched.take({{"kind", "graph"}, {"graphs", Json::array()}}));
    EXPECT_TRUE(watched.graphs.empty());
    EXPECT_THROW(watched.take({{"kind", "graph"}, {"graphs", {{{"name", "f"}}}}}), Garbled);
}

TEST_F(Fixture, RangeWithoutTheOutermost) {
    std::vector<float> values(1000);
    for (int k = 0; k < 1000; k++) values[std::size_t(k)] = float(k);
    values[0] = -1e4f, values[999] = 1e4f;
    const Range range = inner_range(values, 0.01);
    EXPECT_GT(range.lowest, -50);
    EXPECT_LT(range.highest, 1050);
    EXPECT_EQ(histogram(values, 0, 1000, 10)[3], 100u);
    const float flat[] = {3, 3, not_a_number};
    EXPECT_EQ(inner_range(flat, 0.01), (Range{3, 3, 2, 1, 0}));
}

TEST_F(Fixture, ColoursOfSamples) {
    const float values[] = {0, 1, not_a_number, inf, 0.5f, -7};
    Picture to;
    paint_samples(to, values, 3, 2, ColourMap::grey, 0, 1);
    EXPECT_EQ(to.width, 3);
    EXPECT_EQ(to.row(1)[0], 0xff000000u); // (0, 0) is at the lower left
    EXPECT_EQ(to.row(0)[0], 0xffffffffu);
    EXPECT_EQ(to.row(1)[1], nan_colour);
    EXPECT_EQ(to.row(0)[1], infinity_colour);
    EXPECT_NEAR(to.row(1)[2] & 0xff, 0x80, 1);
    EXPECT_EQ(to.row(0)[2], 0xff000000u); // below the range
}

TEST_F(Fixture, CurvesContinueAndStartAgain) {
    const auto series = [](double first, Json values) {
        return Json{{"kind", "series"}, {"series", {{{"name", "e"}, {"first", first}, {"values", values}}}}};
    };
    watched.take(series(0, {1, nullptr, 3}));
    watched.take(series(3, {4}));
    EXPECT_EQ(watched.series.at("e").values.size(), 4u);
    EXPECT_FALSE(watched.series.at("e").values[1].has_value());
    watched.take(series(10, {5}));
    EXPECT_EQ(watched.series.at("e").first, 10);
    EXPECT_EQ(watched.series.at("e").values.size(), 1u);
}

TEST_F(Fixture, AnotherKindOrGarbled) {
    EXPECT_FALSE(watched.take({{"kind", "frame"}}));
    EXPECT_THROW(watched.take(Json::object()), Garbled);
    EXPECT_THROW(watched.take({{"kind", 3}}), Garbled);
    EXPECT_THROW(watched.take({{"kind", "views"}, {"views", 1}}), Garbled);
    EXPECT_THROW(watched.take({{"kind", "log"}, {"lines", {{{"what", "print"}}}}}), Garbled);
    EXPECT_THROW(watched.take(listings(3, Json::array())), Garbled);
    EXPECT_THROW(watched.take(listings("x", {line(0, 1)})), Garbled);
    EXPECT_THROW(watched.take(picture(9, 9)), Garbled);
    EXPECT_THROW(watched.take(picture(100'000, 100'000)), Garbled);
    EXPECT_THROW(watched.take(picture(-1, 2)), Garbled);
    Json away = picture(2, 2);
    away["at"] = -8;
    EXPECT_THROW(watched.take(away), Garbled);
    away["at"] = 1e300;
    EXPECT_THROW(watched.take(away), Garbled);
    EXPECT_TRUE(watched.shots.empty());
}

// Removes every part of a real message, and replaces every value by one of another type: each is accepted or refused without harm.
TEST_F(Fixture, AnyPartMayBeWrong) {
    const Json messages[] = {
        listings("one\ntwo", {line(1, 8, 1)}),
        picture(3, 2),
        {{"kind", "tasks"},
         {"tasks", Json::array()},
         {"compilations",
          {{{"kernel", "k"},
            {"file", "f"},
            {"line", 1},
            {"microseconds", 2},
            {"compiled", 1},
            {"memory", 0},
            {"disk", 0},
            {"phases", {{{"name", "p"}, {"microseconds", 1}}}}}}}},
        {{"kind", "parameters"},
         {"parameters", {{{"name", "p"}, {"value", 1}, {"lowest", 0}, {"highest", 2}, {"whole", false}}}}},
    };
    int refused = 0, tried = 0;
    for (const Json &message : messages) {
        const Json flat = message.flatten();
        for (const auto &[path, value] : flat.items())
            for (const Json &other : {Json(nullptr), Json("x"), Json(-1e30), Json::array(), Json(true)}) {
                Json wrong = message;
                wrong[Json::json_pointer(path)] = other;
                tried++;
                try {
                    watched.take(wrong);
                } catch (const Garbled &) {
                    refused++;
                }
                (void)watched.dump().dump();
            }
    }
    EXPECT_GT(refused, tried / 2);
}
