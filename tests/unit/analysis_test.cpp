// Analyses of IR: order and dominance, uses, effects, and which accesses may overlap.
#include "analysis/denormals.h"
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "analysis/structure.h"
#include "analysis/uses.h"
#include "analysis/walk.h"
#include "ir/text.h"

#include <gtest/gtest.h>

namespace {

using namespace qd;
using namespace qd::analysis;
using ir::Function;
using ir::Op;
using ir::Value;

Function read(const char *text) {
    ir::ParseResult result = ir::parse(text);
    EXPECT_FALSE(result.error) << result.error->message;
    return std::move(result.functions.at(0));
}
/// Returns the n-th instruction with this op, in program order.
Value nth(const Function &fn, Op op, int n = 0) {
    Value found;
    walk(fn, [&](Value v) {
        if (fn[v].op == op && n-- == 0) found = v;
    });
    return found;
}

TEST(Structure, OrderAndDominance) {
    Function fn = read("fn @f(%0: i32, %1: u1) -> i32\n"
                       "    %2: i32 = for %0, %0, %0 (%3: i32, %4: i32)\n"
                       "        %5: i32 = add %3, %4\n"
                       "        if %1\n"
                       "            %6: i32 = mul %5, %5\n"
                       "            break %6\n"
                       "        %7: i32 = sub %5, %4\n"
                       "        yield %7\n"
                       "    ret %2\n");
    Structure s(fn);
    Value loop = nth(fn, Op::for_), add = nth(fn, Op::add), mul = nth(fn, Op::mul), sub = nth(fn, Op::sub);
    EXPECT_TRUE(s.dominates(add, mul));
    EXPECT_TRUE(s.dominates(add, sub));
    EXPECT_FALSE(s.dominates(mul, sub)) << "mul stands in a branch";
    EXPECT_FALSE(s.dominates(sub, add));
    EXPECT_TRUE(s.dominates(fn.params[0], mul));
    EXPECT_TRUE(s.dominates(fn.results(loop)[0], nth(fn, Op::ret)));
    EXPECT_FALSE(s.dominates(fn.results(loop)[0], add));
    EXPECT_TRUE(s.inside(fn, mul, loop));
    EXPECT_FALSE(s.inside(fn, nth(fn, Op::ret), loop));
    std::vector<uint32_t> uses = use_counts(fn);
    EXPECT_EQ(uses[add.id], 3u);
    EXPECT_EQ(uses[fn.params[0].id], 3u);
}

TEST(Effects, OfRegions) {
    Function fn = read("fn @f(%0: i32, %1: array<i32, 1>, %2: u1)\n"
                       "    for %0, %0 (%3: i32)\n"
                       "        if %2\n"
                       "            break\n"
                       "        %4: ptr<i32> = element %1, %0, %0\n"
                       "        store %4, %3\n"
                       "        yield\n"
                       "    loop\n"
                       "        if %2\n"
                       "            exit\n"
                       "        yield\n"
                       "    if %2\n"
                       "        %5: f32 = random\n"
                       "        yield\n"
                       "    ret\n");
    std::vector<uint8_t> does = effects(fn);
    EXPECT_EQ(does[nth(fn, Op::for_).id], writes);
    EXPECT_EQ(does[nth(fn, Op::if_, 0).id], jumps);
    EXPECT_EQ(does[nth(fn, Op::loop).id], leaves | endless);
    EXPECT_EQ(does[nth(fn, Op::if_, 2).id], outside);
}

Overlap between(const char *arrays, const char *first, const char *second) {
    Function fn = read(
        (std::string("fn @f(%i: i32, %j: i32, %v: f32, %n: i64, %a: array<f32, 2, 2x1>, %b: array<f32, 1>)") + arrays +
         " tmp 16\n"
         "    place 0 \"x\" f32 tree 0 byte 0 id 1 offset (0) shape (8)\n"
         "        dense start 0 cell 8 [0 extent 8 divide 1 stride 1]\n"
         "    place 1 \"y\" f32 tree 0 byte 4 id 2 offset (0) shape (8)\n"
         "        dense start 0 cell 8 [0 extent 8 divide 1 stride 1]\n"
         "    %0: i32 = constant 0\n    %1: i32 = constant 1\n    %4: i64 = constant 4\n"
         "    %p: i32 = add %i, %1\n    %m: i32 = sub %i, %1\n    %l: ptr<f32, private> = local !4\n"
         "    %t: ptr<f32> = tmp !4\n    %q: ptr<f32> = " +
         first + "\n    %r: ptr<f32> = " + second + "\n    store %q, %v\n    store %r, %v\n    ret\n")
            .c_str());
    Memory memory(fn);
    return memory.overlap(memory.access(nth(fn, Op::store, 0)), memory.access(nth(fn, Op::store, 1)));
}

TEST(Memory, Overlap) {
    EXPECT_EQ(between("", "element %a, %i, %j, %0", "element %a, %i, %j, %0"), Overlap::exact);
    EXPECT_EQ(between("", "element %a, %i, %j, %0", "element %a, %i, %j, %1"), Overlap::never);
    EXPECT_EQ(between("", "element %a, %i, %j, %0", "element %a, %j, %i, %0"), Overlap::maybe);
    EXPECT_EQ(between("", "element %a, %p, %j, %0", "element %a, %m, %i, %0"), Overlap::never);
    EXPECT_EQ(between("", "element %a, %p, %j, %0", "element %a, %j, %j, %0"), Overlap::maybe);
    EXPECT_EQ(between("", "element %a, %i, %j, %0", "element %b, %i, %0"), Overlap::never);
    EXPECT_EQ(between(" aliased", "element %a, %i, %j, %0", "element %b, %i, %0"), Overlap::maybe);
    EXPECT_EQ(between("", "place %i !0", "place %i !0"), Overlap::exact);
    EXPECT_EQ(between("", "place %i !0", "place %i !1"), Overlap::never);
    EXPECT_EQ(between("", "place %i !0", "place %p !0"), Overlap::never);
    EXPECT_EQ(between("", "place %i !0", "tree_base !0"), Overlap::maybe);
    EXPECT_EQ(between("", "place %i !0", "tree_base !1"), Overlap::never);
    EXPECT_EQ(between("", "place %i !0", "local !1"), Overlap::never);
    EXPECT_EQ(between("", "offset %l, %n", "offset %l, %n"), Overlap::exact);
    EXPECT_EQ(between("", "offset %l, %4", "offset %l, %n"), Overlap::maybe);
    EXPECT_EQ(between("", "tmp !4", "tmp !4"), Overlap::exact);
    EXPECT_EQ(between("", "tmp !4", "tmp !8"), Overlap::never);
    EXPECT_EQ(between("", "offset %t, %4", "tmp !8"), Overlap::exact);
    EXPECT_EQ(between("", "tmp !4", "ret_slot !4"), Overlap::never);
}

/// Queries a task that computes %4 from the f32 %2 and %3, where %3 is loaded and %2 is `constant`.
bool is_the_same(const std::string &computation, const std::string &constant = "1") {
    const std::string text = "fn @f(%0: ptr<f32>, %1: i32, %9: f64)\n"
                             "    %2: f32 = constant " +
                             constant +
                             "\n"
                             "    %3: f32 = load %0\n"
                             "    " +
                             computation +
                             "\n"
                             "    ret\n";
    return is_independent_of_flushing(read(text.c_str()));
}

TEST(Denormals, MovesAreTheSameAndArithmeticIsNot) {
    EXPECT_TRUE(is_the_same("store %0, %3"));
    EXPECT_TRUE(is_the_same("%4: f32 = neg %3"));
    EXPECT_TRUE(is_the_same("%4: i32 = mul %1, %1"));
    EXPECT_TRUE(is_the_same("%4: f32 = cast %1"));
    EXPECT_TRUE(is_the_same("%4: i32 = cast %3"));
    EXPECT_TRUE(is_the_same("%4: f32 = atomic_xchg %0, %3"));
    EXPECT_FALSE(is_the_same("%4: f32 = add %3, %3"));
    EXPECT_FALSE(is_the_same("%4: f32 = mul %3, %2"));
    EXPECT_FALSE(is_the_same("%4: f32 = min %3, %2"));
    EXPECT_FALSE(is_the_same("%4: f32 = floor %3"));
    EXPECT_FALSE(is_the_same("%4: u1 = lt %3, %2"));
    EXPECT_FALSE(is_the_same("%4: u1 = cast %3"));
    EXPECT_FALSE(is_the_same("%4: f64 = cast %3"));
    EXPECT_FALSE(is_the_same("%4: f32 = cast %9"));
    EXPECT_FALSE(is_the_same("%4: f32 = atomic_add %0, %2"));
}

TEST(Denormals, SmallValuesVanishNextToALargeConstant) {
    EXPECT_TRUE(is_the_same("%4: f32 = add %3, %2"));
    EXPECT_TRUE(is_the_same("%4: f32 = sub %2, %3", "-0.001"));
    EXPECT_FALSE(is_the_same("%4: f32 = add %3, %2", "0"));
    EXPECT_FALSE(is_the_same("%4: f32 = add %3, %2", "1e-30"));
    EXPECT_FALSE(is_the_same("%4: f32 = add %3, %2", "inf"));
}

} // namespace
