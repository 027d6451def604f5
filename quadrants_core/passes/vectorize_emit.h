#pragma once
// Writes the SIMD form of one round of a loop's body: `lanes` iterations from a given index on.
#include "ir/builder.h"
#include "passes/vectorize_plan.h"

#include <unordered_map>
#include <vector>

namespace qd::passes {

/// A number in all lanes.
ir::Value splat(ir::Builder &b, ir::Value scalar, int lanes);

class LaneEmitter {
  public:
    /// Appends to `into`; splats of values from outside the loop go to `outside`, which stands before the SIMD loop.
    LaneEmitter(ir::Function &fn, const Planner &planner, int lanes, ir::BlockId into, ir::BlockId outside);

    /// One round. `sums` are the carried values by slot, as lanes; returns their next values. `beside`: of the first round of a block,
    /// the sums of those that run beside it.
    std::vector<ir::Value> round(ir::Value loop, ir::Value index, std::span<const ir::Value> sums,
                                 std::span<const ir::Value> beside = {});

    /// Lanes at `hi` and beyond do not run; `index` is below it.
    void stop_at(ir::Value index, ir::Value hi);

    /// This round runs `distance` iterations after that of `first`, in the same block: addresses differ by a constant.
    void follow(const LaneEmitter &first, int64_t distance);

  private:
    void block(ir::BlockId b, size_t leave);
    void instruction(ir::Value v);
    void scalar_copy(ir::Value v);
    void lane_copy(ir::Value v);
    void load(ir::Value v);
    void store(ir::Value pointer, ir::Value value);
    bool common_store(ir::Value branch, ir::Value (&stores)[2]) const;
    ir::Value masked_side(ir::Value branch, int side, ir::Value condition, size_t leave);
    bool needs_mask(ir::Value pointer) const { return mask_ && (past_end_ || !planner_.safe(pointer)); }
    bool same_address(ir::Value a, ir::Value b) const;
    void masked_branch(ir::Value v);
    void count(ir::Value v);
    void uniform_branch(ir::Value v);
    void inner_loop(ir::Value v);

    struct Look; ///< vectorize_look.cpp: counts so far
    void look(ir::Value v);

    // vectorize_leave.cpp: loops that lanes leave one by one
    struct Leaving;
    Leaving leaving_slots(ir::Value loop) const;
    void leaving_loop(ir::Value v);
    void leaving_body(Leaving &own, bool counted);
    void leaving_results(const Leaving &own, ir::Value copy);
    void take_along(ir::Value break_inst);
    void go_on_with(ir::Value survivors);
    bool frozen(ir::Value loop, size_t slot) const;
    void add_gains(size_t slot, ir::Value reached);
    ir::Value gain_of_all(ir::Value gain);
    ir::Value total_so_far(ir::Value param) const;
    ir::Value in_first_lane(ir::Value scalar);
    void sum(ir::Value way);
    ir::Value gain_of_round(ir::Value gain, ir::Type type);
    ir::Value set_lanes(ir::Value lanes);

    ir::Value first(ir::Value v) const; ///< value of the first lane
    ir::Value lanes(ir::Value v);       ///< value of all lanes
    ir::Value make_lanes(ir::Value v);
    ir::Value either(ir::Value v, bool as_lanes) { return as_lanes ? lanes(v) : first(v); }
    bool varies(ir::Value v) const { return planner_.shape(v).kind != Shape::uniform; }
    ir::Value all_lanes();
    void far_address(ir::Value pointer, ir::Value &base, ir::Value &offsets);
    ir::Value range(ir::Type t, int64_t stride);
    void leave_scope(size_t mark);

    ir::Function &fn_;
    const Planner &planner_;
    int lanes_count_;
    ir::BlockId top_; ///< where the round goes
    ir::Builder b_, outside_;
    struct {
        ir::Value loop;
        ir::BlockId body;
        ir::Value index;
        std::vector<ir::Value> beside; ///< sums of the rounds beside this one; by slot, round after round
    } source_;                         ///< what the round repeats
    ir::Value mask_;                   ///< lanes that run; none: all
    ir::Value round_mask_;             ///< lanes that the round runs; none: all
    ir::Value round_lanes_;            ///< their number, without a sign
    bool past_end_ = false;            ///< lanes that do not run may be no iterations at all
    Leaving *leaving_ = nullptr;
    int branches_ = 0; ///< masked branches around, inside the loop that lanes leave
    std::unordered_map<uint32_t, ir::Value> first_, lanes_;
    const LaneEmitter *leader_ = nullptr;
    int64_t distance_ = 0;
    std::vector<uint32_t> scope_; ///< entries of lanes_ that hold in the current block only
};

} // namespace qd::passes
