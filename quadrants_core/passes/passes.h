#pragma once
// All passes: free functions that edit a function in place and return whether anything changed. passes.def lists them.
#include "ir/function.h"
#include "passes/atomics.h"

#include <span>
#include <string_view>
#include <vector>

namespace qd::passes {

/// Properties of the target that passes may rely on. The pipeline fills it from the backend's capabilities.
struct Config {
    int vector_bytes = 0; ///< SIMD register width; 0 = do not vectorise
    /// The launcher cannot run bounds blocks: a range that abi::Range cannot express is computed by a task, which stores it in the tmp
    /// buffer.
    bool bounds_from_tasks = false;
    /// A range is distributed over threads index by index (grid_ranges), not in chunks (chunk_ranges).
    bool grid = false;
    /// With `grid`: a launch has a thread for each index of the range, unless the task strides (chunk_step).
    bool covers = false;
    /// Lanes of a group of threads; 0: each thread is alone. A range task that uses blocks of threads is then distributed index by index,
    /// whatever `grid` says.
    int lanes = 0;
    Atomics atomics; ///< that the target executes; lower_atomics replaces others
    /// Private and shared memory are addressed by elements of objects, not by bytes (element_form).
    bool elements = false;
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

/// Splits a kernel into tasks. Each becomes a Function of its own with the kernel's parameters and tables.
std::vector<ir::Function> offload(const ir::Function &kernel, const Config &config);

/// Merges equal pure instructions as `cse` does, except those on floats, which stay in their branches.
bool merge_indices(ir::Function &fn);

/// Removes the coverage counts from a kernel before any pass has run: it is then compiled as if there had never been any.
void drop_counts(ir::Function &kernel);

/// Notified after every pass of `run`: for dumps, timing, verification.
struct Observer {
    virtual ~Observer() = default;
    virtual void after(const Pass &pass, const ir::Function &fn, bool changed, double microseconds) = 0;
};
/// Runs a list of passes. With `verify`, verifies after each pass and throws InternalError naming the pass at fault. Throws Interrupted
/// after Stop.
bool run(std::span<const Pass> pipeline, ir::Function &fn, const Config &config, bool verify, Observer *observer);

} // namespace qd::passes
