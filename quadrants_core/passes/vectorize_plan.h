#pragma once
// Decides whether and how a loop can run several iterations at once.
#include "analysis/effects.h"
#include "analysis/memory.h"
#include "passes/passes.h"
#include "passes/vectorize_totals.h"

#include <vector>

namespace qd::passes {

/// The change of a value from one iteration to the next.
struct Shape {
    enum Kind : uint8_t { uniform, linear, varying } kind = uniform;
    int64_t stride = 0; ///< linear integers: difference between neighbouring lanes; linear pointers: in bytes
    friend bool operator==(const Shape &, const Shape &) = default;
};

/// True if the result of a pure instruction has as many lanes as its operands; other results have one lane, or already are lanes.
inline bool is_lane_wise(ir::Op op) {
    using ir::Result;
    const Result result = ir::info(op).result;
    return result == Result::same || result == Result::boolean || result == Result::second || result == Result::wide;
}

struct Plan {
    ir::Value loop;
    int lanes = 0;
    std::vector<ir::Op> sums;      ///< by carried value of the loop: add, min or max
    int unroll = 1;                ///< number of independent reductions, to hide the latency of one
    bool mask_remainder = false;   ///< the remainder is a masked SIMD iteration; otherwise a scalar loop
    bool has_inner_gather = false; ///< gathers or scatters in an inner loop
    bool scatters_inside = false;
    bool reserves_room = false;   ///< each iteration reserves room on the heap
    std::vector<ir::Value> rooms; ///< reservations as large as the trip count of their loop
};

class Planner {
  public:
    Planner(const ir::Function &fn, const analysis::Memory &memory, const Config &config);

    /// False if the loop must stay scalar. The shapes are valid until the next call.
    bool plan(ir::Value loop, Plan &plan);
    Shape shape(ir::Value v) const { return v.id < shapes_.size() ? shapes_[v.id] : Shape{}; }
    /// True if a load from here may execute speculatively.
    bool safe(ir::Value pointer) const;
    /// True if the instruction is or contains a break of the enclosing loop.
    bool jumps(ir::Value v) const { return v.id < effects_.size() && (effects_[v.id] & analysis::jumps); }
    /// True for a divergent loop: an inner loop that lanes leave one by one.
    bool diverges(ir::Value loop) const;
    /// Returns the accumulator to which the amount of a count at an exit of the task adds something.
    ir::Value counted_of(ir::Value amount) const;
    /// True if the value is defined inside the loop planned last.
    bool inside(ir::Value v) const { return v.id < defined_.size() && defined_[v.id]; }
    bool used(ir::Value v) const { return v.id < uses_.size() && uses_[v.id]; }
    /// True if the value is used only by counts where Stop leaves the task.
    bool for_stop_only(ir::Value v) const { return used(v) && stop_uses_[v.id] == uses_[v.id]; }
    /// True for room that lanes reserved together, or a pointer into it.
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
    std::vector<uint32_t> uses_; ///< by value; without those at safepoints
    Totals totals_;
    std::vector<uint32_t> stop_uses_;       ///< by value: uses by counts where Stop leaves the task
    std::vector<Shape> shapes_;             ///< by value; uniform for everything outside of the loop
    std::vector<uint32_t> slots_;           ///< by value: 1 + the carried value of the loop that it continues
    std::vector<uint8_t> defined_, always_; ///< by value: in the loop; a pointer that every iteration accesses
    std::vector<uint8_t> shared_room_;      ///< by value: room that lanes reserved together, or a pointer into it
    std::vector<uint32_t> touched_;         ///< entries to clear before the next loop
    std::vector<ir::Value> accesses_;
    Plan *plan_ = nullptr;
    ir::Value around_; ///< the innermost inner loop
    int leaving_ = 0;  ///< enclosing divergent loops
    bool marked_ = false;
    int masked_ = 0, depth_ = 0; ///< number of enclosing constructs that mask; enclosing inner loops
    int idle_ = 0;               ///< enclosing branches whose mask may have no active lane
    int widest_ = 1;
    double scalar_cost_ = 0, vector_cost_ = 0; ///< per iteration; vector_cost_: instructions that do not get cheaper
    double idle_cost_ = 0;                     ///< part of scalar_cost_ that lanes spend waiting for others
    size_t size_ = 0;
};

} // namespace qd::passes
