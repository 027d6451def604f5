#pragma once
// All that a backend is. Shared code never asks which one it is on; it asks a capability.
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
    bool bounds_from_tasks = false; ///< its launcher runs no bounds block that looks at memory
    bool grid = false;              ///< a thread runs every n-th index of a range, not a chunk of it (grid_ranges)
    bool f64 = true, f16 = true, int64 = true;
    std::string processor; ///< that code is generated for, as LLVM names it; empty: the one at hand
    std::string target;    ///< exact machine, part of cache keys
};

/// What passes may assume of a target.
passes::Config config_of(const Caps &caps);

enum class Tier : uint8_t { fast, best }; ///< compile quickly, or the best code
/// What people may read of code: as the code generator takes it in, after it has optimised that, or as the machine does.
enum class Listing : uint8_t { given, intermediate, machine };

struct Backend {
    std::string_view name;
    std::string (*missing)();          ///< why it cannot run here; empty if it can
    std::string (*missing_compiler)(); ///< why emit() cannot work here; empty if it can
    Caps (*caps)(int device);
    std::span<const passes::Pass> (*legalize)(const Caps &); ///< IR -> IR that emit() accepts
    /// Needs no device; thread-safe. `lines`: with what LoadedTask::span_at needs; the code is the same.
    abi::Binary (*emit)(const ir::Function &task, const Caps &, Tier, bool lines);
    /// The code that emit() makes, as text.
    std::string (*disassemble)(const ir::Function &task, const Caps &, Tier, Listing);
    std::unique_ptr<runtime::Device> (*open)(const runtime::DeviceOptions &); ///< needs no compiler
};

#define BACKEND(id) extern const Backend id;
#include "backends/backends.def"

std::span<const Backend *const> all();      ///< but for those of tests
const Backend *find(std::string_view name); ///< null if there is none of that name

} // namespace qd::backends
