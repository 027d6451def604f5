#pragma once
// The text form of a run:  @f(2, [1 2 3], [2x2: 1 2 3 4]) == 10 writes [2 4 6], [2x2: 0 0 0 0] prints "x" fails "..."
// counts 3 0
// `errors "..."` instead of results: the run ends with an error that has this text.
// `~=` instead of `==` allows a relative error of 1e-5. Arrays: extents, then the components in storage order; a single extent
// may be left out. `writes` lists the arrays after the run, in order.
#include "tools/execute.h"

#include <string>
#include <string_view>

namespace qd::tools {

struct RunLine {
    std::string function;
    Inputs inputs;
    Outputs expected;
    bool checks_values = false, checks_arrays = false, checks_counters = false;
    double tolerance = 0;
    std::string error; ///< text of the expected UserError; empty: none
};

/// Returns the name of the function that the line calls.
std::string function_of(std::string_view line);
/// Reads a line by the types of the function. Throws UserError on a mistake.
RunLine read_run(std::string_view line, const ir::Function &fn);
/// Returns the call with its results, as a line.
std::string write_run(const RunLine &run, const ir::Function &fn, const Outputs &got);
/// Returns the call with the error in which it ended, as a line.
std::string write_error(const RunLine &run, const ir::Function &fn, const std::string &error);
/// Describes how `got` differs from the expectations of the line; empty if it does not.
std::string check_run(const RunLine &run, const Outputs &got);

} // namespace qd::tools
