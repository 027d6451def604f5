#pragma once
// Kernels that are walked for their derivatives: what they may not hold, where tangents and adjoints lie, and what
// `qd.stop_grad` keeps gradients from.
#include "frontend/walk.h"

#include <exception>
#include <map>

namespace qd::frontend {

class Gradients : public Part {
  public:
    explicit Gradients(Walk &walk) : Part(walk) {}

    /// Refuses kernels that have both loops and other statements at their top: those are run backward in one order, the
    /// iterations of loops in any.
    void check_top_level(const Node *tree);
    /// A run-time loop over a range, inside of another loop.
    void check_inner_range(const Node *node);
    /// Loads of the field in the block at hand send it no gradient.
    void stop(const FieldInfo &field);
    /// The place from which components of a field are counted that are known only at run time.
    uint32_t first_component(const FieldInfo &field);
    /// Once everything is emitted: companions become places and parameters of the function.
    autodiff::Companions settle(const Node *tree);

  private:
    struct Stop {
        ir::BlockId block;
        uint32_t place;
    };
    void refuse(const Node *node, UserErrorKind kind, const std::string &message, const std::string &hint);
    uint32_t twin(uint32_t place);
    void stop_loads(ir::BlockId block, uint32_t place);
    uint32_t companion(uint32_t place);

    std::exception_ptr refused_; ///< the first error of a kernel that has a gradient
    std::vector<Stop> stops_;
    std::map<uint32_t, uint32_t> twins_;              ///< by place: the same one without a companion
    std::map<const FieldInfo *, uint32_t> component_; ///< first_component
};

} // namespace qd::frontend
