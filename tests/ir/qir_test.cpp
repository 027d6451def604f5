// Runs every .qir file in tests/. The first lines are directives; the expectation is in the same file:
//
//   ; test: print                   the printer's output is the text after `; =>`, each line a comment
//   ; test: verify                  `; error: words` at the end of each guilty line, nothing else wrong
//   ; test: fold,dce                the functions after these passes, after `; =>`
//   ; test: offload                 the tasks, after `; =>`; `offload,chunk_ranges` runs passes on each task
//   ; test: reverse,dce             derivatives are passes too: `; companions: @f 0=1 %0=%2` (tools/companions.h)
//   ; test: stacks,dce              reverse mode with stacks; `checkpoints`: with a budget of 24 bytes for them
//   ; test: run                     lines `; run: @f(2, 3) == 10` (tools/run_line.h), on the interpreter, then on each
//                                   backend that can run here and on `far`, without passes and with the engine's
//   ; test: run reverse             the same for the functions after these passes
//   ; test: code                    the code of devices contains the texts of lines `; nvptx: ld.global`, `; amdgcn: s_barrier` or
//                                   `; spirv: OpIAdd`; `error: words` stands for a refusal of a function
//   ; capabilities: Int64 Int8      those of the device for SPIR-V; all if not given
//   ; lanes: 8 32                   the lanes of a group on the target; runs are repeated for each number. 0 if not given: each
//                                   thread is alone. Targets without groups must refuse code that needs lanes
//   ; vector_bytes: 32              the vector size of the target (0 if not given)
//   ; bounds_from_tasks: yes        a task stores a range that depends on data in the tmp buffer
//   ; grid: yes                     the target's threads run a range like the threads of a grid. `covers`: each runs one index
//   ; atomics: add.i32 cas.u32      the atomics that the target executes; all if not given
//   ; elements: yes                 private and shared memory of the target have no byte addresses
//
// Runs take the last three on backends that have groups.
// A file may have several tests, one line each, but only one with `; =>`. QD_BLESS=1 rewrites expectations.
#include "analysis/lanes.h"
#include "backends/gpu/gpu.h"
#include "backends/spirv/spirv.h"
#include "base/error.h"
#include "engine/lowering.h"
#include "engine/pipeline.h"
#include "ir/qir_file.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tools/run_line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

namespace {

using namespace qd;
using namespace qd::tests;

const char *const how_to_bless = "\nIf the new text is right, run the tests again with QD_BLESS=1 and review the diff.";

std::map<std::string, int> skipped; ///< backend -> number of skipped runs

bool blessing() {
    const char *text = std::getenv("QD_BLESS");
    return text && std::string(text) == "1";
}

void write_file(const Path &path, const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

/// Compares with the text after `; =>`, or replaces it.
void expect_text(const File &file, const std::string &text) {
    if (file.expected && *file.expected == text) return;
    if (blessing()) {
        std::string all = file.input + "; =>\n";
        for (const std::string &line : lines_of(text)) all += line.empty() ? ";\n" : "; " + line + "\n";
        return write_file(file.path, all);
    }
    EXPECT_EQ(file.expected.value_or("(nothing: there is no `; =>`)\n"), text) << file.path.string() << how_to_bless;
}

void test_print(const File &file) {
    std::string text;
    for (const ir::Function &fn : parse(file)) text += ir::print(fn);
    ir::ParseResult again = ir::parse(text);
    EXPECT_FALSE(again.error) << text;
    std::string second;
    for (const ir::Function &fn : again.functions) second += ir::print(fn);
    EXPECT_EQ(text, second) << "print after parse is not the identity";
    expect_text(file, text);
}

bool is_code(const std::string &line) { return !trimmed(line).empty() && trimmed(line)[0] != ';'; }

/// Returns the number of the code line and the message of each problem, as `explain` shows them.
std::vector<std::pair<int, std::string>> shown_problems(const std::string &listing) {
    std::vector<std::pair<int, std::string>> list;
    int code = 0;
    for (const std::string &line : lines_of(listing)) {
        if (auto message = directive(line, "^ error"))
            list.emplace_back(code, *message);
        else if (is_code(line))
            ++code;
    }
    return list;
}

void test_verify(const File &file) {
    std::string listing;
    for (const ir::Function &fn : parse(file)) listing += ir::explain(fn, ir::verify(fn));
    std::vector<std::pair<int, std::string>> found = shown_problems(listing), wanted;
    std::string blessed;
    int code = 0;
    for (const std::string &line : file.lines) {
        size_t mark = line.find("; error:");
        if (is_code(line)) ++code;
        for (size_t at = mark; at != line.npos;) {
            size_t next = line.find("; error:", at + 1);
            wanted.emplace_back(code, trimmed(line.substr(at + 8, next - at - 8)));
            at = next;
        }
        std::string text = is_code(line) ? line.substr(0, mark) : line;
        text.erase(text.find_last_not_of(' ') + 1);
        if (is_code(line))
            for (auto &[at, message] : found)
                if (at == code) text += "  ; error: " + message;
        blessed += text + "\n";
    }
    if (found == wanted) return;
    if (blessing()) return write_file(file.path, blessed);
    ADD_FAILURE() << file.path.string() << ": expected\n" << blessed << how_to_bless;
}

void test_passes(const File &file, const std::string &list) {
    const std::vector<ir::Function> functions = run_passes(file, list);
    std::string text;
    for (const ir::Function &fn : functions) text += ir::print(fn);
    expect_text(file, text);
}

/// The outcome of a run: results, or the text of a UserError.
struct Ran {
    tools::Outputs outputs;
    std::string error;
};

template <class Call> Ran ran(const Call &call) {
    try {
        return {call(), ""};
    } catch (const UserError &error) {
        return {{}, error.what()};
    }
}

std::string gap(const tools::RunLine &run, const Ran &expected, const Ran &got) {
    if (expected.error != got.error) return "error \"" + got.error + "\" instead of \"" + expected.error + "\"";
    return expected.error.empty() ? tools::difference(expected.outputs, got.outputs, run.tolerance) : "";
}

/// True if the backend must refuse the function: it has no groups of threads.
bool is_refused(const backends::Backend &backend, const ir::Function &fn, const tools::RunLine &run) {
    if (!analysis::needs_lanes(fn) || backend.caps(0).lanes) return false;
    tools::BackendRun how;
    how.backend = &backend;
    const Ran got = ran([&] { return tools::run_on(how, fn, run.inputs); });
    EXPECT_NE(got.error.find("lanes of a group of threads"), std::string::npos) << backend.name << got.error;
    return true;
}

/// Runs a line on the backends; on those without groups of threads only if each thread is alone.
void run_on_backends(const File &file, const ir::Function &fn, const tools::RunLine &run, const Ran &oracle) {
    const int lanes = run.inputs.lanes;
    std::vector<const backends::Backend *> everywhere(backends::all().begin(), backends::all().end());
    everywhere.push_back(&backends::far);
    for (const backends::Backend *backend : everywhere) {
        if (std::string why = tools::why_not(*backend); !why.empty()) {
            ++skipped[std::string(backend->name) + ": " + why];
            continue;
        }
        if (is_refused(*backend, fn, run) || (lanes && !backend->caps(0).lanes)) continue;
        for (bool pipeline : {false, true}) {
            tools::BackendRun how;
            how.backend = backend;
            how.tier = pipeline ? backends::Tier::best : backends::Tier::fast;
            if (pipeline) how.stages = engine::all_stages();
            if (backend->caps(0).lanes) {
                how.grid = file.config.grid;
                how.covers = file.config.covers;
                how.atomics = file.config.atomics;
                how.elements = file.config.elements;
            }
            const Ran got = ran([&] { return tools::run_on(how, fn, run.inputs); });
            EXPECT_EQ(gap(run, oracle, got), "") << file.path.string() << " on " << backend->name
                                                 << (pipeline ? ", pipeline" : "") << ", lanes " << lanes;
        }
    }
}

/// Runs one `; run:` line on the interpreter, then on the other backends. Returns the line, or the interpreter's result if it differs.
std::string run_everywhere(const File &file, const ir::Function &fn, const std::string &line) {
    tools::RunLine run = tools::read_run(line, fn);
    std::string blessed = line;
    for (const int lanes : file.lanes) {
        run.inputs.lanes = lanes;
        const Ran oracle = ran([&] { return tools::interpret(fn, run.inputs); });
        const std::string wrong = oracle.error != run.error ? "the error is: " + oracle.error
                                  : !oracle.error.empty()   ? ""
                                                            : tools::check_run(run, oracle.outputs);
        if (!blessing()) {
            EXPECT_EQ(wrong, "") << file.path.string() << " on the interpreter, lanes " << lanes << ": " << line
                                 << how_to_bless;
        }
        run_on_backends(file, fn, run, oracle);
        if (!wrong.empty())
            blessed = oracle.error.empty() ? tools::write_run(run, fn, oracle.outputs)
                                           : tools::write_error(run, fn, oracle.error);
    }
    return blessed;
}

void test_run(const File &file, const std::string &list) {
    const std::vector<ir::Function> functions = run_passes(file, list);
    for (const ir::Function &fn : functions) expect_well_formed(file, fn);
    std::string blessed;
    int runs = 0;
    for (const std::string &line : file.lines) {
        auto run = directive(line, "run");
        blessed += run ? "" : line + "\n";
        if (!run) continue;
        ++runs;
        std::string name = tools::function_of(*run);
        auto fn = std::find_if(functions.begin(), functions.end(), [&](auto &f) { return f.name == name; });
        ASSERT_NE(fn, functions.end()) << file.path.string() << ": no function @" << name;
        blessed += "; run: " + run_everywhere(file, *fn, *run) + "\n";
    }
    EXPECT_GT(runs, 0) << file.path.string() << ": no `; run:` line";
    if (blessing()) write_file(file.path, blessed);
}

/// Returns the code of all tasks, with the words of each refusal.
std::string device_code(const backends::Backend &backend, backends::Caps caps,
                        const std::vector<ir::Function> &functions) {
    const engine::Lowering lowering(backend, std::move(caps), true);
    std::string text;
    for (const ir::Function &fn : functions)
        for (ir::Function &task : tools::to_tasks(fn, lowering.config())) {
            lowering.legalize(task);
            try {
                text += lowering.disassemble(task, backends::Tier::best, backends::Listing::machine);
            } catch (const InternalError &error) {
                text += std::string("error: ") + error.what() + "\n";
            }
        }
    return text;
}

backends::Caps device_caps(const backends::Backend &backend, const File &file) {
    if (&backend == &backends::spirv)
        for (const std::string &line : file.lines)
            if (const auto names = directive(line, "capabilities"))
                return backends::spirv_caps(codegen::spirv::Capabilities::read(*names), backend.caps(0).lanes);
    return backend.caps(0);
}

void test_code(const File &file) {
    const std::vector<ir::Function> functions = parse(file);
    int texts = 0;
    for (const backends::Backend *backend : {&backends::nvptx, &backends::amdgcn, &backends::spirv}) {
        std::vector<std::string> wanted;
        for (const std::string &line : file.lines)
            if (const auto words = directive(line, std::string(backend->name))) wanted.push_back(*words);
        texts += int(wanted.size());
        if (wanted.empty()) continue;
        if (std::string why = backend->missing_compiler(); !why.empty()) {
            ++skipped[std::string(backend->name) + ": " + why];
            continue;
        }
        const std::string code = device_code(*backend, device_caps(*backend, file), functions);
        for (const std::string &words : wanted)
            EXPECT_NE(code.find(words), code.npos) << file.path.string() << ": `" << words << "` is not in\n" << code;
    }
    EXPECT_GT(texts, 0) << file.path.string() << ": no line with a text";
}

class QirTest : public testing::Test {
  public:
    explicit QirTest(Path path) : path_(std::move(path)) {}
    void TestBody() override {
        File file(path_);
        int tests = 0;
        for (const std::string &line : file.lines) {
            auto kind = directive(line, "test");
            if (!kind) continue;
            ++tests;
            try {
                one(File(path_), *kind); // read again, since the previous test may have blessed it
            } catch (const std::exception &e) {
                ADD_FAILURE() << path_.string() << ": " << e.what();
            }
        }
        EXPECT_GT(tests, 0) << path_.string() << ": no `; test:` line";
    }

  private:
    static void one(const File &file, const std::string &kind) {
        if (kind == "print") return test_print(file);
        if (kind == "verify") return test_verify(file);
        if (kind == "code") return test_code(file);
        if (kind == "run" || kind.starts_with("run ")) return test_run(file, kind.size() > 4 ? kind.substr(4) : "");
        test_passes(file, kind);
    }
    Path path_;
};

struct SkipReport : testing::Environment {
    void TearDown() override {
        for (auto &[backend, runs] : skipped) std::cout << "left out " << runs << " runs on " << backend << "\n";
    }
};

} // namespace

int main(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new SkipReport);
    for (const Path &path : qir_files()) {
        std::string name = std::filesystem::relative(path, QD_TESTS_DIR).replace_extension().string();
        std::string folder = path.parent_path().filename().string();
        testing::RegisterTest(folder.c_str(), name.c_str(), nullptr, nullptr, path.c_str(), 1,
                              [path]() -> QirTest * { return new QirTest(path); });
    }
    return RUN_ALL_TESTS();
}
