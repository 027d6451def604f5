// The rules at the top of ops.def, one row each.
#include "ir/eval.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace {

using namespace qd::ir;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct IntRow {
    Op op;
    Scalar type;
    int64_t a, b, result;
};

const IntRow int_rows[] = {
    {Op::add, Scalar::i8, 127, 1, -128},
    {Op::add, Scalar::u8, 255, 1, 0},
    {Op::sub, Scalar::u32, 0, 1, 4294967295},
    {Op::mul, Scalar::i32, 65536, 65536, 0},
    {Op::mul, Scalar::i64, INT64_MAX, 2, -2},
    {Op::div, Scalar::i32, -7, 2, -3},
    {Op::div, Scalar::i32, 7, 0, 0},
    {Op::div, Scalar::i32, INT32_MIN, -1, INT32_MIN},
    {Op::div, Scalar::i64, INT64_MIN, -1, INT64_MIN},
    {Op::rem, Scalar::i32, -7, 2, -1},
    {Op::rem, Scalar::i64, INT64_MIN, -1, 0},
    {Op::rem, Scalar::u8, 7, 0, 0},
    {Op::floordiv, Scalar::i32, -7, 2, -4},
    {Op::floordiv, Scalar::i32, 7, -2, -4},
    {Op::floordiv, Scalar::i32, -8, 2, -4},
    {Op::floordiv, Scalar::u32, 4294967295, 2, 2147483647},
    {Op::mod, Scalar::i32, -7, 2, 1},
    {Op::mod, Scalar::i32, 7, -2, -1},
    {Op::mod, Scalar::i8, -128, -1, 0},
    {Op::pow, Scalar::i32, 3, 4, 81},
    {Op::pow, Scalar::i32, 2, 32, 0},
    {Op::pow, Scalar::i32, 2, -1, 0},
    {Op::pow, Scalar::i32, -1, -3, -1},
    {Op::pow, Scalar::i32, 1, -3, 1},
    {Op::pow, Scalar::u8, 2, 255, 0},
    {Op::pow, Scalar::i32, 0, 0, 1},
    {Op::min, Scalar::u8, 200, 3, 3},
    {Op::min, Scalar::i8, -56, 3, -56},
    {Op::max, Scalar::u64, -1, 3, -1},
    {Op::neg, Scalar::i16, -32768, 0, -32768},
    {Op::abs, Scalar::i16, -32768, 0, -32768},
    {Op::abs, Scalar::i16, -5, 0, 5},
    {Op::sign, Scalar::i32, -9, 0, -1},
    {Op::sign, Scalar::u32, 9, 0, 1},
    {Op::bnot, Scalar::u8, 0, 0, 255},
    {Op::bnot, Scalar::i8, 0, 0, -1},
    {Op::shl, Scalar::i32, 1, 33, 2},
    {Op::shl, Scalar::i8, 1, 7, -128},
    {Op::shr, Scalar::i8, -128, 7, -1},
    {Op::shr, Scalar::u8, 128, 7, 1},
    {Op::shr, Scalar::i32, -8, -31, -4},
    {Op::ushr, Scalar::i8, -128, 7, 1},
    {Op::popcnt, Scalar::i8, -1, 0, 8},
    {Op::clz, Scalar::u16, 1, 0, 15},
    {Op::clz, Scalar::i32, 0, 0, 32},
    {Op::add, Scalar::u1, 1, 1, 0},
    {Op::mul, Scalar::u1, 1, 1, 1},
    {Op::bnot, Scalar::u1, 1, 0, 0},
};

TEST(Eval, Integers) {
    for (const IntRow &row : int_rows) {
        Constant args[] = {from_int(row.type, row.a), from_int(row.type, row.b)};
        Constant got = eval(row.op, row.type, {args, size_t(info(row.op).operands)});
        EXPECT_EQ(got, from_int(row.type, row.result)) << info(row.op).name << " " << to_string(row.type) << " "
                                                       << row.a << ", " << row.b << " gives " << to_int(got);
    }
}

struct FloatRow {
    Op op;
    Scalar type;
    double a, b, result;
};

const FloatRow float_rows[] = {
    {Op::add, Scalar::f32, 16777216, 1, 16777216},
    {Op::add, Scalar::f16, 2048, 1, 2048},
    {Op::add, Scalar::f16, 65504, 65504, inf},
    {Op::add, Scalar::f64, 16777216, 1, 16777217},
    {Op::floordiv, Scalar::f32, -7, 2, -4},
    {Op::mod, Scalar::f32, -7, 2, 1},
    {Op::mod, Scalar::f64, 7, -2, -1},
    {Op::mod, Scalar::f64, 1, inf, 1},
    {Op::mod, Scalar::f64, -1, inf, inf},
    {Op::mod, Scalar::f64, -0.0, 3, 0.0},
    {Op::mod, Scalar::f64, 6, -3, -0.0},
    {Op::mod, Scalar::f64, 1, 0, nan},
    {Op::mod, Scalar::f64, 1e300, 1e-300, std::fmod(1e300, 1e-300)},
    {Op::floordiv, Scalar::f64, 1, 0.1, 9},
    {Op::floordiv, Scalar::f64, -1, inf, -1},
    {Op::floordiv, Scalar::f64, inf, 1, nan},
    {Op::floordiv, Scalar::f64, -1, 0, -inf},
    {Op::floordiv, Scalar::f64, -0.0, 3, -0.0},
    {Op::rem, Scalar::f32, -7, 2, -1},
    {Op::min, Scalar::f32, nan, 2, 2},
    {Op::min, Scalar::f32, 2, nan, 2},
    {Op::max, Scalar::f64, nan, -2, -2},
    {Op::max, Scalar::f64, nan, nan, nan},
    {Op::min, Scalar::f32, 0.0, -0.0, -0.0},
    {Op::max, Scalar::f32, -0.0, 0.0, 0.0},
    {Op::sign, Scalar::f32, -0.5, 0, -1},
    {Op::sign, Scalar::f32, -0.0, 0, -0.0},
    {Op::sign, Scalar::f64, nan, 0, nan},
    {Op::round, Scalar::f32, 2.5, 0, 3},
    {Op::round, Scalar::f32, -2.5, 0, -3},
    {Op::trunc, Scalar::f32, -2.5, 0, -2},
    {Op::rsqrt, Scalar::f32, 4, 0, 0.5},
    {Op::abs, Scalar::f16, -3, 0, 3},
};

TEST(Eval, Floats) {
    for (const FloatRow &row : float_rows) {
        Constant args[] = {from_double(row.type, row.a), from_double(row.type, row.b)};
        double got = to_double(eval(row.op, row.type, {args, size_t(info(row.op).operands)}));
        bool same = (std::isnan(got) && std::isnan(row.result)) ||
                    (got == row.result && std::signbit(got) == std::signbit(row.result));
        EXPECT_TRUE(same) << info(row.op).name << " " << to_string(row.type) << " " << row.a << ", " << row.b
                          << " gives " << got;
    }
}

struct CastRow {
    Scalar from;
    double value;
    Scalar to;
    int64_t result;
};

const CastRow cast_rows[] = {
    {Scalar::f32, -1.9, Scalar::i32, -1},
    {Scalar::f32, 3e9, Scalar::i32, INT32_MAX},
    {Scalar::f32, -3e9, Scalar::i32, INT32_MIN},
    {Scalar::f32, nan, Scalar::i32, 0},
    {Scalar::f32, -5, Scalar::u32, 0},
    {Scalar::f64, 1e30, Scalar::u64, -1},
    {Scalar::f64, 1e30, Scalar::i64, INT64_MAX},
    {Scalar::f64, 300, Scalar::u8, 255},
    {Scalar::f32, 0.5, Scalar::u1, 1},
    {Scalar::f32, nan, Scalar::u1, 1},
    {Scalar::i32, 256, Scalar::u8, 0},
    {Scalar::i32, 2, Scalar::u1, 1},
    {Scalar::u1, 1, Scalar::i32, 1},
    {Scalar::i8, -1, Scalar::u64, -1},
    {Scalar::u8, 255, Scalar::i64, 255},
};

TEST(Eval, Casts) {
    for (const CastRow &row : cast_rows) {
        Constant arg = is_float(row.from) ? from_double(row.from, row.value) : from_int(row.from, int64_t(row.value));
        EXPECT_EQ(eval(Op::cast, row.to, {&arg, 1}), from_int(row.to, row.result))
            << to_string(row.from) << " " << row.value << " to " << to_string(row.to);
    }
    Constant big{Scalar::u64, UINT64_MAX};
    EXPECT_EQ(to_double(eval(Op::cast, Scalar::f32, {&big, 1})), 0x1p64);
    Constant odd{Scalar::i64, 0x8000008000000001u}; // via f64 it would round twice
    EXPECT_EQ(eval(Op::cast, Scalar::f32, {&odd, 1}).bits, std::bit_cast<uint32_t>(float(int64_t(odd.bits))));
}

TEST(Eval, Comparisons) {
    auto holds = [](Op op, Constant a, Constant b) {
        Constant args[] = {a, b};
        return eval(op, Scalar::u1, args).bits == 1;
    };
    EXPECT_TRUE(holds(Op::lt, from_int(Scalar::i8, -1), from_int(Scalar::i8, 0)));
    EXPECT_FALSE(holds(Op::lt, from_int(Scalar::u8, -1), from_int(Scalar::u8, 0)));
    EXPECT_FALSE(holds(Op::eq, from_double(Scalar::f32, nan), from_double(Scalar::f32, nan)));
    EXPECT_TRUE(holds(Op::ne, from_double(Scalar::f32, nan), from_double(Scalar::f32, nan)));
    EXPECT_FALSE(holds(Op::ge, from_double(Scalar::f32, nan), from_double(Scalar::f32, 0)));
    EXPECT_TRUE(holds(Op::eq, from_double(Scalar::f64, 0.0), from_double(Scalar::f64, -0.0)));
    EXPECT_TRUE(holds(Op::gt, from_int(Scalar::u64, -1), from_int(Scalar::u64, 1)));
}

TEST(Eval, HalfRoundTripsEveryBitPattern) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        float wide = f16_to_f32(uint16_t(bits));
        if (std::isnan(wide))
            EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(wide))));
        else
            EXPECT_EQ(f32_to_f16(wide), bits);
    }
}

TEST(Eval, HalfRoundsToNearestEven) {
    EXPECT_EQ(f32_to_f16(2049.0f), f32_to_f16(2048.0f));
    EXPECT_EQ(f32_to_f16(2051.0f), f32_to_f16(2052.0f));
    EXPECT_EQ(f32_to_f16(65519.0f), 0x7bff);
    EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
    EXPECT_EQ(f32_to_f16(0x1p-24f), 1);
    EXPECT_EQ(f32_to_f16(0x1p-25f), 0);
    EXPECT_EQ(f32_to_f16(0x1.8p-25f), 1);
    EXPECT_EQ(f32_to_f16(-0x1p-24f), 0x8001);
}

/// Every op that eval defines works on every type that the verifier accepts for it.
TEST(Eval, DefinesEachOpOnEachOfItsTypes) {
    for (int i = 0; i < op_count; ++i) {
        Op op = Op(i);
        if (!can_eval(op) || op == Op::bitcast) continue;
        for (int s = int(Scalar::u1); s <= int(Scalar::f64); ++s) {
            Scalar type = Scalar(s);
            if ((info(op).traits & float_only) && !is_float(type)) continue;
            if ((info(op).traits & int_only) && !is_int(type)) continue;
            std::vector<Constant> args(size_t(info(op).operands), from_int(type, 1));
            if (op == Op::select) args[0] = {Scalar::u1, 1};
            EXPECT_NO_THROW(eval(op, type, args)) << info(op).name << " " << to_string(type);
        }
    }
}

} // namespace
