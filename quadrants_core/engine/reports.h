#pragma once
// The reports of a program, as plain data.
#include "abi/abi.h"
#include "ir/function.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qd::engine {

struct CounterValue {
    ir::Counter::What what;
    Location at;
    uint64_t count = 0;
    uint32_t copy = 0;     ///< ir::Counter::copy; 0 where copies are summed
    uint32_t place = 0;    ///< for a compiled kernel: index of its count; several counters may share one
    bool backward = false; ///< belongs to a kernel that computes gradients
};
/// The information asked of a kernel's counters: exact counts, or only whether each line ran, or also whether each transition between lines
/// did.
enum class CoverageKind : uint8_t { counts, lines, arcs };
struct KernelCoverage {
    std::string kernel;
    std::string title;           ///< what it was specialised for, if the kernel has a title
    uint32_t specialisation = 0; ///< number among those of this name, in compilation order
    std::vector<CounterValue> counts;
};

/// A file of the cache on disk.
struct CachedFile {
    std::string folder, name;
    std::string kernel;  ///< for a file with code
    std::string problem; ///< why it is not used; empty if it is
    uint64_t bytes = 0;
    uint64_t changed = 0;         ///< nanoseconds since 1970
    bool used = false;            ///< whether this program uses it
    std::vector<uint8_t> content; ///< for a record
};

/// The stacks of one task, outer loops first, and the memory use of its last launch; before that, `use.entries` is empty.
struct TaskMemory {
    std::string task;
    uint32_t line = 0;
    std::vector<abi::Stack> stacks;
    abi::HeapUse use;
    bool running = false; ///< `use` belongs to the current launch
};
struct KernelMemory {
    std::string kernel;
    uint32_t specialisation = 0;
    uint64_t budget = 0; ///< bytes for one iteration; 0: no limit
    std::vector<TaskMemory> tasks;
};

/// The current activity of a program, for a user who waits for it.
struct Activity {
    enum class Kind : uint8_t { nothing, compiling, running } kind = Kind::nothing;
    std::string kernel, file;
    double seconds = 0; ///< since it began; for a launch, since it was first observed
    uint32_t tasks = 0; ///< of the kernel; 0: not known yet
    uint32_t done = 0;  ///< tasks compiled or found so far
    // The rest describes a launch.
    std::string task;    ///< the running task; empty: not known
    uint32_t number = 0; ///< its number, from 1
    uint32_t line = 0;   ///< its source line
    uint32_t chunks = 0; ///< chunks of its range; 0: not known
    uint32_t chunks_done = 0;
    std::vector<uint32_t> passes; ///< passes so far of the enclosing do_whiles, outermost first
};

/// The output of `Compiler::show`: the IR of the tasks; the code generator's input; its output; assembly.
enum class Form : uint8_t { ir, given, intermediate, machine };

/// The way in which a task updated shared memory in its last launch.
struct TaskUpdates {
    std::string task;
    std::string_view how; ///< unlocked, locked, copies, parts or one_thread; empty: no updates, or not known
    uint32_t copies = 0;
    uint64_t bytes = 0; ///< total over all copies
};
struct KernelUpdates {
    std::string kernel;
    uint32_t specialisation = 0;
    std::vector<TaskUpdates> tasks;
};

} // namespace qd::engine
