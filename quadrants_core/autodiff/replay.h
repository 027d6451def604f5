#pragma once
// The forward part of a reverse kernel: copies of the kernel's instructions, from which the backward part takes values.
//
// A *frame* is a body that runs once for each backward step: the kernel's own, that of a parallel loop, that of a serial loop
// which is run backward. Each begins with copies of all that the body does, serial loops in it included; what nobody uses goes
// away in the end (dce). In the backward part, a value of the frame is
//  - at hand if it stands in a block around;
//  - kept in a local of the frame if it stands in a branch. promote makes this a result of the if.
// What a body that is copied again for its backward step cannot know is an *unknown*: a constant that must be gone in the end.
// Effects: memory with a companion is not written again; other memory, messages and assertions are repeated once, where the
// frame is not a serial loop's. So what a loop loads from memory that the kernel writes before the loop ends is unknown there.
#include "analysis/memory.h"
#include "autodiff/activity.h"
#include "base/error.h"
#include "ir/builder.h"

#include <vector>

namespace qd::autodiff {

class Replay {
  public:
    Replay(const ir::Function &kernel, const Companions &companions, const Activity &activity);

    ir::Function &out() { return out_; }
    ir::Builder &builder() { return b_; }

    /// Opens a frame in an empty block of the result and copies the body of `loop` to it, or that of the kernel if there is
    /// none. Parameters of the body become those of the block; what it carries is unknown.
    void open_frame(ir::Value loop, ir::BlockId into);
    void close_frame();
    size_t depth() const { return frames_.size(); }
    /// Threads that work here share what lives in this block of the result.
    bool is_shared(ir::BlockId home) const { return home == out_.body && in_parallel(); }

    /// Emits to a block until `leave`.
    void enter(ir::BlockId block);
    void leave();

    /// What a number of the kernel is at this point.
    ir::Value value(ir::Value v);
    /// The parameter of the result that is this one of the kernel.
    ir::Value param(ir::Value v) const { return copies_[v.id].value; }
    /// A local that is zero where the block begins.
    ir::Value local(ir::Scalar elem, uint64_t size, ir::BlockId block);

    /// The finished function. Throws if something unknown is left.
    ir::Function finish();

  private:
    struct Copy {
        ir::Value value;
        ir::BlockId home;
        uint32_t frame = 0;
        ir::Value kept; ///< the local that keeps it
    };
    struct Frame {
        ir::Value loop; ///< of the kernel; none: the kernel's own
        ir::BlockId block;
        bool again = false; ///< of a serial loop
    };
    struct Unknown {
        ir::Value constant;
        ir::Value cause; ///< of the kernel
        UserErrorKind kind;
        const char *message;
    };

    bool in_parallel() const { return frames_.size() > 1 && fn_[frames_[1].loop].op == ir::Op::parallel; }
    void copy_contents(ir::BlockId from, uint32_t loops);
    void copy(ir::Value v, uint32_t loops);
    void copy_plain(ir::Value v, uint32_t loops);
    void copy_control(ir::Value v, uint32_t loops);
    void set(ir::Value v, ir::Value copy, ir::BlockId home);
    ir::Value argument(ir::Value v);
    ir::Value pointer(ir::Value v);
    bool repeats(ir::Value v) const;
    bool repeats_write(ir::Value pointer) const;
    ir::Value changed_since(ir::Value reader, ir::Value pointer) const;
    void set_unknown(ir::Value v, ir::Value cause, UserErrorKind kind, const char *message);
    void find_writes(ir::BlockId block, uint32_t &clock);
    void place_extras();

    const ir::Function &fn_;
    const Companions &companions_;
    const Activity &activity_;
    analysis::Memory memory_;
    ir::Function out_;
    ir::Builder b_;
    std::vector<Copy> copies_;      ///< by value
    std::vector<uint32_t> order_;   ///< by value: place in program order
    std::vector<ir::Value> writes_; ///< instructions that write memory without a companion, in order
    std::vector<Frame> frames_;
    std::vector<ir::BlockId> blocks_;                     ///< entered
    std::vector<uint8_t> open_;                           ///< by block of the result: entered
    std::vector<std::vector<ir::Value>> fronts_;          ///< by block of the result: what goes to its begin
    std::vector<std::pair<ir::Value, ir::Value>> behind_; ///< second goes behind first, an instruction or parameter
    std::vector<Unknown> unknowns_;
};

} // namespace qd::autodiff
