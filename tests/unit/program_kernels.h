#pragma once
// Kernels for the tests of the engine, built as the frontend builds them.
#include "abi/record.h"
#include "engine/program.h"
#include "ir/builder.h"
#include "ir/text.h"

#include <gtest/gtest.h>

namespace qd::test {

inline ir::Function start(const std::string &name) {
    ir::Function fn;
    fn.name = name;
    fn.files.push_back(name + ".py");
    fn.scopes.push_back(name);
    fn.body = fn.make_block();
    return fn;
}

inline ir::Value param(ir::Function &fn, ir::Type type) {
    ir::Inst inst;
    inst.op = ir::Op::param;
    inst.type = type;
    fn.params.push_back(fn.make(inst));
    return fn.params.back();
}

inline SpanId line(ir::Function &fn, uint32_t number) { return fn.intern_span({1, number, 4, number, 20, no_span, 1}); }

/// Returns the only index of the parallel loop `loop`.
inline ir::Value index_of(ir::Function &fn, ir::Value loop) { return fn[fn[loop].blocks[0]].params[0]; }
inline ir::BlockId body_of(ir::Function &fn, ir::Value loop) { return fn[loop].blocks[0]; }

inline ir::Value element(ir::Builder &b, ir::Value array, ir::Value index) {
    const ir::Value zero = b.i32(0);
    const ir::Value indices[] = {index};
    return b.element(array, indices, zero);
}

/// for i in range(x.shape[0]): body
template <class Body> void loop_over(ir::Builder &b, ir::Value array, Body body, const ir::Loop &flags = {}) {
    const ir::Value zero = b.i32(0);
    const ir::Value n = b.dim(array, 0);
    const ir::Value bounds[] = {zero, n};
    const ir::Value loop = b.parallel(bounds, flags);
    ir::Builder inner(b.fn, body_of(b.fn, loop));
    inner.span = b.span;
    body(inner, index_of(b.fn, loop));
    inner.yield();
}

/// y[i] = a * x[i] + y[i]
inline ir::Function saxpy(const std::string &name = "saxpy") {
    ir::Function fn = start(name);
    const ir::Value a = param(fn, ir::Scalar::f32);
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    const ir::Value y = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    b.span = line(fn, 3);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value px = element(in, x, i);
        const ir::Value py = element(in, y, i);
        const ir::Value vx = in.load(px);
        const ir::Value vy = in.load(py);
        const ir::Value product = in.mul(a, vx);
        const ir::Value sum = in.add(product, vy);
        in.store(py, sum);
    });
    b.ret();
    return fn;
}

/// v = x[i]; y[i] = 2 * v; y[i] = x[i] + v: 2 v if the arrays are distinct, 3 v if they are the same
inline ir::Function read_again() {
    ir::Function fn = start("read_again");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    const ir::Value y = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value px = element(in, x, i);
        const ir::Value py = element(in, y, i);
        const ir::Value before = in.load(px);
        const ir::Value twice = in.add(before, before);
        in.store(py, twice);
        const ir::Value after = in.load(px);
        const ir::Value sum = in.add(after, before);
        in.store(py, sum);
    });
    b.ret();
    return fn;
}

/// s = 0 (in tmp, since two tasks use it); for i: s += x[i]; return s
inline ir::Function sum() {
    ir::Function fn = start("sum");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    fn.returns.push_back(ir::Scalar::f32);
    ir::Builder b(fn, fn.body);
    const ir::Value s = b.local(ir::Scalar::f32, 1);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value p = element(in, x, i);
        const ir::Value v = in.load(p);
        in.atomic_add(s, v);
    });
    const ir::Value total = b.load(s);
    const ir::Value results[] = {total};
    b.ret(results);
    return fn;
}

inline ir::Function empty() {
    ir::Function fn = start("empty");
    ir::Builder b(fn, fn.body);
    b.ret();
    return fn;
}

/// assert x[i] < limit, "x[{i}] = {value}"
inline ir::Function checked() {
    ir::Function fn = start("checked");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    const ir::Value limit = param(fn, ir::Scalar::f32);
    fn.messages.push_back({{{"x[", -1}, {"", 0}, {"] = ", -1}, {".1f", 1}}});
    ir::Builder b(fn, fn.body);
    b.span = line(fn, 7);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value p = element(in, x, i);
        const ir::Value v = in.load(p);
        const ir::Value good = in.lt(v, limit);
        in.span = line(fn, 8);
        in.emit(ir::Op::assert_, {good, i, v}, {}, 0);
    });
    b.ret();
    return fn;
}

/// print("i =", i, "x =", x[i])
inline ir::Function printing() {
    ir::Function fn = start("printing");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    fn.messages.push_back({{{"i = ", -1}, {"", 0}, {" x = ", -1}, {"", 1}, {" 100%\n", -1}}});
    ir::Builder b(fn, fn.body);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value p = element(in, x, i);
        const ir::Value v = in.load(p);
        in.emit(ir::Op::print, {i, v}, {}, 0);
    });
    b.ret();
    return fn;
}

/// while not stopped: pass
inline ir::Function endless() {
    ir::Function fn = start("endless");
    ir::Builder b(fn, fn.body);
    ir::Loop flags;
    flags.interruptible = true;
    const ir::Value loop = b.loop({}, flags);
    ir::Builder in(fn, body_of(fn, loop));
    const ir::Value stop = in.emit(ir::Op::poll, {}, ir::Scalar::u1);
    const ir::Value leave = in.if_(stop);
    ir::Builder then(fn, fn[leave].blocks[0]);
    then.exit();
    ir::Builder otherwise(fn, fn[leave].blocks[1]);
    otherwise.yield();
    in.yield();
    b.ret();
    return fn;
}

/// Counts each iteration on line 5, those with x[i] > 0 on line 6.
inline ir::Function counted() {
    ir::Function fn = start("counted");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    fn.counters.push_back({ir::Counter::What::line, line(fn, 5)});
    fn.counters.push_back({ir::Counter::What::taken, line(fn, 6)});
    ir::Builder b(fn, fn.body);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value one = in.i64(1);
        in.count(0, one);
        const ir::Value p = element(in, x, i);
        const ir::Value v = in.load(p);
        const ir::Value zero = in.number(ir::Scalar::f32, 0);
        const ir::Value positive = in.gt(v, zero);
        const ir::Value n = in.cast(positive, ir::Scalar::i64);
        in.count(1, n);
    });
    b.ret();
    return fn;
}

/// Ten loops, the k-th adds k + `seed` to every element.
inline ir::Function ten_loops(int edited = -1) {
    ir::Function fn = start("ten_loops");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    for (int k = 0; k < 10; k++)
        loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
            const ir::Value p = element(in, x, i);
            const ir::Value v = in.load(p);
            const ir::Value add = in.number(ir::Scalar::f32, k == edited ? 100 : k);
            const ir::Value sum = in.add(v, add);
            in.store(p, sum);
        });
    b.ret();
    return fn;
}

/// A chain of arithmetic that is long enough to be compiled in tiers: x[i] = (...(x[i] * 1.5 + 1) ...)
inline ir::Function large(int steps = 400) {
    ir::Function fn = start("large");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
        const ir::Value p = element(in, x, i);
        ir::Value v = in.load(p);
        const ir::Value half = in.number(ir::Scalar::f32, 0.5);
        const ir::Value one = in.number(ir::Scalar::f32, 1);
        for (int k = 0; k < steps; k++) {
            v = in.mul(v, half);
            v = in.add(v, one);
        }
        in.store(p, v);
    });
    b.ret();
    return fn;
}

/// Argument slots as abi::Kernel lays them out.
class Args {
  public:
    Args() = default;
    Args(std::initializer_list<uint64_t> slots) {
        for (const uint64_t slot : slots) push(slot);
    }
    Args &scalar(float v) {
        push(std::bit_cast<uint32_t>(v));
        return *this;
    }
    Args &array(const std::vector<float> &v) { return array(v.data(), v.size()); }
    Args &array(const float *p, size_t n) {
        push(reinterpret_cast<uint64_t>(p));
        push(n);
        return *this;
    }
    abi::Launch &record() { return record_.head(); }

  private:
    void push(uint64_t slot) {
        record_.resize(slots_ + 1);
        record_.args()[slots_++] = slot;
    }
    abi::LaunchRecord record_;
    size_t slots_ = 0;
};

} // namespace qd::test
