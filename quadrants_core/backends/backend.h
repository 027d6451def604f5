#pragma once
// The interface of a backend. Shared code never tests which backend it runs on, only its capabilities.
#include "abi/abi.h"
#include "ir/function.h"
#include "passes/passes.h"
#include "runtime/device.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace qd::backends {

struct Caps {
    int threads = 1;                ///< concurrent workers
    int vector_bytes = 16;          ///< SIMD register width; 0 = do not vectorise
    bool bounds_from_tasks = false; ///< its launcher runs no bounds block
    int lanes = 0;                  ///< of a group of threads (a warp or subgroup); 0: it has neither groups nor blocks
    bool grid = false;              ///< a thread runs every n-th index of a range, not a chunk of it (grid_ranges)
    bool covers = false;            ///< with `grid`: a launch has a thread for each index, unless the task strides
    passes::Atomics atomics;        ///< that it executes as one instruction
    bool f64 = true, f16 = true, int64 = true;
    std::string processor; ///< to generate code for, as LLVM names it; empty: this one
    std::string target;    ///< exact machine, part of cache keys
    bool elements = false; ///< private and shared memory have no byte addresses
};

/// Returns what passes may assume of a target.
passes::Config config_of(const Caps &caps);

enum class Tier : uint8_t { fast, best }; ///< compile quickly, or to the best code
/// A readable form of code: as the code generator receives it, as optimised, or as the machine executes it.
enum class Listing : uint8_t { given, intermediate, machine };

struct Backend {
    std::string_view name;
    std::string (*missing)();          ///< why it cannot run here; empty if it can
    std::string (*missing_compiler)(); ///< why emit() cannot work here; empty if it can
    Caps (*caps)(int device);
    std::span<const passes::Pass> (*legalize)(const Caps &); ///< passes from IR to IR that emit() accepts
    /// Needs no device; thread-safe. `query` (null: none) does not change the code.
    abi::Binary (*emit)(const ir::Function &task, const Caps &, Tier, SpanQuery *query);
    /// Returns the code that emit() makes, as text.
    std::string (*disassemble)(const ir::Function &task, const Caps &, Tier, Listing);
    std::unique_ptr<runtime::Device> (*open)(const runtime::DeviceOptions &); ///< needs no compiler
};

#define BACKEND(id) extern const Backend id;
#include "backends/backends.def"

std::span<const Backend *const> all();      ///< without those for tests
const Backend *find(std::string_view name); ///< null if there is none of that name

} // namespace qd::backends
