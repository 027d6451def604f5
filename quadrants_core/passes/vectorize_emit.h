#pragma once
// Emits one SIMD iteration of a loop's body: `lanes` iterations starting at a given index.
#include "ir/builder.h"
#include "passes/vectorize_plan.h"

#include <unordered_map>
#include <vector>

namespace qd::passes {

/// Broadcasts a number to all lanes.
ir::Value splat(ir::Builder &b, ir::Value scalar, int lanes);

class LaneEmitter {
  public:
    /// Appends to `into`; splats of values from outside the loop go to `outside`, which precedes the SIMD loop.
    LaneEmitter(ir::Function &fn, const Planner &planner, int lanes, ir::BlockId into, ir::BlockId outside);

    /// Emits one SIMD iteration. `sums` are the carried values by slot, as lanes; returns their next values. `beside`: for the first SIMD
    /// iteration of an unrolled block, the reductions of the others.
    std::vector<ir::Value> round(ir::Value loop, ir::Value index, std::span<const ir::Value> sums,
                                 std::span<const ir::Value> beside = {});

    /// Masks lanes at `hi` and beyond; `index` is less than `hi`.
    void stop_at(ir::Value index, ir::Value hi);

    /// This SIMD iteration is `distance` iterations after that of `first`, in the same block: addresses differ by a constant.
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

    struct Safepoint; ///< vectorize_safepoint.cpp: counts so far
    void safepoint(ir::Value v);

    // vectorize_leave.cpp: divergent loops, which lanes leave one by one
    struct Leaving;
    Leaving leaving_slots(ir::Value loop) const;
    void leaving_loop(ir::Value v);
    void leaving_body(Leaving &own, bool counted);
    void leaving_results(const Leaving &own, ir::Value copy);
    void record_results(ir::Value break_inst);
    void switch_to(ir::Value survivors);
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
    ir::BlockId top_; ///< block of the SIMD iteration
    ir::Builder b_, outside_;
    struct {
        ir::Value loop;
        ir::BlockId body;
        ir::Value index;
        std::vector<ir::Value> beside; ///< reductions of the other unrolled iterations; by slot, one after the other
    } source_;                         ///< the scalar loop
    ir::Value mask_;                   ///< active lanes; none: all
    ir::Value round_mask_;             ///< lanes active in the SIMD iteration; none: all
    ir::Value round_lanes_;            ///< their number, unsigned
    bool past_end_ = false;            ///< inactive lanes may be beyond the last iteration
    Leaving *leaving_ = nullptr;
    int branches_ = 0; ///< enclosing masked branches inside the divergent loop
    std::unordered_map<uint32_t, ir::Value> first_, lanes_;
    const LaneEmitter *leader_ = nullptr;
    int64_t distance_ = 0;
    std::vector<uint32_t> scope_; ///< entries of lanes_ that are valid in the current block only
};

} // namespace qd::passes
