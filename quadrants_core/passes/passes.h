#pragma once
// Every pass: a free function that edits a function in place and says whether anything changed. passes.def lists them.
#include "ir/function.h"

#include <span>
#include <string_view>
#include <vector>

namespace qd::passes {

/// What passes may assume of the target. The pipeline fills it from the backend's capabilities.
struct Config {
    int vector_bytes = 0; ///< SIMD register width; 0 = do not vectorise
    /// The launcher cannot run bounds blocks that look at memory: where a range depends on what a task finds, that task leaves
    /// it in the tmp buffer.
    bool bounds_from_tasks = false;
    bool grid = false; ///< threads share a range index by index (grid_ranges), not chunk by chunk (chunk_ranges)
};

#define PASS(id, doc) bool id(ir::Function &fn, const Config &config);
#include "passes/passes.def"

struct Pass {
    std::string_view name;
    bool (*run)(ir::Function &, const Config &);
    std::string_view doc;
};
std::span<const Pass> all();
const Pass *find(std::string_view name);

/// Cuts a kernel into tasks. Each becomes a Function of its own with the kernel's parameters and tables.
std::vector<ir::Function> offload(const ir::Function &kernel, const Config &config);

/// Merges equal pure instructions as `cse` does, but for real numbers: of those each stays in its branch.
bool merge_indices(ir::Function &fn);

/// Takes the coverage counts out of a kernel that no pass has seen: what is left is compiled as if there never were
/// any.
void drop_counts(ir::Function &kernel);

/// Sees every step of `run`: for dumps, timing, verification.
struct Observer {
    virtual ~Observer() = default;
    virtual void after(const Pass &pass, const ir::Function &fn, bool changed, double microseconds) = 0;
};
/// The only loop over passes. Verifies after each one when `verify`, and throws InternalError naming the pass; after
/// Stop it throws Interrupted.
bool run(std::span<const Pass> pipeline, ir::Function &fn, const Config &config, bool verify, Observer *observer);

} // namespace qd::passes
