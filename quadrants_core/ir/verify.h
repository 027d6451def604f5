#pragma once
#include "ir/function.h"

namespace qd::ir {

struct Problem {
    Value at;
    std::string message;
};
/// All rule violations; empty if the function is well formed. Never throws.
std::vector<Problem> verify(const Function &fn);
/// The text form with each problem below its line.
std::string explain(const Function &fn, const std::vector<Problem> &problems);

} // namespace qd::ir
