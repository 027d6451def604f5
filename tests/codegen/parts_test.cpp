// Blocks of thousands of instructions, which the fast tier splits into functions: they have the same results.
#include "run_task.h"

#include "tools/properties.h"
#include "tools/random_function.h"

#include <algorithm>
#include <functional>
#include <string>

using namespace qd;
using test::Launch;

namespace {

/// A task over `%0: array<i32, 1>` that stores `links` numbers of a chain of hashes in the array. `extra` returns text to insert between
/// two of them, given the number of the link and the values so far; ids from `next` on are free.
struct Chain {
    std::string text = "task serial @chain(%0: array<i32, 1>, %1: i32)\n"
                       "    %2: i32 = constant 1664525\n"
                       "    %3: ptr<i32> = array_base %0\n"
                       "    %4: i32 = add %1, %2\n";
    int next = 5, last = 4;

    std::string value() { return "%" + std::to_string(last); }
    int line(const std::string &type, const std::string &rest, const std::string &indent = "    ") {
        text += indent + "%" + std::to_string(next) + ": " + type + " = " + rest + "\n";
        return next++;
    }
    void links(int count) {
        for (int i = 0; i < count; i++) {
            const int product = line("i32", "mul " + value() + ", %2");
            last = line("i32", "bxor %" + std::to_string(product) + ", %4");
        }
    }
    void store(int value, int64_t bytes) {
        const int at = line("i64", "constant " + std::to_string(bytes));
        const int to = line("ptr<i32>", "offset %3, %" + std::to_string(at));
        text += "    store %" + std::to_string(to) + ", %" + std::to_string(value) + "\n";
    }
    ir::Function task() { return test::read_task(text + "    ret\n"); }
    ir::Function fast_math_task() {
        ir::Function fn = task();
        fn.fast_math = true;
        return fn;
    }
    ir::Function range_task() {
        const std::string zero = "%" + std::to_string(next);
        return test::read_task("task range @chain(%0: array<i32, 1>, %1: i32)\n    bounds\n        " + zero +
                               ": i64 = constant 0\n        yield " + zero + ", " + zero + "\n    body\n" + indented() +
                               "        ret\n");
    }
    /// A task whose range is these two values.
    ir::Function bounds_task(int begin, int end) {
        return test::read_task("task range @chain(%0: array<i32, 1>, %1: i32)\n    bounds\n" + indented() +
                               "        yield %" + std::to_string(begin) + ", %" + std::to_string(end) +
                               "\n    body\n        ret\n");
    }

  private:
    std::string indented() const {
        std::string out;
        for (size_t at = text.find('\n') + 1, end; at < text.size(); at = end + 1) {
            end = text.find('\n', at);
            out += "    " + text.substr(at, end + 1 - at);
        }
        return out;
    }
};

size_t functions_called_part(ir::Function task, backends::Tier tier) {
    test::lowering().legalize(task);
    const std::string text = test::lowering().disassemble(task, tier, backends::Listing::given);
    size_t count = 0;
    for (size_t at = 0; (at = text.find("define internal void @part", at)) != std::string::npos; at++) count++;
    return count;
}

/// Both tiers store the same values in the array, and the fast one has this number of parts.
void expect_alike(const ir::Function &task, size_t parts, const std::function<void(Launch &)> &check = {}) {
    EXPECT_EQ(functions_called_part(task, backends::Tier::fast), parts);
    EXPECT_EQ(functions_called_part(task, backends::Tier::best), 0u);
    int32_t found[2][16] = {};
    for (const backends::Tier tier : {backends::Tier::best, backends::Tier::fast}) {
        Launch launch;
        launch.args[0] = reinterpret_cast<uint64_t>(found[tier == backends::Tier::fast]);
        launch.args[2] = 12345;
        launch.run(test::compile(task, tier));
        if (check) check(launch);
    }
    for (int i = 0; i < 16; i++) EXPECT_EQ(found[0][i], found[1][i]) << i;
    EXPECT_NE(found[1][0], 0);
}

} // namespace

TEST(Parts, SmallBlocksAreLeftAlone) {
    Chain chain;
    chain.links(1000);
    chain.store(chain.last, 0);
    expect_alike(chain.task(), 0);
}

TEST(Parts, ValuesCrossFromPartToPart) {
    Chain chain;
    const int zero = chain.line("i32", "constant 0");
    const int odd = chain.line("u1", "lt %1, %" + std::to_string(zero));
    chain.links(800);
    const int middle = chain.last;
    const int early = chain.line("u1", "lt %" + std::to_string(middle) + ", %" + std::to_string(zero));
    chain.links(1600);
    const int chosen = chain.line("i32", "select %" + std::to_string(early) + ", %" + std::to_string(middle) + ", %4");
    const int other = chain.line("i32", "select %" + std::to_string(odd) + ", %" + std::to_string(middle) + ", %4");
    chain.store(chain.last, 0);
    chain.store(chosen, 4);
    chain.store(other, 8);
    chain.store(middle, 12);
    expect_alike(chain.task(), 5);
}

TEST(Parts, LastingMemoryStaysInTheFunctionOfTheBlock) {
    Chain chain;
    chain.links(700);
    const int room = chain.line("ptr<i32, private>", "local !1");
    chain.text += "    store %" + std::to_string(room) + ", " + chain.value() + "\n";
    chain.links(1800);
    const int back = chain.line("i32", "load %" + std::to_string(room));
    chain.store(back, 0);
    chain.store(chain.last, 4);
    expect_alike(chain.task(), 6);
}

TEST(Parts, OnlyTheTaskKnowsTheChunk) {
    Chain chain;
    chain.links(700);
    const int end = chain.line("i64", "chunk_end");
    chain.links(1800);
    const int narrow = chain.line("i32", "cast %" + std::to_string(end));
    chain.store(chain.last, 0);
    chain.store(narrow, 4);
    ir::Function task = chain.range_task();
    expect_alike(task, 6);
    int32_t found[16] = {};
    Launch launch;
    launch.args[0] = reinterpret_cast<uint64_t>(found);
    launch.run(test::compile(task, backends::Tier::fast), 3, 77);
    EXPECT_EQ(found[1], 77);
}

TEST(Parts, ExitsOfTheTaskAreNotMoved) {
    Chain chain;
    chain.links(1200);
    const int zero = chain.line("i32", "constant 0");
    const int all = chain.line("u1", "le %" + std::to_string(zero) + ", %" + std::to_string(zero));
    chain.store(chain.last, 0);
    chain.text += "    if %" + std::to_string(all) + "\n        exit\n    else\n        yield\n";
    chain.links(1200);
    chain.store(chain.last, 4);
    expect_alike(chain.task(), 6);
}

TEST(Parts, QuotientsByRootsThatAnotherPartTook) {
    Chain chain;
    const int square = chain.line("f32", "cast %1");
    const int root = chain.line("f32", "sqrt %" + std::to_string(square));
    const int first = chain.line("f32", "cast %4");
    chain.links(2600);
    const int quotient = chain.line("f32", "div %" + std::to_string(first) + ", %" + std::to_string(root));
    const int whole = chain.line("i32", "cast %" + std::to_string(quotient));
    chain.store(chain.last, 0);
    chain.store(whole, 4);
    expect_alike(chain.fast_math_task(), 6);
}

TEST(Parts, LanesAreCountedWhoseConditionAnotherPartFound) {
    Chain chain;
    chain.links(1);
    const int lanes = chain.line("i32x4", "iota");
    const int all = chain.line("i32x4", "splat " + chain.value());
    const int number = chain.line("i32x4", "mul %" + std::to_string(lanes) + ", %" + std::to_string(all));
    const int limit = chain.line("i32x4", "splat %2");
    const int less = chain.line("u1x4", "lt %" + std::to_string(number) + ", %" + std::to_string(limit));
    const int ones = chain.line("i32x4", "cast %" + std::to_string(less));
    chain.links(1400);
    const int early = chain.line("i32", "reduce_add %" + std::to_string(ones));
    const int late_ones = chain.line("i32x4", "cast %" + std::to_string(less));
    chain.links(1400);
    const int late = chain.line("i32", "reduce_add %" + std::to_string(late_ones));
    chain.store(chain.last, 0);
    chain.store(early, 4);
    chain.store(late, 8);
    expect_alike(chain.task(), 6);
}

TEST(Parts, BoundsOfThousandsOfInstructions) {
    Chain chain;
    chain.links(1500);
    const int sixteen = chain.line("i32", "constant 65535");
    const int small = chain.line("i32", "band " + chain.value() + ", %" + std::to_string(sixteen));
    const int end = chain.line("i64", "cast %" + std::to_string(small));
    const int begin = chain.line("i64", "constant 0");
    const ir::Function fn = chain.bounds_task(begin, end);
    int64_t found[2][2] = {};
    for (const backends::Tier tier : {backends::Tier::best, backends::Tier::fast}) {
        Launch launch;
        launch.args[2] = 12345;
        std::string error;
        const auto code = backends::load_elf(test::compile(fn, tier), &error);
        ASSERT_TRUE(code) << error;
        const qd::abi::Launch &start = launch.start();
        reinterpret_cast<qd::abi::Bounds>(code->symbol(qd::abi::bounds_symbol))(&start, &launch.thread,
                                                                                found[tier == backends::Tier::fast]);
    }
    EXPECT_EQ(found[0][0], found[1][0]);
    EXPECT_EQ(found[0][1], found[1][1]);
    EXPECT_NE(found[1][1], 0);
}

TEST(Parts, RandomFunctionsOfThousandsOfStatementsDoTheSame) {
    size_t cut = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        const ir::Function fn = tools::random_function(seed, {.statements = 6'000, .parallel = seed % 2 == 0});
        for (const ir::Function &task : tools::to_tasks(fn))
            cut += functions_called_part(task, backends::Tier::fast) > 0;
        const tools::Inputs inputs = tools::random_inputs(fn, seed);
        for (const tools::Property &property : tools::backend_properties(backends::cpu, 1e-5))
            EXPECT_EQ(property.check(fn, inputs), "") << property.name << " of seed " << seed;
    }
    EXPECT_GT(cut, 0u);
}
