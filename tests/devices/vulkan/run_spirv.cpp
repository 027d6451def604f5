// Compiles every function of the .qir files with `; test: run` to SPIR-V.
//
//   Valid.*   SPIR-V's validator accepts each module, for devices with and without groups of lanes
//   Run.*     a device executes it with the results of the interpreter, without passes and with the engine's, and with so few blocks that
//             a thread runs several indices; random functions too
//
// An argument restricts them to files whose path contains it.
//
// A function that SPIR-V cannot express is refused in words that are listed here; a new reason is a failure.
#include "analysis/lanes.h"
#include "base/error.h"
#include "codegen/spirv/emit.h"
#include "devices/vulkan/device.h"
#include "ir/qir_file.h"
#include "ir/text.h"
#include "tools/random_function.h"
#include "tools/run_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>

namespace {

using namespace qd;
using namespace qd::tests;

/// The reasons for which functions of the tests are refused.
constexpr const char *reasons[] = {
    "a device has no sparse trees",
    "a device has no vectors",
    "a device has no way to hand a message to the host",
    "a device cannot call a library of the host",
    "a device has no heap for the stacks of derivatives",
    "a launch has no seed for the threads of a device",
    "of f64 would be rounded twice",
    "a pointer into memory of a thread, of a block or to constants is passed on",
    "memory of a thread or of a block is accessed in elements of several sizes",
    "its range is known to its code alone",
    "which the backend",
};

std::string wanted; ///< paths of files contain it

/// A function of a file after the passes of its test, and the runs of it.
struct Case {
    std::string name; ///< of its file
    std::vector<int> lanes;
    ir::Function fn;
    std::vector<std::string> runs;
};

/// The outcomes of a test by name, and how often each occurred.
struct Tally {
    std::map<std::string, int> counts;
    ~Tally() {
        for (const auto &[what, count] : counts) std::cout << "    " << count << "  " << what << "\n";
    }
};

void refuse(Tally &tally, const Case &c, const std::string &why) {
    const auto known = std::ranges::find_if(reasons, [&](const char *r) { return why.find(r) != why.npos; });
    EXPECT_NE(known, std::end(reasons)) << c.name << ": " << why;
    ++tally.counts[std::string("refused: ") + (known == std::end(reasons) ? why.c_str() : *known)];
}

/// Calls `visit` for each function of the files with `; test: run`.
template <class Visit> void for_each_case(const Visit &visit) {
    for (const Path &path : qir_files()) {
        if (path.string().find(wanted) == std::string::npos) continue;
        const File file(path);
        for (const std::string &line : file.lines) {
            const auto kind = directive(line, "test");
            if (!kind || (*kind != "run" && !kind->starts_with("run "))) continue;
            for (ir::Function &fn : run_passes(file, kind->size() > 4 ? kind->substr(4) : "")) {
                Case c{path.string(), file.lanes, std::move(fn), {}};
                for (const std::string &text : file.lines)
                    if (const auto run = directive(text, "run"); run && tools::function_of(*run) == c.fn.name)
                        c.runs.push_back(*run);
                if (!c.runs.empty()) visit(c);
            }
        }
    }
}

void validate(Tally &tally, const Case &c, int lanes, const engine::Stages &stages) {
    const engine::Lowering lowering(backends::spirv, backends::spirv_caps(codegen::spirv::Capabilities::all(), lanes),
                                    true, stages);
    ir::Function kernel = c.fn;
    try {
        lowering.simplify(kernel);
        for (ir::Function &task : tools::to_tasks(kernel, lowering.config())) {
            lowering.lower(task);
            const std::vector<uint8_t> code = lowering.emit(task, backends::Tier::best).code;
            std::vector<uint32_t> words(code.size() / sizeof(uint32_t));
            std::memcpy(words.data(), code.data(), code.size());
            const std::string why = invalid(words);
            EXPECT_EQ(why, "") << c.name << ": " << task.name << "\n" << codegen::spirv::text(words);
            ++tally.counts[why.empty() ? "valid" : "not valid"];
        }
    } catch (const UserError &error) {
        refuse(tally, c, error.what());
    } catch (const InternalError &error) {
        refuse(tally, c, error.what());
    }
}

TEST(Valid, every_module) {
    Tally tally;
    for_each_case([&](const Case &c) {
        for (const int lanes : {0, 32})
            for (const engine::Stages &stages : {engine::Stages{}, engine::all_stages()})
                validate(tally, c, lanes, stages);
    });
    EXPECT_GT(tally.counts["valid"], 0);
}

/// Returns the lanes for a run on this device; nothing if the file needs another number.
std::optional<int> lanes_for(const std::vector<int> &wanted) {
    if (wanted == std::vector{0}) return 0;
    const int own = int(gpu().lanes());
    const bool any = std::ranges::count_if(wanted, [](int n) { return n > 0; }) > 1;
    return any || std::ranges::find(wanted, own) != wanted.end() ? std::optional(own) : std::nullopt;
}

/// Runs a function on the interpreter and on the device.
void compare(Tally &tally, const Case &c, const tools::Inputs &inputs, double tolerance, const std::string &line) {
    for (const bool pipeline : {false, true}) {
        try {
            const tools::Outputs expected = tools::interpret(c.fn, inputs);
            tools::BackendRun how;
            how.backend = &vulkan;
            if (pipeline) how.stages = engine::all_stages();
            const tools::Outputs got = tools::run_on(how, c.fn, inputs);
            const std::string gap = tools::difference(expected, got, tolerance);
            EXPECT_EQ(gap, "") << c.name << (pipeline ? ", pipeline: " : ": ") << line;
            ++tally.counts[gap.empty() ? "right" : "wrong"];
        } catch (const UserError &error) {
            refuse(tally, c, error.what());
        } catch (const InternalError &error) {
            refuse(tally, c, error.what());
        } catch (const std::exception &error) {
            ADD_FAILURE() << c.name << ": " << line << ": " << error.what();
            ++tally.counts["wrong"];
        }
    }
}

/// Devices round functions of floats in their own way.
double own_tolerance(const ir::Function &fn) {
    const auto is_routine = [](const ir::Inst &in) { return (ir::info(in.op).traits & ir::routine) != 0; };
    return std::ranges::any_of(fn.insts, is_routine) ? 1e-6 : 0;
}

void run(Tally &tally, const Case &c, const std::string &line) {
    tools::RunLine run = tools::read_run(line, c.fn);
    const auto lanes = lanes_for(c.lanes);
    if (!lanes) {
        ++tally.counts["left out: needs another number of lanes"];
    } else if (!run.error.empty()) {
        ++tally.counts["left out: an error that devices do not detect"];
    } else {
        run.inputs.lanes = *lanes;
        compare(tally, c, run.inputs, std::max(run.tolerance, own_tolerance(c.fn)), line);
    }
}

void run_all(Grid how, bool only_independent) {
    grid = how;
    std::cout << gpu().name() << ", " << gpu().lanes() << " lanes\n";
    Tally tally;
    for_each_case([&](const Case &c) {
        if (only_independent && analysis::uses_blocks(c.fn, c.fn.body)) return;
        for (const std::string &line : c.runs) run(tally, c, line);
    });
    EXPECT_GT(tally.counts["right"], 0);
}

TEST(Run, every_function) { run_all({}, false); }
/// Code that uses blocks needs a block for each part of the range.
TEST(Run, several_indices_a_thread) { run_all({.most_blocks = 1, .block = 4}, true); }

/// Functions whose threads cooperate are not among them: they depend on what shuffles from absent lanes give.
TEST(Run, random_functions) {
    const char *const number = std::getenv("QD_COUNT"), *const first = std::getenv("QD_SEED");
    const uint64_t begin = first ? std::stoull(first) : 1, count = number ? std::stoull(number) : 100;
    Tally tally;
    for (uint64_t seed = begin; seed < begin + count; ++seed) {
        grid = seed % 2 ? Grid{} : Grid{.most_blocks = 2, .block = 4};
        const Case c{
            "random function " + std::to_string(seed), {}, tools::random_function(seed, {.effects = false}), {}};
        const tools::Inputs inputs = tools::random_inputs(c.fn, seed);
        compare(tally, c, inputs, 0, "its inputs\n" + ir::print(c.fn));
    }
    EXPECT_GT(tally.counts["right"], 0);
}

} // namespace

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc > 1) wanted = argv[1];
    return RUN_ALL_TESTS();
}
