// lower_functions and lower_remainders give what the interpreter's own functions give: but for a few ulp, and in all bits.
#include "ir/builder.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "tools/execute.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace {

using namespace qd;
using namespace qd::ir;

/// A function that returns an op of its parameters.
Function function_of(Op op, Scalar type) {
    Function fn;
    fn.name = info(op).name;
    for (int i = 0; i < info(op).operands; ++i) {
        Inst param{Op::param, Type(type)};
        fn.params.push_back(fn.make(param));
    }
    fn.returns = {Type(type)};
    fn.body = fn.make_block();
    Builder b(fn, fn.body);
    const Value result = b.emit(op, fn.params);
    b.ret(std::array{result});
    return fn;
}

double run(const Function &fn, std::span<const double> args, Scalar type) {
    tools::Inputs inputs;
    for (const double x : args) inputs.scalars.push_back(from_double(type, x));
    return to_double(tools::interpret(fn, inputs).values.at(0));
}

/// The distance of two results in units of the last place of the first; 0 if both are NaN or zeros of one sign.
double ulps(double expected, double found, Scalar type) {
    if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) == std::isnan(found) ? 0 : INFINITY;
    if (expected == found) return std::signbit(expected) == std::signbit(found) ? 0 : INFINITY;
    if (std::isinf(expected) || std::isinf(found)) return INFINITY;
    const int digits = type == Scalar::f64 ? 52 : 23, least = type == Scalar::f64 ? -1022 : -126;
    const int exponent = expected == 0 ? least : std::max(std::ilogb(expected), least);
    return std::fabs(expected - found) / std::ldexp(1.0, exponent - digits);
}

constexpr double special[] = {0.0,      -0.0,      1,   -1,     0.5,    -0.5, 2,   -3,   0.3,
                              INFINITY, -INFINITY, NAN, 1e-310, -1e-40, 88,   700, 1e30, -2.5};

/// Calls `check` with the arguments that functions meet, special ones and random ones of many sizes.
template <class Check> void for_arguments(int operands, Scalar type, double limit, const Check &check) {
    std::mt19937_64 random(7);
    const auto call = [&](double x, double y) {
        const double both[] = {to_double(from_double(type, x)), to_double(from_double(type, y))};
        check(std::span(both).first(size_t(operands)));
    };
    const auto number = [&] {
        const double size = std::exp2(std::uniform_real_distribution(-20.0, limit)(random));
        return random() % 2 ? size : -size;
    };
    for (const double x : special) {
        if (operands == 1) call(x, 0);
        if (operands == 2)
            for (const double y : special) call(x, y);
    }
    for (int i = 0; i < 400; ++i) {
        const double x = number(), y = number();
        call(x, y);
    }
}

/// Compares with the op in type `as`. `limit`: the largest arguments have so many bits. `most`: units of the last place.
void compare(bool (*pass)(Function &, const passes::Config &), Op op, Scalar type, Scalar as, double limit,
             double most) {
    const Function own = function_of(op, as);
    Function lowered = function_of(op, type);
    ASSERT_TRUE(pass(lowered, {}));
    ASSERT_TRUE(verify(lowered).empty());
    for_arguments(info(op).operands, type, limit, [&](std::span<const double> args) {
        const bool is_sine = op == Op::sin || op == Op::cos || op == Op::tan;
        if (is_sine && std::fabs(args[0]) > 0x1p20 && std::isfinite(args[0])) return;
        const double exact = run(own, args, as), found = run(lowered, args, type);
        const bool overflows = type == Scalar::f32 && std::isinf(float(exact));
        const double expected = overflows ? double(float(exact)) : exact;
        EXPECT_LE(ulps(expected, found, type), most)
            << info(op).name << "(" << args[0] << ", " << args.back() << ") == " << expected << ", found " << found;
    });
}

constexpr Op functions[] = {Op::exp,  Op::log,  Op::log2, Op::sin,  Op::cos,  Op::tan,
                            Op::asin, Op::acos, Op::atan, Op::tanh, Op::atan2};

/// Rounded correctly, but for the error of f64.
TEST(LowerFunctions, f32_in_half_an_ulp) {
    const double half = 0.5 + 1e-6;
    for (const Op op : functions)
        compare(passes::lower_functions, op, Scalar::f32, Scalar::f64, op == Op::exp ? 7 : 18, half);
    compare(passes::lower_functions, Op::pow, Scalar::f32, Scalar::f64, 4, half);
}

TEST(LowerFunctions, f64_in_a_few_ulp) {
    for (const Op op : functions)
        compare(passes::lower_functions, op, Scalar::f64, Scalar::f64, op == Op::exp ? 9 : 18, 4);
}

/// The error of the logarithm counts as often as the exponent says.
TEST(LowerFunctions, powers_of_f64) { compare(passes::lower_functions, Op::pow, Scalar::f64, Scalar::f64, 4, 256); }

TEST(LowerFunctions, fast_f32_stays) {
    Function fn = function_of(Op::sin, Scalar::f32);
    fn.fast_math = true;
    EXPECT_FALSE(passes::lower_functions(fn, {}));
}

TEST(LowerRemainders, all_bits) {
    for (const Scalar type : {Scalar::f32, Scalar::f64})
        for (const Op op : {Op::rem, Op::mod, Op::floordiv}) compare(passes::lower_remainders, op, type, type, 100, 0);
}

} // namespace
