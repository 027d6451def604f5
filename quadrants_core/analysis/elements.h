#pragma once
// Addresses in private and shared memory as an object and the number of an element, for code generators of targets without byte addresses.
#include "ir/function.h"

#include <optional>

namespace qd::analysis {

struct ElementAddress {
    ir::Value object; ///< a `local` or `shared`, whose elements have the pointee's type
    ir::Value index;  ///< i32; none: 0
};

/// Returns the element that a pointer points to, if the pointer has the form that `element_form` makes: `offset object, cast(index) * size`.
std::optional<ElementAddress> element_address(const ir::Function &fn, ir::Value pointer);

} // namespace qd::analysis
