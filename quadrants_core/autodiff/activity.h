#pragma once
// Activity analysis: finds the values of a kernel that carry a derivative, those that depend on memory with a companion (varied) and, in
// reverse mode, also reach such memory (useful). All slots of an if or loop that carry one value are alike.
#include "autodiff/autodiff.h"

namespace qd::autodiff {

/// The memory that a pointer points into.
struct Target {
    enum class Kind : uint8_t { other, local, global } kind = Kind::other;
    ir::Value base;             ///< local: the local; global: the address before any offsets
    bool has_companion = false; ///< global
};
Target target_of(const ir::Function &fn, const Companions &companions, ir::Value pointer);

class Activity {
  public:
    Activity(const ir::Function &kernel, const Companions &companions, Mode mode);

    /// True for a value that has a tangent or an adjoint, or a local that contains such values.
    bool active(ir::Value v) const { return varied_[v.id] && useful_[v.id]; }
    bool varied(ir::Value v) const { return varied_[v.id]; }
    bool useful(ir::Value v) const { return useful_[v.id]; }
    /// True if anything must be differentiated.
    bool any() const { return any_; }
    /// True if the instruction, or one inside it, must be differentiated.
    bool is_differentiated(ir::Value v) const { return is_differentiated_[v.id]; }

  private:
    enum class Way : uint8_t { onward, back };
    bool flow(Way way, ir::BlockId block, ir::Value owner, std::vector<ir::Value> &loops);
    bool is_varied(const Target &t) const {
        return t.has_companion || (t.kind == Target::Kind::local && varied_[t.base.id]);
    }
    bool find_acts(ir::BlockId block);
    bool own_act(ir::Value v) const;
    bool set(std::vector<uint8_t> &what, ir::Value v);
    bool move(std::vector<uint8_t> &what, ir::Value from, ir::Value to);
    bool slots(std::vector<uint8_t> &what, ir::Value control);
    bool pass(std::vector<uint8_t> &what, ir::Value end, ir::Value control, bool outward);
    bool spread(ir::Value v);
    bool gather(ir::Value v);

    const ir::Function &fn_;
    const Companions &companions_;
    bool gives_old_values_; ///< old values of atomics depend on memory; in reverse mode they count as constants
    std::vector<uint8_t> varied_, useful_, is_differentiated_; ///< by value; a local represents its contents
    bool any_ = false;
};

} // namespace qd::autodiff
