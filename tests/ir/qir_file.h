#pragma once
// Reads a .qir file: its directives, its functions, and the passes that it asks for (qir_test.cpp lists them).
#include "ir/function.h"
#include "passes/passes.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace qd::tests {

using Path = std::filesystem::path;

std::vector<std::string> lines_of(const std::string &text);
std::string trimmed(const std::string &s);
/// `; key: value` -> value.
std::optional<std::string> directive(const std::string &line, const std::string &key);

struct File {
    Path path;
    std::vector<std::string> lines; ///< the whole file
    std::string input;              ///< up to `; =>`
    std::optional<std::string> expected;
    passes::Config config;
    std::vector<int> lanes{0};

    explicit File(const Path &p);
};

// These report failures to GoogleTest.
std::vector<ir::Function> parse(const File &file);
void expect_well_formed(const File &file, const ir::Function &fn);
/// Returns the functions after a list of passes, as `reverse,dce`.
std::vector<ir::Function> run_passes(const File &file, const std::string &list);

/// Returns the paths of all .qir files in order.
std::vector<Path> qir_files();

} // namespace qd::tests
