// Measures the scalar passes on large kernels as the frontend builds them: locals, array elements, branches, loops. Prints the times, and
// checks that they stay proportional to the size.
#include "ir/builder.h"
#include "ir/verify.h"
#include "passes/passes.h"

#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <iostream>
#include <map>
#include <string>

namespace {

using namespace qd;
using namespace qd::ir;

/// A kernel of about `size` instructions: a loop over an array whose body updates locals, sometimes inside an if or a small loop.
Function large_kernel(int size) {
    Function fn;
    fn.name = "large";
    fn.body = fn.make_block();
    auto param = [&](Type t) {
        Inst in;
        in.type = t;
        fn.params.push_back(fn.make(in));
        return fn.params.back();
    };
    Value n = param(Scalar::i32), x = param(Type::array(Scalar::f32, 1)), y = param(Type::array(Scalar::f32, 1, 3));
    Builder b(fn, fn.body);
    Value zero = b.i32(0);
    Value bounds[] = {zero, n};
    Value outer = b.parallel(bounds, {});
    Builder in(fn, fn[outer].blocks[0]);
    Value i = fn[fn[outer].blocks[0]].params[0];
    std::vector<Value> locals;
    for (int k = 0; k < 16; ++k) locals.push_back(in.local(Scalar::f32, 1));
    uint32_t state = 1;
    auto random = [&](uint32_t below) { return (state = state * 1664525u + 1013904223u) / 65536 % below; };
    auto update = [&](Builder &c, Value index) {
        Value one = c.i32(int32_t(random(3)));
        Value at = c.add(index, one);
        Value component = c.i32(int32_t(random(3)));
        Value indices[] = {at};
        Value p = c.element(y, indices, component);
        Value from = random(2) ? c.load(p) : c.load(locals[random(16)]);
        Value old = c.load(locals[random(16)]);
        Value factor = c.number(Scalar::f32, random(4));
        Value product = c.mul(old, factor);
        Value sum = c.add(product, from);
        c.store(locals[random(16)], sum);
        if (random(4) == 0) c.store(p, sum);
    };
    while (int(fn.insts.size()) < size) {
        update(in, i);
        if (random(8) == 0) {
            Value v = in.load(locals[random(16)]);
            Value limit = in.number(Scalar::f32, 0.5);
            Value condition = in.lt(v, limit);
            Value branch = in.if_(condition);
            Builder then_block(fn, fn[branch].blocks[0]);
            update(then_block, i);
            then_block.yield();
            Builder(fn, fn[branch].blocks[1]).yield();
        }
        if (random(32) == 0) {
            Value four = in.i32(4);
            Value inner = in.for_(zero, four, {}, {});
            Builder body(fn, fn[inner].blocks[0]);
            for (int k = 0; k < 4; ++k) update(body, fn[fn[inner].blocks[0]].params[0]);
            body.yield();
        }
    }
    Value result = in.load(locals[0]);
    Value indices[] = {i};
    Value p = in.element(x, indices, zero);
    in.store(p, result);
    in.yield();
    b.ret();
    return fn;
}

/// A kernel of about `size` instructions that fills a local element by element, and reads one element.
Function large_local(int size) {
    Function fn;
    fn.name = "large_local";
    fn.body = fn.make_block();
    Inst in;
    in.type = Scalar::i64;
    fn.params.push_back(fn.make(in));
    fn.returns.push_back(Scalar::f32);
    Builder b(fn, fn.body);
    const int elements = size / 3;
    const Value local = b.local(Scalar::f32, uint64_t(elements));
    const Value zero = b.number(Scalar::f32, 0);
    for (int k = 0; k < elements; ++k) {
        const Value bytes = b.i64(4 * k);
        const Value at = b.offset(local, bytes, Scalar::f32);
        b.store(at, zero);
    }
    const Value somewhere = b.offset(local, fn.params[0], Scalar::f32);
    const Value found = b.load(somewhere);
    b.ret(std::array{found});
    return fn;
}

/// Returns the CPU time of this thread, which excludes other processes.
double now_us() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e6 + double(t.tv_nsec) * 1e-3;
}

constexpr const char *pipeline[] = {"promote", "fold", "cse", "simplify_branches", "forward_stores", "fold",
                                    "cse",     "licm", "dce"};

double time_of(const Function &kernel, std::map<std::string, double> *passes) {
    EXPECT_TRUE(verify(kernel).empty()) << explain(kernel, verify(kernel));
    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
        std::map<std::string, double> spent;
        double total = 0;
        Function fn = kernel;
        for (const char *name : pipeline) {
            double start = now_us();
            passes::find(name)->run(fn, {});
            double us = now_us() - start;
            spent[name] += us;
            total += us;
        }
        if (total < best) {
            best = total;
            if (passes) *passes = spent;
        }
        if (i == 0) {
            EXPECT_TRUE(verify(fn).empty()) << explain(fn, verify(fn));
        }
    }
    return best;
}

TEST(Speed, GrowsWithTheSize) {
    for (int size : {1500, 20000, 100000}) {
        std::map<std::string, double> passes;
        std::cout << size << " instructions: " << time_of(large_kernel(size), &passes) << " us (";
        for (auto &[name, us] : passes) std::cout << " " << name << " " << us;
        std::cout << " )\n";
    }
    for (const auto make : {large_kernel, large_local}) {
        double small = time_of(make(5000), nullptr) / 5000, large = time_of(make(80000), nullptr) / 80000;
        EXPECT_LT(large, 8 * small + 1);
    }
}

} // namespace
