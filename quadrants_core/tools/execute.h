#pragma once
// Runs one IR function on given inputs and records all observable results: returned values, arrays, fields, messages, counters.
// It runs on the reference interpreter, or through a backend as in the engine.
#include "engine/lowering.h"
#include "ir/eval.h"

#include <optional>
#include <string>
#include <vector>

namespace qd::tools {

struct Array {
    ir::Type type;
    std::vector<int64_t> extents;
    std::vector<uint8_t> bytes;
    friend bool operator==(const Array &, const Array &) = default;
};
Array make_array(const ir::Type &type, std::vector<int64_t> extents);

/// Values of the scalar and of the array parameters, each in order, and how threads are grouped.
struct Inputs {
    std::vector<ir::Constant> scalars;
    std::vector<Array> arrays;
    int lanes = 0; ///< of a group, on backends that have groups; 0: each thread is alone
};

struct Outputs {
    std::vector<ir::Constant> values;
    std::vector<Array> arrays;
    std::vector<std::vector<ir::Constant>> fields; ///< all elements of each place; zero before the run
    std::string printed;
    std::string failed; ///< text of failed assertions
    std::vector<uint64_t> counters;
};

/// Returns why a backend cannot compile and run here; empty if it can.
std::string why_not(const backends::Backend &backend);

/// Interprets the function as it is. `source`: the function before passes, which may change the types of printed values.
Outputs interpret(const ir::Function &fn, const Inputs &inputs, const ir::Function *source = nullptr);

struct BackendRun {
    const backends::Backend *backend = nullptr;
    engine::Stages stages;                  ///< passes before legalisation; default: none
    std::optional<int> vector_bytes;        ///< overrides the backend's
    bool bounds_from_tasks = false;         ///< backends::Caps::bounds_from_tasks
    bool grid = false;                      ///< backends::Caps::grid; on the interpreter
    bool covers = false;                    ///< backends::Caps::covers, as `grid`
    int lanes = 0;                          ///< of a group, as `grid`, for inputs that do not say
    std::optional<passes::Atomics> atomics; ///< overrides the backend's
    bool elements = false;                  ///< backends::Caps::elements, as `grid`
    backends::Tier tier = backends::Tier::best;
    int threads = 1;
    float weight = 1; ///< declared cost of an index; a large one makes small loops run on all threads
    bool verify = true;
    int repeat = 1; ///< launches; the fastest one is timed
};
struct Timing {
    double compile_us = 0, launch_us = 0;
};
/// Cuts a kernel into tasks (one serial task if it has no parallel loop), runs the pipeline on each, compiles and
/// launches.
Outputs run_on(const BackendRun &how, const ir::Function &fn, const Inputs &inputs, Timing *timing = nullptr);

/// Returns the tasks of a kernel; returned values go to the return buffer, 8 bytes each.
std::vector<ir::Function> to_tasks(const ir::Function &kernel, const passes::Config &config = {});

/// Describes the first difference; empty if there is none. NaNs are equal. `tolerance`: relative, for floats; 0: same bits.
/// Subnormal numbers count as zero: devices flush them.
std::string difference(const Outputs &expected, const Outputs &got, double tolerance);

} // namespace qd::tools
