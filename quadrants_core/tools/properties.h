#pragma once
// Properties of every function. Each returns a text that says what is wrong, empty if the property holds.
#include "tools/execute.h"

#include <functional>
#include <string>
#include <vector>

namespace qd::tools {

struct Property {
    std::string name;
    std::function<std::string(const ir::Function &, const Inputs &)> check;
};

/// print and parse are inverse; the content hash survives reprinting.
std::vector<Property> text_properties();
/// Each pass alone, and the engine's pipeline, keep the function well formed and the interpreter's result. The simplifying
/// passes reach a fixed point.
std::vector<Property> pass_properties(int vector_bytes);
/// The backend agrees with the interpreter, without passes and with the engine's pipeline, in both tiers, on one
/// thread and on several.
std::vector<Property> backend_properties(const backends::Backend &backend, double tolerance);

} // namespace qd::tools
