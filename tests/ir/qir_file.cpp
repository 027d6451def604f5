#include "ir/qir_file.h"

#include "ir/text.h"
#include "ir/verify.h"
#include "tools/companions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace qd::tests {

namespace {

std::string read_file(const Path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Reads a list as `add.i32 cas.u64`.
passes::Atomics read_atomics(const std::string &list) {
    passes::Atomics atomics = passes::Atomics::none();
    std::istringstream words(list);
    for (std::string word; words >> word;) {
        const size_t dot = word.find('.');
        const std::string name = "atomic_" + word.substr(0, dot), type = word.substr(dot + 1);
        for (int op = 0; op < ir::op_count; ++op)
            for (int t = int(ir::Scalar::u1); t <= int(ir::Scalar::f64); ++t)
                if (ir::info(ir::Op(op)).name == name && ir::to_string(ir::Scalar(t)) == type)
                    atomics.add(ir::Op(op), ir::Scalar(t));
    }
    return atomics;
}

} // namespace

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string trimmed(const std::string &s) {
    size_t a = s.find_first_not_of(" \t\r"), b = s.find_last_not_of(" \t\r");
    return a == s.npos ? "" : s.substr(a, b - a + 1);
}

std::optional<std::string> directive(const std::string &line, const std::string &key) {
    std::string start = "; " + key + ":";
    std::string text = trimmed(line);
    if (text.rfind(start, 0) != 0) return std::nullopt;
    return trimmed(text.substr(start.size()));
}

File::File(const Path &p) : path(p), lines(lines_of(read_file(p))) {
    for (const std::string &line : lines) {
        if (trimmed(line) == "; =>") {
            expected = "";
        } else if (!expected) {
            input += line + "\n";
        } else {
            *expected += (line.rfind("; ", 0) == 0 ? line.substr(2) : trimmed(line) == ";" ? "" : line) + "\n";
        }
        if (auto bytes = directive(line, "vector_bytes")) config.vector_bytes = std::stoi(*bytes);
        if (auto found = directive(line, "bounds_from_tasks")) config.bounds_from_tasks = *found == "yes";
        if (auto found = directive(line, "lanes")) {
            std::istringstream numbers(*found);
            lanes.assign(std::istream_iterator<int>(numbers), {});
            config.lanes = lanes.at(0);
        }
        if (auto grid = directive(line, "grid")) {
            config.grid = true;
            config.covers = *grid == "covers";
        }
        if (auto found = directive(line, "elements")) config.elements = *found == "yes";
        if (auto listed = directive(line, "atomics")) config.atomics = read_atomics(*listed);
    }
}

std::vector<ir::Function> parse(const File &file) {
    ir::ParseResult result = ir::parse(file.input);
    if (result.error)
        ADD_FAILURE() << file.path.string() << ":" << result.error->line << ":" << result.error->column << ": "
                      << result.error->message;
    return std::move(result.functions);
}

void expect_well_formed(const File &file, const ir::Function &fn) {
    std::vector<ir::Problem> problems = ir::verify(fn);
    EXPECT_TRUE(problems.empty()) << file.path.string() << "\n" << ir::explain(fn, problems);
}

std::vector<ir::Function> run_passes(const File &file, const std::string &list) {
    std::vector<ir::Function> functions = parse(file);
    std::istringstream in(list);
    for (std::string name; std::getline(in, name, ',');) {
        if (name == "offload") {
            std::vector<ir::Function> tasks;
            for (const ir::Function &fn : functions)
                for (ir::Function &task : passes::offload(fn, file.config)) tasks.push_back(std::move(task));
            functions = std::move(tasks);
        } else if (name == "forward" || name == "reverse" || name == "stacks" || name == "checkpoints") {
            const autodiff::Mode mode = name == "forward" ? autodiff::Mode::forward : autodiff::Mode::reverse;
            const autodiff::Stacks stacks{.enabled = name == "stacks" || name == "checkpoints",
                                          .capacity = 0,
                                          .budget = name == "checkpoints" ? 24u : 0u};
            for (ir::Function &fn : functions)
                fn = autodiff::differentiate(fn, tools::read_companions(file.input, fn), mode, stacks);
        } else {
            const passes::Pass *pass = passes::find(name);
            if (!pass) ADD_FAILURE() << file.path.string() << ": there is no pass `" << name << "`";
            for (ir::Function &fn : functions)
                if (pass) pass->run(fn, file.config);
        }
        for (const ir::Function &fn : functions) expect_well_formed(file, fn);
    }
    return functions;
}

std::vector<Path> qir_files() {
    std::vector<Path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(QD_TESTS_DIR))
        if (entry.path().extension() == ".qir") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace qd::tests
