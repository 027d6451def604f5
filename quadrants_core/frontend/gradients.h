#pragma once
// Kernels that are walked for their derivatives: restrictions on their form, the locations of tangents and adjoints, and the fields that
// `qd.stop_grad` excludes from gradients.
#include "frontend/walk.h"

#include <exception>
#include <map>

namespace qd::frontend {

class Gradients : public Part {
  public:
    explicit Gradients(Walk &walk) : Part(walk) {}

    /// Refuses kernels that have both loops and other statements at their top level: statements run backward in one order, the iterations
    /// of loops in any order.
    void check_top_level(const Node *tree);
    /// Refuses, in reverse mode without adstacks, a run-time loop over a range inside another loop.
    void check_inner_range(const Node *node);
    /// Loads of the field in the current block pass no gradient to it.
    void stop(const FieldInfo &field);
    /// The place from which run-time indices of components of a field are counted.
    uint32_t first_component(const FieldInfo &field);
    /// Runs after everything is emitted: companions become places and parameters of the function.
    autodiff::Companions settle(const Node *tree);

  private:
    struct Stop {
        ir::BlockId block;
        uint32_t place;
    };
    void refuse(const Node *node, UserErrorKind kind, const std::string &message, const std::string &hint);
    uint32_t copy_without_companion(uint32_t place);
    void stop_loads(ir::BlockId block, uint32_t place);
    uint32_t companion(uint32_t place);

    std::exception_ptr refused_; ///< the first refusal, an error only if the kernel has a gradient
    std::vector<Stop> stops_;
    std::map<uint32_t, uint32_t> twins_;              ///< by place: a copy of it without a companion
    std::map<const FieldInfo *, uint32_t> component_; ///< see first_component
};

} // namespace qd::frontend
