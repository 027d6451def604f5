// The object loader: good objects run; altered and truncated ones fail with an error or load, and never crash the process.
#include "../codegen/run_task.h"

#include <cmath>
#include <random>

using namespace qd;
using test::Launch;

namespace {

const char *task = R"(task serial @wave(%0: array<f32, 1>, %1: i32) ret 8
    %2: i32 = constant 0
    %3: f32 = constant 0
    %4: ptr<f32> = array_base %0
    %5: f32 = for %2, %1, %3 (%6: i32, %7: f32)
        %8: f32 = cast %6
        %9: f32 = sin %8
        %10: f32 = constant 1.2345
        %11: f32 = mul %9, %10
        %12: i64 = cast %6
        %13: i64 = constant 4
        %14: i64 = mul %12, %13
        %15: ptr<f32> = offset %4, %14
        store %15, %11
        %16: f32 = add %7, %11
        yield %16
    %17: ptr<f32> = ret_slot !0
    store %17, %5
    ret
)";

} // namespace

TEST(Elf, CodeWithConstantsAndCallsRuns) {
    std::vector<uint8_t> object = test::compile(task);
    float out[10] = {};
    Launch launch;
    launch.args[0] = reinterpret_cast<uint64_t>(out);
    launch.args[1] = 10;
    launch.args[2] = 10;
    launch.run(object);
    float sum = 0;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(out[i], std::sin(float(i)) * 1.2345f);
        sum += out[i];
    }
    EXPECT_EQ(launch.result<float>(), sum);
}

TEST(Elf, UnknownSymbolIsNull) {
    std::string error;
    auto code = backends::load_elf(test::compile(task), &error);
    ASSERT_TRUE(code) << error;
    EXPECT_TRUE(code->symbol(qd::abi::body_symbol));
    EXPECT_FALSE(code->symbol(qd::abi::bounds_symbol));
}

TEST(Elf, EveryTruncationIsRefused) {
    std::vector<uint8_t> object = test::compile(task);
    for (size_t n = 0; n < object.size(); ++n) {
        std::string error;
        EXPECT_FALSE(backends::load_elf(std::span(object.data(), n), &error))
            << n << " of " << object.size() << " bytes";
        EXPECT_FALSE(error.empty());
    }
}

TEST(Elf, FlippedBytesNeverCrash) {
    std::vector<uint8_t> object = test::compile(task);
    int refused = 0;
    for (size_t i = 0; i < object.size(); ++i)
        for (uint8_t flip : {uint8_t(0x01), uint8_t(0x80), uint8_t(0xff)}) {
            std::vector<uint8_t> bad = object;
            bad[i] ^= flip;
            std::string error;
            refused += !backends::load_elf(bad, &error);
        }
    EXPECT_GT(refused, 100);
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        std::vector<uint8_t> bad = object;
        for (int k = 0; k < 8; ++k) {
            uint64_t value = random();
            std::memcpy(bad.data() + random() % (bad.size() - 8), &value, 8);
        }
        std::string error;
        (void)backends::load_elf(bad, &error);
    }
}

TEST(Elf, OnlyListedFunctionsCanBeCalled) {
    EXPECT_TRUE(backends::external_function("sinf"));
    EXPECT_TRUE(backends::external_function("memcpy"));
    EXPECT_FALSE(backends::external_function("system"));
    std::vector<uint8_t> object = test::compile(task);
    std::string text(object.begin(), object.end());
    size_t at = text.find(std::string("sinf") + '\0');
    ASSERT_NE(at, std::string::npos);
    object[at] = 'z';
    std::string error;
    EXPECT_FALSE(backends::load_elf(object, &error));
    EXPECT_NE(error.find("zinf"), std::string::npos) << error;
}
