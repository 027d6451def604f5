// qd-opt FILE.qir|--random SEED [--passes=fold,dce] [--emit=ir|llvm|asm|object] [--run "@f(1, 2)"] [--backend NAME]
// [--fast] [--time] [--shrink]
//
// Reads functions, runs passes on each (`offload` cuts kernels into tasks; `kernel` and `task` stand for the engine's two
// stages; `forward` and `reverse` make derivatives, `stacks` is `reverse` with stacks, with the companions that
// tools/companions.h reads), then prints them, compiles them or runs one. --shrink searches for a smaller function that a pass
// or a backend still treats differently from the interpreter, for the runs given by --run or by the file's `; run:` lines.
#include "backends/gpu/gpu.h"
#include "backends/spirv/spirv.h"
#include "base/error.h"
#include "engine/lowering.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tools/companions.h"
#include "tools/properties.h"
#include "tools/random_function.h"
#include "tools/run_line.h"
#include "tools/shrink.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace {

using namespace qd;

struct Arguments {
    std::string file, passes, emit, backend, output;
    std::vector<std::string> runs;
    bool time = false, shrink = false, random = false, fast = false;
    int vector_bytes = 0;
};

const char *const usage =
    "qd-opt FILE.qir (`-`: standard input), or --random SEED: a function as the property tests make it\n"
    "  --passes=A,B     run these passes; `offload` cuts into tasks, `kernel` and `task` are the engine's stages,\n"
    "                   `forward`, `reverse` and `stacks` (reverse mode with stacks) make derivatives\n"
    "  --emit=KIND      ir (default), llvm, asm, object\n"
    "  --fast           emit as the fast tier does\n"
    "  --run \"@f(1, 2)\" run a function and print what it gives; with `== 3` check it\n"
    "  --backend=NAME   where to run (default: interp), what to emit for (default: cpu;\n"
    "                   nvptx and amdgcn: --emit=asm and llvm alone; spirv: asm, and object, which is its words)\n"
    "  --lanes=BYTES    SIMD width that passes may use (default 0)\n"
    "  --time           print how long passes, code generation and launches took\n"
    "  --shrink         make a function that is treated wrongly smaller, and write it down\n"
    "  -o FILE          where the result goes (default: standard output)\n";

Arguments read_arguments(int argc, char **argv) {
    Arguments a;
    for (int i = 1; i < argc; ++i) {
        std::string arg = argv[i], name = arg.substr(0, arg.find('='));
        bool has_value = name.size() < arg.size();
        auto value = [&]() -> std::string {
            if (has_value) return arg.substr(name.size() + 1);
            if (i + 1 >= argc) fail_user(UserErrorKind::runtime, name + " needs a value");
            return argv[++i];
        };
        if (name == "--run") {
            a.runs.push_back(value());
        } else if (name == "--passes") {
            a.passes = value();
        } else if (name == "--emit") {
            a.emit = value();
        } else if (name == "--backend") {
            a.backend = value();
        } else if (name == "--random") {
            a.file = "random function " + value();
            a.random = true;
        } else if (name == "--lanes") {
            a.vector_bytes = std::stoi(value());
        } else if (name == "--fast") {
            a.fast = true;
        } else if (name == "--time") {
            a.time = true;
        } else if (name == "--shrink") {
            a.shrink = true;
        } else if (name == "-o") {
            a.output = value();
        } else if (a.file.empty() && (arg == "-" || arg[0] != '-')) {
            a.file = arg;
        } else {
            fail_user(UserErrorKind::runtime, "unknown option " + arg + "\n" + usage);
        }
    }
    if (a.file.empty()) fail_user(UserErrorKind::runtime, usage);
    return a;
}

std::string read_text(const std::string &file) {
    if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_user(UserErrorKind::runtime, "cannot read " + file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<ir::Function> read_functions(const std::string &file, const std::string &text) {
    ir::ParseResult read = ir::parse(text);
    if (read.error)
        fail_user(UserErrorKind::syntax, file + ":" + std::to_string(read.error->line) + ":" +
                                             std::to_string(read.error->column) + ": " + read.error->message);
    for (const ir::Function &fn : read.functions)
        if (auto problems = ir::verify(fn); !problems.empty())
            fail_user(UserErrorKind::syntax, file + " is not well formed:\n" + ir::explain(fn, problems));
    return std::move(read.functions);
}

struct Timer : passes::Observer {
    void after(const passes::Pass &pass, const ir::Function &fn, bool changed, double microseconds) override {
        std::cerr << "  " << fn.name << ": " << pass.name << " " << microseconds << " us"
                  << (changed ? "" : " (unchanged)") << "\n";
    }
};

std::vector<ir::Function> run_passes(const Arguments &a, std::vector<ir::Function> functions, const std::string &text) {
    passes::Config config;
    config.vector_bytes = a.vector_bytes;
    Timer timer;
    std::istringstream in(a.passes);
    for (std::string name; std::getline(in, name, ',');) {
        if (name == "offload") {
            std::vector<ir::Function> tasks;
            for (const ir::Function &fn : functions)
                for (ir::Function &task : passes::offload(fn, config)) tasks.push_back(std::move(task));
            functions = std::move(tasks);
            continue;
        }
        if (name == "forward" || name == "reverse" || name == "stacks") {
            const autodiff::Mode mode = name == "forward" ? autodiff::Mode::forward : autodiff::Mode::reverse;
            const autodiff::Stacks stacks{.enabled = name == "stacks"};
            for (ir::Function &fn : functions)
                fn = autodiff::differentiate(fn, tools::read_companions(text, fn), mode, stacks);
            continue;
        }
        const passes::Pass *one = passes::find(name);
        std::span<const passes::Pass> list = name == "kernel" ? engine::kernel_stage()
                                             : name == "task" ? engine::task_stage()
                                             : one            ? std::span(one, 1)
                                                              : std::span<const passes::Pass>();
        if (list.empty()) {
            std::string known = "offload, forward, reverse, stacks, kernel, task";
            for (const passes::Pass &p : passes::all()) known += ", " + std::string(p.name);
            fail_user(UserErrorKind::name, "there is no pass `" + name + "`; there are: " + known);
        }
        for (ir::Function &fn : functions) passes::run(list, fn, config, true, a.time ? &timer : nullptr);
    }
    return functions;
}

const backends::Backend &backend_of(const Arguments &a, const backends::Backend &usual) {
    if (a.backend.empty()) return usual;
    const backends::Backend *found = backends::find(a.backend);
    for (const backends::Backend *device : {&backends::nvptx, &backends::amdgcn, &backends::spirv})
        if (device->name == a.backend) found = device;
    if (!found) fail_user(UserErrorKind::name, "there is no backend `" + a.backend + "`");
    return *found;
}

/// Returns the machine code or text of one task.
std::string compile(const Arguments &a, const engine::Lowering &lowering, const ir::Function &fn) {
    const backends::Tier tier = a.fast ? backends::Tier::fast : backends::Tier::best;
    if (a.emit == "llvm") return lowering.disassemble(fn, tier, backends::Listing::intermediate);
    if (a.emit == "asm") return lowering.disassemble(fn, tier, backends::Listing::machine);
    const std::vector<uint8_t> code = lowering.emit(fn, tier).code;
    return {code.begin(), code.end()};
}

std::string emit(const Arguments &a, const std::vector<ir::Function> &functions) {
    std::string text;
    for (const ir::Function &fn : functions) {
        if (a.emit.empty() || a.emit == "ir") {
            text += ir::print(fn);
            continue;
        }
        if (a.emit != "llvm" && a.emit != "asm" && a.emit != "object")
            fail_user(UserErrorKind::name, "--emit is one of ir, llvm, asm, object");
        const backends::Backend &backend = backend_of(a, backends::cpu);
        const engine::Lowering lowering(backend, backend.caps(0), true);
        for (ir::Function &task : tools::to_tasks(fn, lowering.config())) {
            lowering.legalize(task);
            text += compile(a, lowering, task);
        }
    }
    return text;
}

const ir::Function &function_for(const std::vector<ir::Function> &functions, const std::string &line) {
    std::string name = tools::function_of(line);
    auto found =
        std::find_if(functions.begin(), functions.end(), [&](const ir::Function &f) { return f.name == name; });
    if (found == functions.end()) fail_user(UserErrorKind::name, "there is no function @" + name);
    return *found;
}

bool run_line(const Arguments &a, const std::vector<ir::Function> &functions, const std::string &line) {
    const ir::Function &fn = function_for(functions, line);
    tools::RunLine run = tools::read_run(line, fn);
    tools::BackendRun how;
    how.backend = &backend_of(a, backends::interp);
    how.repeat = a.time ? 10 : 1;
    tools::Timing timing;
    tools::Outputs got = tools::run_on(how, fn, run.inputs, &timing);
    std::cout << tools::write_run(run, fn, got) << "\n";
    if (a.time) std::cerr << "  compiled in " << timing.compile_us << " us, ran in " << timing.launch_us << " us\n";
    std::string gap = tools::check_run(run, got);
    if (!gap.empty()) std::cout << "  " << gap << "\n";
    return gap.empty();
}

void shrink_line(const Arguments &a, const std::vector<ir::Function> &functions, const std::string &line) {
    const ir::Function &fn = function_for(functions, line);
    tools::RunLine run = tools::read_run(line, fn);
    std::vector<tools::Property> list = tools::pass_properties(a.vector_bytes);
    for (const backends::Backend *backend : backends::all())
        if (tools::why_not(*backend).empty() && backend != &backends::interp)
            for (tools::Property &p : tools::backend_properties(*backend, run.tolerance)) list.push_back(std::move(p));
    for (const tools::Property &p : list) {
        std::string why = p.check(fn, run.inputs);
        if (why.empty()) continue;
        ir::Function small = tools::shrink(fn, [&](const ir::Function &f) { return !p.check(f, run.inputs).empty(); });
        std::string path = tools::write_case(p.name, small, run.inputs, p.name + ": " + p.check(small, run.inputs));
        std::cout << p.name << " goes wrong on " << line << "; shrunk, in " << path << ":\n" << ir::print(small);
        return;
    }
    std::cout << "nothing goes wrong on " << line << "\n";
}

int run(const Arguments &a) {
    std::string text = a.random ? ir::print(tools::random_function(std::stoull(a.file.substr(16)))) : read_text(a.file);
    std::vector<ir::Function> functions = run_passes(a, read_functions(a.file, text), text);
    std::vector<std::string> runs = a.runs;
    if (a.shrink && runs.empty()) {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            if (line.rfind("; run: ", 0) == 0) runs.push_back(line.substr(7));
    }
    bool good = true;
    for (const std::string &line : runs) {
        if (a.shrink)
            shrink_line(a, functions, line);
        else
            good = run_line(a, functions, line) && good;
    }
    if (runs.empty() || !a.emit.empty()) {
        std::string out = emit(a, functions);
        if (a.output.empty())
            std::cout << out;
        else
            std::ofstream(a.output, std::ios::binary) << out;
    }
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(read_arguments(argc, argv));
    } catch (const std::exception &e) {
        std::cerr << "qd-opt: " << e.what() << "\n";
        return 2;
    }
}
