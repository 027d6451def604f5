// Random loops that can be vectorised (loads near and far, branches, inner loops, sums, stores to the iteration's own element) have the
// same results after the engine's pipeline, at every vector width, and on every backend that can run here.
#include "analysis/walk.h"
#include "engine/pipeline.h"
#include "ir/builder.h"
#include "ir/print.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tools/execute.h"
#include "tools/random_numbers.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace qd;
using namespace qd::ir;
using namespace qd::tools;

constexpr int64_t extent = 100;

/// Builds one kernel: a parallel loop over random statements.
class LoopMaker {
  public:
    explicit LoopMaker(uint64_t seed) : random_(seed) {}

    Function make() {
        fn_.name = "k";
        fn_.body = fn_.make_block();
        real_ = random_.chance(70) ? Scalar::f32 : Scalar::f64;
        int_ = random_.chance(60) ? Scalar::i32 : random_.chance(50) ? Scalar::i64 : Scalar::i16;
        Value x = param(real_);
        trips_ = param(Scalar::i32);
        for (int k = 0; k < 3; ++k) inputs_.push_back(param(Type::array(random_.chance(70) ? real_ : int_, 1, rows())));
        for (int k = 0; k < 3; ++k) outputs_.push_back(param(Type::array(k == 1 ? int_ : real_, 1, rows())));
        sums_ = param(Type::array(Scalar::i32, 1));

        Builder b(fn_, fn_.body);
        zero_ = b.i32(0);
        Value hi = b.i32(int32_t(random_.between(30, 90)));
        Value loop = b.parallel(std::vector{zero_, hi}, {});
        Builder in(fn_, fn_[loop].blocks[0]);
        index_ = fn_[in.block].params[0];
        for (Value v : {x, in.integer(real_, 3), in.integer(int_, 2), index_, trips_})
            known(fn_.type(v).elem).push_back(v);
        for (int64_t n = random_.between(4, 33); n > 0; --n) statement(in, index_);
        in.yield();
        b.ret();
        return std::move(fn_);
    }

  private:
    std::vector<Value> &known(Scalar s) { return known_[size_t(s)]; }
    Value any(Scalar s) { return random_.of(known(s)); }
    int rows() { return random_.chance(60) ? 1 : 2; }
    Value param(Type t) {
        Inst inst;
        inst.op = Op::param;
        inst.type = t;
        fn_.params.push_back(fn_.make(inst));
        return fn_.params.back();
    }
    void keep(Value v) { known(fn_.type(v).elem).push_back(v); }

    Value address(Builder &b, Value array, Value index) {
        Value component = b.i32(int32_t(random_.below(fn_.type(array).rows)));
        return b.element(array, std::span(&index, 1), component);
    }

    /// Loads at the index itself, next to it, at a uniform or at a distant index.
    Value near(Builder &b, Value index) {
        uint64_t roll = random_.below(8);
        if (roll == 0) {
            Value c = b.i32(int32_t(random_.below(3)));
            return b.add(index, c);
        }
        if (roll == 1) return trips_;
        if (roll > 2) return index;
        Value factor = b.i32(int32_t(random_.between(1, 5)));
        Value far = b.mul(index, factor);
        Value n = b.i32(40);
        return b.mod(far, n);
    }

    void statement(Builder &b, Value index) {
        if (--budget_ < 0) return;
        Scalar t = random_.chance(60) ? real_ : int_;
        bool has_condition = !known(Scalar::u1).empty();
        switch (random_.below(10)) {
        case 0:
        case 1: {
            Value from = random_.of(inputs_);
            Value at = near(b, index);
            Value p = address(b, from, at);
            return keep(b.load(p));
        }
        case 2: {
            Op op = random_.of(std::array{Op::add, Op::sub, Op::mul, Op::min, Op::max, Op::lt, Op::eq});
            return keep(b.emit(op, {any(t), any(t)}));
        }
        case 3: return keep(b.emit(Op::add, {any(t), any(t)}));
        case 4: return has_condition ? keep(b.emit(Op::select, {any(Scalar::u1), any(t), any(t)})) : void();
        case 5: return keep(b.cast(any(t), t == real_ ? int_ : real_));
        case 6: {
            Value to = random_.of(outputs_);
            Value p = address(b, to, index_);
            b.store(p, any(fn_.type(to).elem));
            return;
        }
        case 7: return has_condition && depth_ < 3 ? branch(b, index) : void();
        case 8: return depth_ < 2 ? inner_loop(b, index) : void();
        default: {
            Value p = b.element(sums_, std::span(&zero_, 1), zero_);
            b.atomic_add(p, any(Scalar::i32));
        }
        }
    }

    /// Adds statements whose values are then out of scope; ends with a yield of one value.
    void inside(Builder &b, Value index, int64_t statements) {
        std::array<size_t, 16> before;
        for (size_t s = 0; s < known_.size(); ++s) before[s] = known_[s].size();
        ++depth_;
        while (statements-- > 0) statement(b, index);
        --depth_;
        Value last = any(real_);
        b.yield(std::span(&last, 1));
        for (size_t s = 0; s < known_.size(); ++s) known_[s].resize(before[s]);
    }

    void branch(Builder &b, Value index) {
        Value v = b.if_(any(Scalar::u1));
        for (BlockId side : {fn_[v].blocks[0], fn_[v].blocks[1]}) {
            Builder in(fn_, side);
            inside(in, index, int64_t(random_.below(5)));
        }
        keep(fn_.add_result(v, real_));
    }

    void inner_loop(Builder &b, Value index) {
        Value hi = random_.chance(50) ? b.i32(int32_t(random_.below(6))) : trips_;
        Value init = any(real_);
        Value v = b.for_(zero_, hi, std::span(&init, 1), {});
        Builder in(fn_, fn_[v].blocks[0]);
        Value inner = fn_[in.block].params[0], carried = fn_[in.block].params[1];
        keep(inner);
        keep(carried);
        inside(in, random_.chance(50) ? inner : index, int64_t(random_.below(6)));
        for (Value p : {carried, inner}) std::erase(known(fn_.type(p).elem), p);
        keep(fn_.results(v)[0]);
    }

    Numbers random_;
    Function fn_;
    Scalar real_ = Scalar::f32, int_ = Scalar::i32;
    Value trips_, sums_, zero_, index_;
    std::vector<Value> inputs_, outputs_;
    std::array<std::vector<Value>, 16> known_; ///< values in scope, by scalar type
    int budget_ = 40, depth_ = 0;
};

Inputs inputs_for(const Function &fn, uint64_t seed) {
    Numbers random(seed);
    Inputs inputs;
    for (Value p : fn.params) {
        Type t = fn.type(p);
        if (!t.is_array()) {
            inputs.scalars.push_back(from_int(t.elem, random.between(1, 7)));
            continue;
        }
        Array array = make_array(t, {extent});
        size_t size = size_t(size_of(t.elem));
        for (size_t at = 0; at < array.bytes.size(); at += size) {
            Constant c = from_int(t.elem, random.between(-8, 8));
            std::memcpy(array.bytes.data() + at, &c.bits, size);
        }
        inputs.arrays.push_back(std::move(array));
    }
    return inputs;
}

bool vectorises(const Function &fn, int vector_bytes) {
    passes::Config config;
    config.vector_bytes = vector_bytes;
    bool any = false;
    for (Function &task : to_tasks(fn))
        for (const passes::Pass &pass : engine::task_stage()) any |= pass.run(task, config) && pass.name == "vectorize";
    return any;
}

std::string check(const backends::Backend &backend, std::optional<int> vector_bytes, const Function &fn,
                  uint64_t seed) {
    BackendRun how;
    how.backend = &backend;
    how.vector_bytes = vector_bytes;
    how.stages = engine::all_stages();
    Inputs inputs = inputs_for(fn, seed);
    return difference(interpret(fn, inputs), run_on(how, fn, inputs), 0);
}

TEST(Vectorize, RandomLoopsOnTheInterpreter) {
    int vectorised = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        Function fn = LoopMaker(seed).make();
        ASSERT_TRUE(verify(fn).empty()) << explain(fn, verify(fn));
        const int vector_bytes = seed % 3 == 0 ? 16 : seed % 3 == 1 ? 32 : 64;
        vectorised += vectorises(fn, vector_bytes);
        ASSERT_EQ(check(backends::interp, vector_bytes, fn, seed), "")
            << "seed " << seed << ", " << vector_bytes << " bytes\n"
            << print(fn);
    }
    EXPECT_GT(vectorised, 150); // otherwise the test is void
}

TEST(Vectorize, RandomLoopsOnOtherBackends) {
    for (const backends::Backend *backend : backends::all()) {
        if (backend == &backends::interp) continue;
        if (std::string why = backend->missing(); !why.empty()) GTEST_SKIP() << backend->name << ": " << why;
        for (uint64_t seed = 1001; seed <= 1020; ++seed) {
            Function fn = LoopMaker(seed).make();
            ASSERT_EQ(check(*backend, std::nullopt, fn, seed), "") << "seed " << seed << " on " << backend->name << "\n"
                                                                   << print(fn);
        }
    }
}

} // namespace

namespace {

/// Returns the number of loops of the vectorised task for `y[i] = x[i]` multiplied by itself so many times.
size_t loops_of(int products) {
    std::string text = R"(task range @k(%0: array<f32, 1>, %1: array<f32, 1>)
    bounds
        %2: i64 = constant 0
        yield %2, %2
    body
        %3: i64 = chunk_begin
        %4: i64 = chunk_end
        %5: i32 = cast %3
        %6: i32 = cast %4
        %7: ptr<f32> = array_base %0
        %8: ptr<f32> = array_base %1
        %9: i64 = constant 4
        for %5, %6 {vectorize} (%11: i32)
            %12: i64 = cast %11
            %13: i64 = mul %12, %9
            %14: ptr<f32> = offset %7, %13
            %15: ptr<f32> = offset %8, %13
            %20: f32 = load %14
)";
    for (int i = 21; i < 21 + products; ++i)
        text += "            %" + std::to_string(i) + ": f32 = mul %20, %" + std::to_string(i - 1) + "\n";
    text += "            store %15, %" + std::to_string(20 + products) + "\n            yield\n        ret\n";
    ParseResult parsed = parse(text);
    EXPECT_FALSE(parsed.error);
    Function &fn = parsed.functions.at(0);
    passes::Config config;
    config.vector_bytes = 64;
    EXPECT_TRUE(passes::vectorize(fn, config));
    EXPECT_TRUE(verify(fn).empty());
    size_t loops = 0;
    analysis::walk(fn, [&](Value v) { loops += fn[v].op == Op::for_; });
    return loops;
}

} // namespace

TEST(Vectorize, ALongBodyHasOneCopy) {
    EXPECT_EQ(loops_of(100), 2u); // the remainder loop runs single iterations
    EXPECT_EQ(loops_of(1000), 1u);
}

namespace {

/// Returns the largest number of lanes of any value in a loop with products and branches over `x` and `y`, after the engine's passes.
/// `strided`: it stores to one component of two. `counts`: each branch is counted.
int lanes_of(bool strided, int products, int branches, bool counts) {
    std::string text = "fn @k(%0: array<f32, 1>, %1: array<f32, 1, " + std::string(strided ? "2x1" : "1x1") + ">)\n";
    for (int k = 0; counts && k <= branches; k++) text += "    counter " + std::to_string(k) + " line\n";
    text += R"(    %2: i32 = constant 0
    %3: i64 = constant 1
    %4: i32 = dim %0 !0
    %5: f32 = constant 0
    parallel %2, %4 (%6: i32)
        %7: ptr<f32> = element %0, %6, %2
        %8: f32 = load %7
        %9: u1 = gt %8, %5
        %10: ptr<f32> = element %1, %6, %2
)";
    for (int k = 0; k < products; k++)
        text += "        %" + std::to_string(101 + k) + ": f32 = mul %8, %" + std::to_string(k ? 100 + k : 8) + '\n';
    const std::string stored = std::to_string(products ? 100 + products : 8);
    if (counts) text += "        count %3 !0\n";
    for (int k = 1; k <= branches; k++) {
        const std::string n = std::to_string(10 + 3 * k), at = std::to_string(11 + 3 * k),
                          is = std::to_string(12 + 3 * k);
        text += "        %" + n + ": f32 = constant " + std::to_string(k) + "\n        %" + at +
                ": f32 = load %10\n        %" + is + ": u1 = gt %" + at + ", %" + n + "\n        if %" + is + '\n';
        if (counts) text += "            count %3 !" + std::to_string(k) + '\n';
        text += "            store %10, %" + stored + "\n            yield\n";
    }
    text += "        yield\n    ret\n";
    ParseResult parsed = parse(text);
    EXPECT_FALSE(parsed.error) << text;
    passes::Config config;
    config.vector_bytes = 64;
    Function &kernel = parsed.functions.at(0);
    for (const passes::Pass &pass : engine::kernel_stage()) pass.run(kernel, config);
    Function task = passes::offload(kernel, config).at(0);
    for (const passes::Pass &pass : engine::task_stage()) pass.run(task, config);
    EXPECT_TRUE(verify(task).empty());
    int lanes = 1;
    analysis::walk(task, [&](Value v) { lanes = std::max(lanes, int(task.type(v).lanes)); });
    return lanes;
}

} // namespace

TEST(Vectorize, CountedLoopsAreVectorisedLikeOthers) {
    for (const bool counts : {false, true}) {
        EXPECT_EQ(lanes_of(false, 2, 3, counts), 16) << counts;
        EXPECT_EQ(lanes_of(true, 4, 5, counts), 1) << counts;
        EXPECT_EQ(lanes_of(true, 40, 2, counts), 16) << counts;
    }
}
