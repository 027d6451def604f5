#pragma once
// Automatic differentiation of whole kernels. The result is an ordinary kernel with the parameters, places and tables of the original and
// is compiled like any other. A companion (the memory of tangents or adjoints) has the element type of its original.
#include "ir/function.h"

namespace qd::autodiff {

/// validate: the kernel itself, instrumented to check the rule that reverse mode relies on.
enum class Mode : uint8_t { none, forward, reverse, validate };

/// The companions of the places and arrays of a kernel, which hold their tangents or adjoints. Vectors that are too short mean none for the
/// rest. A place that is listed twice may have a companion for one entry only: loads and stores of the other entry carry no derivative. The
/// companion of a whole cell (Place::level) is the address from which a component has the same distance as its companion.
struct Companions {
    static constexpr uint32_t none = UINT32_MAX;
    std::vector<uint32_t> places;  ///< by place of the function: the place of its companion, or none
    std::vector<ir::Value> arrays; ///< by number of the parameter: the array parameter that is its companion, or 0

    uint32_t place(uint64_t number) const { return number < places.size() ? places[number] : none; }
    ir::Value array(size_t number) const { return number < arrays.size() ? arrays[number] : ir::Value{}; }
};

/// Adstacks: the values that reverse mode may store for the backward pass through serial loops.
struct Stacks {
    bool enabled = false;
    uint64_t capacity = 0; ///< the kernel fails if a loop needs more entries (its iterations + 1); 0: unlimited
    uint64_t budget = 0;   ///< bytes per thread, met by running loops forward again (checkpointing); 0: unlimited
};

/// Returns the kernel that computes tangents in addition to values (forward), or adjoints only (reverse). `kernel` has been through promote
/// and fold, but not through simplify_branches: a select has derivatives on both sides, and 0 times infinity is not 0. The result must go
/// through the whole kernel stage. Throws UserError with its source location.
ir::Function differentiate(const ir::Function &kernel, const Companions &companions, Mode mode,
                           const Stacks &stacks = {});

} // namespace qd::autodiff
