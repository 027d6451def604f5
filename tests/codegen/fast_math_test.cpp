// Results of vectors under fast_math: within 2 ulp of the exact value, and sane at the limits.
#include "op_task.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace qd;
using ir::Op;
using ir::Scalar;
using test::Launch;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> apply(Op op, std::vector<float> x, int lanes) {
    while (x.size() % 16) x.push_back(1);
    Scalar inputs[] = {Scalar::f32};
    ir::Function fn = test::make_task(op, inputs, Scalar::f32, lanes);
    fn.fast_math = true;
    const std::vector<uint8_t> object = test::compile(std::move(fn));
    std::vector<float> out(x.size());
    Launch launch;
    launch.args[0] = reinterpret_cast<uint64_t>(x.data());
    launch.args[2] = reinterpret_cast<uint64_t>(out.data());
    launch.args[1] = launch.args[3] = x.size();
    launch.args[4] = x.size() / size_t(lanes);
    launch.run(object);
    return out;
}

double ulps(float got, double want) {
    if (float(want) == got) return 0;
    float rounded = float(want);
    double step = double(std::nextafter(std::fabs(rounded), infinity)) - std::fabs(rounded);
    return std::fabs(got - want) / step;
}

void check(Op op, const std::function<double(double)> &exact, float low, float high) {
    std::vector<float> x;
    for (int i = 0; i < 20000; ++i) x.push_back(low + (high - low) * float(i) / 20000);
    for (int i = -120; i < 120; ++i)
        for (float s : {1.0f, -1.0f})
            if (float v = s * std::ldexp(1.37f, i); v > low && v < high) x.push_back(v);
    for (int lanes : {4, 8, 16}) {
        std::vector<float> y = apply(op, x, lanes);
        double worst = 0;
        float at = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            double want = exact(x[i]);
            if (std::fabs(want) < 1.2e-38) continue;
            if (double e = ulps(y[i], want); !(e <= worst)) worst = e, at = x[i];
        }
        EXPECT_LE(worst, 2) << ir::info(op).name << "(" << at << ") x" << lanes;
    }
}

void ends(Op op, std::vector<std::pair<float, float>> cases) {
    std::vector<float> x;
    for (auto [from, to] : cases) x.push_back(from);
    for (int lanes : {4, 8, 16}) {
        std::vector<float> y = apply(op, x, lanes);
        for (size_t i = 0; i < cases.size(); ++i) {
            float want = cases[i].second;
            EXPECT_TRUE(std::isnan(want) ? std::isnan(y[i]) : y[i] == want)
                << ir::info(op).name << "(" << x[i] << ") = " << y[i] << ", want " << want << " x" << lanes;
        }
    }
}

} // namespace

TEST(FastMath, Rsqrt) {
    check(Op::rsqrt, [](double v) { return 1 / std::sqrt(v); }, 1e-3f, 1e4f);
    check(Op::rsqrt, [](double v) { return 1 / std::sqrt(v); }, 1.2e-38f, 3e-38f);
    ends(Op::rsqrt, {{0, infinity}, {infinity, 0}, {-1, NAN}, {NAN, NAN}, {4, 0.5f}});
}

TEST(FastMath, Exp) {
    check(Op::exp, [](double v) { return std::exp(v); }, -87, 88.7f);
    ends(Op::exp, {{0, 1}, {infinity, infinity}, {-infinity, 0}, {200, infinity}, {-200, 0}, {NAN, NAN}});
}

TEST(FastMath, Log) {
    check(Op::log, [](double v) { return std::log(v); }, 1e-30f, 10);
    check(Op::log, [](double v) { return std::log(v); }, 1, 1e30f);
    ends(Op::log, {{1, 0}, {0, -infinity}, {infinity, infinity}, {-1, NAN}, {NAN, NAN}});
}

TEST(FastMath, SinCos) {
    for (float range : {1.0f, 100.0f, 1e5f, 1e9f, 5e9f, 1e15f, 3e38f}) {
        check(Op::sin, [](double v) { return std::sin(v); }, -range, range);
        check(Op::cos, [](double v) { return std::cos(v); }, -range, range);
    }
    ends(Op::sin, {{0, 0}, {infinity, NAN}, {NAN, NAN}});
    ends(Op::cos, {{0, 1}, {-infinity, NAN}, {NAN, NAN}});
}

TEST(FastMath, Tanh) {
    check(Op::tanh, [](double v) { return std::tanh(v); }, -10, 10);
    ends(Op::tanh, {{0, 0}, {infinity, 1}, {-infinity, -1}, {50, 1}, {NAN, NAN}});
}

// Tests for NaN and infinity are exact under fast_math.
TEST(FastMath, NanIsKept) {
    Launch launch;
    float nan = NAN;
    std::memcpy(&launch.args[0], &nan, 4);
    launch.run(R"(task serial @nan(%0: f32) fast_math ret 8
    %1: u1 = ne %0, %0
    %2: ptr<u1> = ret_slot !0
    store %2, %1
    ret
)");
    EXPECT_EQ(launch.result<uint8_t>(), 1);
}
