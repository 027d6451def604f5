#pragma once
// Properties of the derivatives of every function that random_smooth makes.
#include "tools/properties.h"

namespace qd::tools {

/// Forward mode agrees with central differences; reverse mode is the transpose of forward mode; both are the same on every
/// backend, after all passes. A function that reverse mode refuses has no transpose.
std::vector<Property> derivative_properties();

} // namespace qd::tools
