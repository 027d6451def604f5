// The derivative of every op against central differences, the conventions at kinks, and refusals.
#include "autodiff/autodiff.h"
#include "autodiff/partials.h"
#include "base/error.h"
#include "ir/eval.h"
#include "ir/text.h"
#include "tools/companions.h"
#include "tools/execute.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace {

using namespace qd;
using namespace qd::ir;
using autodiff::Mode;
using autodiff::Slope;

/// fn(x0, x1, x2) = op, on arrays of one element, each followed by a companion.
struct Kernel {
    Function fn;
    autodiff::Companions companions;
};

Kernel kernel_of(Op op, Scalar type, size_t operands) {
    Kernel k;
    Builder b(k.fn);
    k.fn.name = info(op).name;
    b.block = k.fn.body = k.fn.make_block();
    const auto array = [&] {
        Inst inst;
        inst.type = Type::array(type, 1);
        k.fn.params.push_back(k.fn.make(inst));
    };
    for (size_t i = 0; i < 2 * operands + 2; ++i) array();
    for (size_t i = 0; i <= operands; ++i) {
        k.companions.arrays.resize(2 * i + 1);
        k.companions.arrays.push_back({});
        k.companions.arrays[2 * i] = k.fn.params[2 * i + 1];
    }
    const Value zero = b.i32(0);
    const auto at = [&](size_t i) { return b.element(k.fn.params[2 * i], std::array{zero}, zero); };
    std::vector<Value> args;
    for (size_t i = 0; i < operands; ++i) args.push_back(b.load(at(i)));
    const Value result = b.emit(op, args);
    b.store(at(operands), result);
    b.ret();
    return k;
}

double run(const Function &fn, const std::vector<double> &numbers, size_t which) {
    tools::Inputs inputs;
    for (size_t i = 0; i < fn.params.size(); ++i) {
        tools::Array a = tools::make_array(fn.type(fn.params[i]), {1});
        const Constant c = from_double(a.type.elem, numbers[i]);
        std::memcpy(a.bytes.data(), &c.bits, a.bytes.size());
        inputs.arrays.push_back(a);
    }
    const tools::Outputs out = tools::interpret(fn, inputs);
    Constant c{fn.type(fn.params[which]).elem, 0};
    std::memcpy(&c.bits, out.arrays[which].bytes.data(), out.arrays[which].bytes.size());
    return to_double(c);
}

/// Returns the derivative with respect to one operand, in either mode.
double slope_at(Op op, Mode mode, const std::vector<double> &point, size_t which, Scalar type = Scalar::f64) {
    const Kernel k = kernel_of(op, type, point.size());
    const Function made = autodiff::differentiate(k.fn, k.companions, mode);
    std::vector<double> numbers(2 * point.size() + 2);
    for (size_t i = 0; i < point.size(); ++i) numbers[2 * i] = point[i];
    const bool forward = mode == Mode::forward;
    numbers[forward ? 2 * which + 1 : 2 * point.size() + 1] = 1;
    return run(made, numbers, forward ? 2 * point.size() + 1 : 2 * which + 1);
}

double difference(Op op, std::vector<double> point, size_t which) {
    const auto at = [&](double step) {
        std::vector<Constant> operands;
        for (size_t i = 0; i < point.size(); ++i)
            operands.push_back(from_double(Scalar::f64, point[i] + (i == which ? step : 0)));
        return to_double(eval(op, Scalar::f64, operands));
    };
    constexpr double h = 1e-6;
    return (at(h) - at(-h)) / (2 * h);
}

TEST(Derivatives, EveryOpAgainstCentralDifferences) {
    const std::vector<std::vector<double>> points = {{0.3, 0.7, -0.4}, {0.9, 0.2, 1.5}, {0.45, 2.6, 3}};
    int checked = 0;
    for (int i = 0; i < op_count; ++i) {
        const Op op = Op(i);
        if (!is_arithmetic(op) || (info(op).traits & int_only)) continue;
        for (std::vector<double> point : points) {
            point.resize(size_t(info(op).operands));
            for (size_t which = 0; which < point.size(); ++which) {
                if (autodiff::slope(op, which) == Slope::refused) continue;
                const double expected = difference(op, point, which);
                for (Mode mode : {Mode::forward, Mode::reverse}) {
                    const double found = slope_at(op, mode, point, which);
                    // rem is flat by convention; mod and the others are differentiable where they do not jump
                    if (op == Op::rem)
                        EXPECT_EQ(found, 0);
                    else
                        EXPECT_NEAR(found, expected, 1e-8 * (1 + std::fabs(expected)))
                            << info(op).name << " by operand " << which << " at " << point[0] << ", mode " << int(mode);
                    ++checked;
                }
            }
        }
    }
    EXPECT_GT(checked, 200);
}

TEST(Derivatives, Kinks) {
    for (Mode mode : {Mode::forward, Mode::reverse}) {
        EXPECT_EQ(slope_at(Op::abs, mode, {0}, 0), 0);
        EXPECT_EQ(slope_at(Op::abs, mode, {-2}, 0), -1);
        for (Op op : {Op::min, Op::max}) {
            EXPECT_EQ(slope_at(op, mode, {2, 2}, 0), 0);
            EXPECT_EQ(slope_at(op, mode, {2, 2}, 1), 1);
        }
        EXPECT_EQ(slope_at(Op::log, mode, {-0.25}, 0), -4);
        EXPECT_TRUE(std::isnan(slope_at(Op::sqrt, mode, {-1}, 0)));
        EXPECT_TRUE(std::isnan(slope_at(Op::asin, mode, {2}, 0)));
        EXPECT_EQ(slope_at(Op::sqrt, mode, {0}, 0), INFINITY);
        EXPECT_EQ(slope_at(Op::mod, mode, {7, 2}, 0), 1);
        EXPECT_EQ(slope_at(Op::mod, mode, {7, 2}, 1), -3);
        for (Op op : {Op::floor, Op::ceil, Op::trunc, Op::sign}) EXPECT_EQ(slope_at(op, mode, {0.5}, 0), 0);
    }
}

TEST(Derivatives, HaveTheTypeOfTheirValues) {
    for (Scalar type : {Scalar::f16, Scalar::f32})
        for (Mode mode : {Mode::forward, Mode::reverse})
            EXPECT_EQ(slope_at(Op::mul, mode, {0.1, 0.3}, 0, type), to_double(from_double(type, 0.3)));
}

/// Returns the message of the refusal, with the line; empty if there is none.
std::string refusal(const std::string &text, Mode mode) {
    ParseResult read = parse(text);
    EXPECT_FALSE(read.error) << read.error->message << " in line " << read.error->line;
    const Function &fn = read.functions.at(0);
    try {
        autodiff::differentiate(fn, tools::read_companions(text, fn), mode);
    } catch (const UserError &e) {
        return e.what();
    }
    return "";
}

/// A kernel on an array %0 with companion %1, around a part of its body that computes %20 from %6.
std::string around(const std::string &body, const std::string &stored = "%20") {
    return "; companions: @f %0=%1\n"
           "fn @f(%0: array<f32, 1>, %1: array<f32, 1>, %2: i32)\n"
           "    %3: i32 = constant 0\n"
           "    parallel %3, %2 (%4: i32)\n"
           "        %5: ptr<f32> = element %0, %4, %3\n"
           "        %6: f32 = load %5\n" +
           body + "        store %5, " + stored + "\n        yield\n    ret\n";
}

TEST(Derivatives, Refusals) {
    const std::string round = around("        %20: f32 = round %6\n");
    const std::string bits = around("        %7: i32 = bitcast %6\n        %20: f32 = bitcast %7\n");
    const std::string random = around("        %7: f32 = random\n        %20: f32 = add %6, %7\n");
    for (Mode mode : {Mode::forward, Mode::reverse}) {
        EXPECT_EQ(refusal(round, mode), "Not supported.");
        EXPECT_EQ(refusal(bits, mode), "Not supported.");
        EXPECT_NE(refusal(random, mode).find("RandStmt not supported"), std::string::npos);
    }
    const std::string endless = around("        %20: f32 = loop %6 (%7: f32)\n"
                                       "            %8: f32 = mul %7, %7\n"
                                       "            break %8\n");
    EXPECT_EQ(refusal(endless, Mode::forward), "");
    EXPECT_EQ(refusal(endless, Mode::reverse), "WhileStmt is not supported in AutoDiff.");
    const std::string left = around("        %20: f32 = for %3, %2, %6 (%7: i32, %8: f32)\n"
                                    "            %9: u1 = lt %7, %4\n"
                                    "            if %9\n"
                                    "                break %8\n"
                                    "            %10: f32 = add %8, %8\n"
                                    "            yield %10\n");
    EXPECT_EQ(refusal(left, Mode::forward), "");
    EXPECT_EQ(refusal(left, Mode::reverse), "WhileStmt is not supported in AutoDiff.");
}

/// A serial loop that computes %20 from %6, with a loop-carried integer.
std::string looped(const std::string &body) {
    return around("        %20: f32, %21: i32 = for %3, %2, %6, %3 (%7: i32, %8: f32, %9: i32)\n" + body);
}

bool needs_a_stack(const std::string &body) {
    return refusal(body, Mode::reverse).starts_with("Cannot use non static range in Backwards mode: this loop");
}

TEST(Derivatives, LoopCarriedValuesMustNotBeNeededBackward) {
    const std::string power = looped("            %10: f32 = mul %8, %8\n            yield %10, %9\n");
    EXPECT_EQ(refusal(power, Mode::forward), "");
    EXPECT_TRUE(needs_a_stack(power));
    const std::string linear = looped("            %10: f32 = mul %8, %6\n            yield %10, %7\n");
    EXPECT_EQ(refusal(looped("            %10: f32 = neg %8\n            yield %10, %7\n"), Mode::reverse), "");
    EXPECT_TRUE(needs_a_stack(linear)); // because of %6
    const std::string index = looped("            %10: ptr<f32> = element %0, %9, %3\n"
                                     "            %11: f32 = load %10\n"
                                     "            %12: f32 = add %8, %11\n"
                                     "            %13: i32 = add %9, %7\n"
                                     "            yield %12, %13\n");
    EXPECT_TRUE(needs_a_stack(index));
    const std::string branch = looped("            %10: u1 = lt %9, %2\n"
                                      "            %11: f32 = if %10\n"
                                      "                %12: f32 = neg %8\n"
                                      "                yield %12\n"
                                      "            else\n"
                                      "                yield %8\n"
                                      "            yield %11, %7\n");
    EXPECT_TRUE(needs_a_stack(branch));
}

TEST(Derivatives, LoopsThatShareAVariableOfTheKernel) {
    const std::string text = "; companions: @f %0=%1\n"
                             "fn @f(%0: array<f32, 1>, %1: array<f32, 1>)\n"
                             "    %2: i32 = constant 0\n"
                             "    %3: i32 = dim %0 !0\n"
                             "    %4: ptr<f32, private> = local !1\n"
                             "    parallel %2, %3 (%5: i32)\n"
                             "        %6: ptr<f32> = element %0, %5, %2\n"
                             "        %7: f32 = load %6\n"
                             "        %8: f32 = atomic_add %4, %7\n"
                             "        yield\n"
                             "    %9: ptr<f32> = element %0, %2, %2\n"
                             "    %10: f32 = load %4\n"
                             "    store %9, %10\n"
                             "    ret\n";
    EXPECT_EQ(refusal(text, Mode::forward), "");
    EXPECT_NE(refusal(text, Mode::reverse).find("Mixed usage of for-loops"), std::string::npos);
}

/// A parallel loop whose iteration %4 stores at %20 half of the value at %21.
std::string shifted(const std::string &indices, const std::string &flags = "") {
    return "; companions: @f %0=%1\n"
           "fn @f(%0: array<f32, 1>, %1: array<f32, 1>, %2: i32)\n"
           "    %3: i32 = constant 0\n"
           "    parallel %3, %2 " +
           flags +
           "(%4: i32)\n"
           "        %5: i32 = constant 1\n"
           "        %6: f32 = constant 0.5\n" +
           indices +
           "        %22: ptr<f32> = element %0, %21, %3\n"
           "        %23: f32 = load %22\n"
           "        %24: f32 = mul %23, %6\n"
           "        %25: ptr<f32> = element %0, %20, %3\n"
           "        store %25, %24\n        yield\n    ret\n";
}

TEST(Derivatives, IterationsThatReadElementsOfOthers) {
    const auto crosses = [](const std::string &text) {
        return refusal(text, Mode::reverse)
            .starts_with("Cross-iteration read-after-write on the `needs_grad` global field");
    };
    const std::string next = "        %20: i32 = add %4, %5\n", here = "        %21: i32 = add %4, %3\n",
                      first = "        %21: i32 = add %5, %3\n", also_next = "        %21: i32 = add %4, %5\n";
    EXPECT_TRUE(crosses(shifted(next + here)));
    EXPECT_FALSE(crosses(shifted(next + also_next)));
    EXPECT_FALSE(crosses(shifted(next + first))); // the same element in all iterations
    EXPECT_FALSE(crosses(shifted(next + here, "{serialize} ")));
    EXPECT_EQ(refusal(shifted(next + here), Mode::forward), "");
}

TEST(Derivatives, ArraysThatMayOverlapAreTakenToBeApart) {
    const std::string text =
        "; companions: @f %0=%1\n"
        "fn @f(%0: array<f64, 1>, %1: array<f64, 1>, %2: array<i32, 1>, %3: array<i32, 1>) aliased\n"
        "    %4: i32 = constant 0\n"
        "    %5: i32 = dim %0 !0\n"
        "    parallel %4, %5 (%6: i32)\n"
        "        for %4, %5 (%7: i32)\n"
        "            %8: ptr<i32> = element %2, %7, %4\n"
        "            %9: i32 = load %8\n"
        "            %10: ptr<i32> = element %3, %6, %4\n"
        "            store %10, %9\n"
        "            %11: f64 = cast %9\n"
        "            %12: ptr<f64> = element %0, %4, %4\n"
        "            %13: f64 = load %12\n"
        "            %14: f64 = mul %13, %11\n"
        "            %15: f64 = atomic_add %12, %14\n"
        "            yield\n"
        "        yield\n"
        "    ret\n";
    const ParseResult read = parse(text);
    ASSERT_FALSE(read.error);
    const Function &fn = read.functions[0];
    const Function made = autodiff::differentiate(fn, tools::read_companions(text, fn), Mode::reverse);
    EXPECT_FALSE(made.distinct_arrays);
}

} // namespace
