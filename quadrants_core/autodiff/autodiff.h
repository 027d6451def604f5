#pragma once
// Derivatives of whole kernels. The result is an ordinary kernel: it has the parameters, places and tables of the one it was
// made of and goes the ordinary way from there. Companions have the element type of what they belong to.
#include "ir/function.h"

namespace qd::autodiff {

/// validate: the kernel itself, which looks after the rule that reverse mode relies on.
enum class Mode : uint8_t { none, forward, reverse, validate };

/// Where the tangents or adjoints of what a kernel works with lie. Vectors that are too short mean none for the rest. A place
/// that is listed twice may have a companion once: loads and stores of the other entry carry no derivative. The companion of a
/// whole cell (Place::level) is the address from which a component is as far as its companion.
struct Companions {
    static constexpr uint32_t none = UINT32_MAX;
    std::vector<uint32_t> places;  ///< by place of the function: the place of its companion, or none
    std::vector<ir::Value> arrays; ///< by number of the parameter: the array parameter that is its companion, or 0

    uint32_t place(uint64_t number) const { return number < places.size() ? places[number] : none; }
    ir::Value array(size_t number) const { return number < arrays.size() ? arrays[number] : ir::Value{}; }
};

/// What reverse mode may keep for the way back through serial loops.
struct Stacks {
    bool enabled = false;
    uint64_t capacity = 0; ///< the kernel fails where a loop needs more entries, one more than its iterations; 0: never
    uint64_t budget = 0;   ///< bytes for one thread, to be met by running loops forward again; 0: all is kept
};

/// The kernel that works out tangents beside values (forward), or adjoints alone (reverse). `kernel` has gone through promote
/// and fold, and not through simplify_branches: a select has derivatives on both sides, and 0 times infinity is not 0. The result
/// goes through the whole kernel stage. Throws UserError with its place.
ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode,
                           const Stacks &stacks = {});

} // namespace qd::autodiff
