#include "tools/properties.h"

#include "analysis/lanes.h"
#include "base/error.h"
#include "ir/hash.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace qd::tools {

using namespace ir;

namespace {

std::string check_text(const Function &fn, const Inputs &) {
    std::string text = print(fn);
    ParseResult read = parse(text);
    if (read.error) return "the printed text cannot be read: " + read.error->message + "\n" + text;
    if (std::string again = print(read.functions.at(0)); again != text) return "prints differently:\n" + again;
    if (content_hash(read.functions[0]) != content_hash(fn)) return "the hash differs after printing and reading";
    return "";
}

std::string problems_of(const Function &fn) {
    std::vector<Problem> problems = verify(fn);
    return problems.empty() ? "" : "not well formed:\n" + explain(fn, problems);
}

/// True if the pass is for targets without groups of threads.
bool for_threads_alone(const passes::Pass &pass) { return pass.run == passes::lower_blocks; }

/// The atomics of a target that has only compare-and-exchange of words.
passes::Atomics exchanges() {
    passes::Atomics atomics = passes::Atomics::none();
    atomics.add(Op::atomic_cas, Scalar::u32);
    atomics.add(Op::atomic_cas, Scalar::u64);
    return atomics;
}

/// Checks a pass on the whole kernel: the function stays well formed and its results the same, and it changes only if the pass says so.
std::string check_pass(const passes::Pass &pass, const passes::Config &given, const Function &fn,
                       const Inputs &inputs) {
    passes::Config config = given;
    config.lanes = inputs.lanes;
    Function changed = fn;
    bool reported = pass.run(changed, config);
    if (std::string text = problems_of(changed); !text.empty()) return text;
    if (!reported && print(changed) != print(fn)) return "changed the function and says it did not:\n" + print(changed);
    std::string gap = difference(interpret(fn, inputs), interpret(changed, inputs, &fn), 0);
    return gap.empty() ? "" : gap + "\nafter the pass:\n" + print(changed);
}

/// Checks the tasks of a kernel on the interpreter.
std::string check_tasks(BackendRun how, const Function &fn, const Inputs &inputs) {
    how.backend = &backends::interp;
    if (analysis::uses_blocks(fn, fn.body)) how.lanes = 0; // its ranges are made for the threads of `inputs`
    try {
        return difference(interpret(fn, inputs), run_on(how, fn, inputs), 0);
    } catch (const std::exception &e) {
        return e.what();
    }
}

/// Checks that a backend without groups of threads refuses a function that needs them.
std::string check_refused(const BackendRun &how, const Function &fn, const Inputs &inputs) {
    if (!analysis::needs_lanes(fn)) return "";
    try {
        run_on(how, fn, inputs);
    } catch (const UserError &) {
        return "";
    }
    return "code with lanes was not refused";
}

/// Checks that the simplifying passes reach a fixed point within eight repetitions.
std::string check_idempotent(const Function &fn, const Inputs &) {
    static const passes::Pass list[] = {*passes::find("promote"), *passes::find("fold"), *passes::find("cse"),
                                        *passes::find("dce")};
    Function once = fn;
    passes::Config config;
    std::string before;
    for (int round = 0; round < 8; ++round) {
        for (const passes::Pass &pass : list) pass.run(once, config);
        std::string after = print(once);
        if (after == before) return "";
        before = after;
    }
    return "the simplifying passes still change the function after eight rounds:\n" + before;
}

/// Checks that coverage changes nothing but its counts.
std::string check_without_counts(const Function &fn, const Inputs &inputs) {
    Function clean = fn;
    passes::drop_counts(clean);
    if (std::string text = problems_of(clean); !text.empty()) return text;
    auto expected = interpret(fn, inputs), found = interpret(clean, inputs);
    expected.counters.clear();
    std::string gap = difference(expected, found, 0);
    return gap.empty() ? "" : gap + "\nwithout counts:\n" + print(clean);
}

} // namespace

std::vector<Property> text_properties() { return {{"text", check_text}}; }

std::vector<Property> pass_properties(int vector_bytes) {
    std::vector<Property> list;
    for (const passes::Pass &pass : passes::all()) {
        passes::Config config;
        config.vector_bytes = vector_bytes;
        config.atomics = exchanges();
        config.elements = true;
        list.push_back({"pass_" + std::string(pass.name), [=](const Function &fn, const Inputs &inputs) {
                            if (inputs.lanes && for_threads_alone(pass)) return std::string();
                            return check_pass(pass, config, fn, inputs);
                        }});
        list.push_back({"task_" + std::string(pass.name), [=](const Function &fn, const Inputs &inputs) {
                            if (inputs.lanes && for_threads_alone(pass)) return std::string();
                            const passes::Pass with[] = {*passes::find("chunk_ranges"), pass};
                            BackendRun how;
                            how.stages = {{}, with, {}};
                            how.vector_bytes = vector_bytes;
                            how.atomics = exchanges();
                            how.elements = true;
                            return check_tasks(how, fn, inputs);
                        }});
    }
    const auto on_tasks = [&](std::string name, const BackendRun &how) {
        list.push_back(
            {std::move(name), [=](const Function &fn, const Inputs &inputs) { return check_tasks(how, fn, inputs); }});
    };
    // Checks the cut into tasks alone, and with all stages behind it.
    const auto on_cut = [&](const std::string &cut, const std::string &all, BackendRun how) {
        on_tasks(cut, how);
        how.stages = engine::all_stages();
        on_tasks(all, how);
    };
    BackendRun chunks;
    chunks.vector_bytes = vector_bytes;
    on_cut("offload", "pipeline", chunks);
    BackendRun found;
    found.bounds_from_tasks = true;
    found.vector_bytes = 0;
    on_cut("bounds_from_tasks", "bounds_from_tasks_pipeline", found);
    BackendRun grid;
    grid.grid = true;
    grid.vector_bytes = 0;
    on_cut("grid", "grid_pipeline", grid);
    grid.covers = true;
    on_cut("covers", "covers_pipeline", grid);
    grid.atomics = exchanges();
    grid.lanes = 8;
    grid.elements = true;
    on_cut("device", "device_pipeline", grid);
    list.push_back({"simplify_settles", check_idempotent});
    list.push_back({"without_counts", check_without_counts});
    return list;
}

std::vector<Property> backend_properties(const backends::Backend &backend, double tolerance) {
    std::vector<Property> list;
    struct Way {
        const char *name;
        backends::Tier tier;
        bool pipeline;
        int threads;
    };
    for (Way way : {Way{"_plain", backends::Tier::fast, false, 1}, Way{"_fast", backends::Tier::fast, true, 1},
                    Way{"_best", backends::Tier::best, true, 1}, Way{"_threads", backends::Tier::fast, true, 3}}) {
        auto check = [=, &backend](const Function &fn, const Inputs &inputs) -> std::string {
            BackendRun how;
            how.backend = &backend;
            how.tier = way.tier;
            how.threads = way.threads;
            how.weight = way.threads > 1 ? 1e6f : 1;
            if (way.pipeline) how.stages = engine::all_stages();
            if (inputs.lanes && !backend.caps(0).lanes) return check_refused(how, fn, inputs);
            try {
                return difference(interpret(fn, inputs), run_on(how, fn, inputs), tolerance);
            } catch (const std::exception &e) {
                return e.what();
            }
        };
        list.push_back({std::string(backend.name) + way.name, check});
    }
    return list;
}

} // namespace qd::tools
