#include "backends/interp/fiber.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using qd::backends::interpreter::Fiber;

TEST(Fiber, suspends_and_resumes_in_turn) {
    std::string text;
    std::vector<std::unique_ptr<Fiber>> fibers;
    for (char name : {'a', 'b', 'c'})
        fibers.push_back(std::make_unique<Fiber>([&, name, at = fibers.size()] {
            for (int i = 0; i < 3; ++i) {
                text += name;
                fibers[at]->suspend();
            }
        }));
    for (int i = 0; i < 4; ++i)
        for (auto &fiber : fibers) {
            EXPECT_FALSE(fiber->ended());
            fiber->resume();
        }
    EXPECT_EQ(text, "abcabcabc");
    for (auto &fiber : fibers) EXPECT_TRUE(fiber->ended());
}

TEST(Fiber, forwards_an_exception) {
    Fiber *self = nullptr;
    Fiber fiber([&] {
        self->suspend();
        throw std::runtime_error("trouble");
    });
    self = &fiber;
    fiber.resume();
    EXPECT_THROW(fiber.resume(), std::runtime_error);
    EXPECT_TRUE(fiber.ended());
}

TEST(Fiber, destroys_its_objects_when_cancelled) {
    const auto object = std::make_shared<int>(1);
    Fiber *self = nullptr;
    Fiber fiber([&, copy = object] {
        const std::vector<std::shared_ptr<int>> many(100, copy);
        self->suspend();
        ADD_FAILURE() << "a cancelled call goes on";
    });
    self = &fiber;
    EXPECT_EQ(object.use_count(), 2);
    fiber.resume();
    EXPECT_EQ(object.use_count(), 102);
    fiber.cancel();
    EXPECT_TRUE(fiber.ended());
    EXPECT_EQ(object.use_count(), 2);
}

TEST(Fiber, a_call_that_has_not_begun_needs_no_end) {
    Fiber fiber([] { FAIL(); });
    fiber.cancel();
    EXPECT_FALSE(fiber.ended());
}

/// Uses some stack on each level.
int deep(Fiber &fiber, int levels) {
    volatile char room[256] = {};
    if (levels == 0) fiber.suspend();
    const int below = levels ? deep(fiber, levels - 1) : 0;
    return below + 1 + room[0];
}

TEST(Fiber, has_room_for_deep_calls) {
    Fiber *self = nullptr;
    int result = 0;
    Fiber fiber([&] { result = deep(*self, 1000); });
    self = &fiber;
    fiber.resume();
    EXPECT_EQ(result, 0);
    fiber.resume();
    EXPECT_EQ(result, 1001);
}

} // namespace
