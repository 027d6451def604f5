#pragma once
// Whether and how a loop can run several iterations at once.
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "passes/passes.h"
#include "passes/vectorize_totals.h"

#include <vector>

namespace qd::passes {

/// How a value changes from one iteration to the next.
struct Shape {
    enum Kind : uint8_t { uniform, linear, varying } kind = uniform;
    int64_t stride = 0; ///< linear integers: difference between neighbours; linear pointers: in bytes
    friend bool operator==(const Shape &, const Shape &) = default;
};

/// The result of a pure instruction has as many lanes as its operands; others are of one lane, or are lanes already.
inline bool is_lane_wise(ir::Op op) {
    using ir::Result;
    const Result result = ir::info(op).result;
    return result == Result::same || result == Result::boolean || result == Result::second || result == Result::wide;
}

struct Plan {
    ir::Value loop;
    int lanes = 0;
    std::vector<ir::Op> sums; ///< by carried value of the loop: add, min or max
    int unroll = 1;           ///< independent sums side by side, to hide the latency of one
    bool mask_rest = false;   ///< the last round runs under a mask; else the iterations left over run one by one
    bool far_inside = false;  ///< gathers or scatters in an inner loop
    bool scatters_inside = false;
    bool takes_room = false;      ///< each iteration takes some from the heap
    std::vector<ir::Value> rooms; ///< what takes as much as its loop has iterations
};

class Planner {
  public:
    Planner(const ir::Function &fn, const analysis::Memory &memory, const Config &config);

    /// False if the loop must stay as it is. The shapes are valid until the next call.
    bool plan(ir::Value loop, Plan &plan);
    Shape shape(ir::Value v) const { return v.id < shapes_.size() ? shapes_[v.id] : Shape{}; }
    /// A load from here may run where the source would not run it.
    bool safe(ir::Value pointer) const;
    /// Holds a break of the loop around it.
    bool jumps(ir::Value v) const { return v.id < effects_.size() && (effects_[v.id] & analysis::jumps); }
    /// An inner loop that lanes leave one by one.
    bool diverges(ir::Value loop) const;
    /// The value that a count where the task is left adds something to.
    ir::Value counted_of(ir::Value amount) const;
    /// Defined by the loop that was planned last.
    bool inside(ir::Value v) const { return v.id < defined_.size() && defined_[v.id]; }
    bool used(ir::Value v) const { return v.id < uses_.size() && uses_[v.id]; }
    /// Used by nothing but counts where Stop leaves the task.
    bool for_stop_only(ir::Value v) const { return used(v) && stop_uses_[v.id] == uses_[v.id]; }
    /// Room that lanes took together, or a pointer into it.
    bool is_in_shared_room(ir::Value v) const { return v.id < shared_room_.size() && shared_room_[v.id]; }
    const Totals &totals() const { return totals_; }

  private:
    bool block(ir::BlockId b);
    bool instruction(ir::Value v);
    bool pure(ir::Value v);
    bool room(ir::Value v);
    bool joins_rooms(ir::Value branch, size_t slot);
    Shape arithmetic(ir::Value v) const;
    bool memory_access(ir::Value v);
    bool branch(ir::Value v);
    bool stop_check(ir::Value v);
    bool inner_loop(ir::Value v);
    void set(ir::Value v, Shape s);
    void widen(ir::Type t);
    bool sums(ir::BlockId b);
    bool sum_operands(ir::Value v);
    bool independent();
    void forget_uses(ir::BlockId b);
    void find_safe(ir::BlockId b);

    const ir::Function &fn_;
    const analysis::Memory &memory_;
    const Config &config_;
    const std::vector<uint8_t> effects_;
    std::vector<uint32_t> uses_; ///< by value; looks aside
    Totals totals_;
    std::vector<uint32_t> stop_uses_;       ///< by value: uses by counts where Stop leaves the task
    std::vector<Shape> shapes_;             ///< by value; uniform for all that is not in the loop
    std::vector<uint32_t> slots_;           ///< by value: 1 + the carried value of the loop that it continues
    std::vector<uint8_t> defined_, always_; ///< by value: in the loop; a pointer that every iteration accesses
    std::vector<uint8_t> shared_room_;      ///< by value: room that lanes took together, or a pointer into it
    std::vector<uint32_t> touched_;         ///< entries to clear before the next loop
    std::vector<ir::Value> accesses_;
    Plan *plan_ = nullptr;
    ir::Value around_; ///< the innermost inner loop
    int leaving_ = 0;  ///< inner loops around that lanes leave one by one
    bool marked_ = false;
    int masked_ = 0, depth_ = 0; ///< what puts a mask on instructions; inner loops around
    int idle_ = 0;               ///< branches around under whose mask there may be no lane at all
    int widest_ = 1;
    double scalar_cost_ = 0, vector_cost_ = 0; ///< per iteration; vector_cost_ of what does not get cheaper
    double idle_cost_ = 0;                     ///< share of scalar_cost_ that lanes spend waiting for others
    size_t size_ = 0;
};

} // namespace qd::passes
