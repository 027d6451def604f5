#pragma once
// The forward part of a reverse kernel: copies of the kernel's instructions, from which the backward part takes values.
//
// A *frame* is a body that is executed once for each backward step: the kernel's own, that of a parallel loop, that of a serial loop that
// is reversed. Each begins with copies of everything that the body does, including serial loops in it; unused copies are removed by dce at
// the end. In the backward part, a value of the frame is
//  - directly available if it is in an enclosing block;
//  - stored in a local of the frame if it is in a branch. promote turns the local into a result of the if.
// Values that cannot be recomputed when a body is copied for its backward step are stored on an adstack where its loop runs forward, with
// one entry per iteration (see `LoopAdstacks` below): values that the loop carries, loads from memory that it changes, and whole locals
// that it changes. Without adstacks, or where an adstack is not possible, the value is an *unknown*: a constant that must be dead at the
// end.
// Effects: stores to memory with a companion are not repeated; stores to other memory, messages and assertions are repeated once, in frames
// that are not of a serial loop.
#include "analysis/memory.h"
#include "autodiff/activity.h"
#include "autodiff/checkpoints.h"
#include "base/error.h"
#include "ir/builder.h"

#include <map>
#include <vector>

namespace qd::autodiff {

class Replay {
  public:
    Replay(const ir::Function &kernel, const Companions &companions, const Activity &activity, const Stacks &stacks);

    ir::Function &out() { return out_; }
    ir::Builder &builder() { return b_; }

    /// Opens a frame: copies the body of `loop`, a loop of the kernel, to the empty body of `made`, a loop of the result. Both null: copies
    /// the body of the kernel.
    void open_frame(ir::Value loop, ir::Value made);
    void close_frame();
    size_t depth() const { return frames_.size(); }
    /// True if several threads share the locals of this block of the result.
    bool is_shared(ir::BlockId home) const { return home == out_.body && in_parallel(); }

    /// Makes the builder emit to a block until `leave` is called.
    void enter(ir::BlockId block);
    void leave();

    /// Returns the value in the result that corresponds to a scalar of the kernel, available at the current position.
    ir::Value value(ir::Value v);
    /// Returns the parameter of the result that corresponds to one of the kernel.
    ir::Value param(ir::Value v) const { return copies_[v.id].value; }
    /// Creates a local that is zero at the beginning of the block.
    ir::Value local(ir::Scalar elem, uint64_t size, ir::BlockId block);

    /// Returns the finished function. Throws if an unknown is left.
    ir::Function finish();
    /// After `finish`: the adstack requirements of its loops.
    std::vector<AdstackLoop> adstack_loops() const;

  private:
    struct Copy {
        ir::Value value;
        ir::BlockId home;
        uint32_t frame = 0;
        ir::Value stored_in; ///< the local in which it is stored
    };
    /// The adstacks of one serial loop. Its frame reads them; the copy of the loop in the enclosing frame fills them.
    struct LoopAdstacks {
        ir::Value copy;    ///< that copy; none: no adstacks
        ir::Value entries; ///< before it: its trip count
        ir::Value there;   ///< in it: number of the iteration
        ir::Value here;    ///< the same in the frame
    };
    struct Frame {
        ir::Value loop; ///< loop of the kernel; none: the kernel's own frame
        ir::BlockId block;
        bool again = false; ///< the frame of a serial loop
        LoopAdstacks adstacks;
        std::vector<std::pair<ir::Value, Copy>> outer; ///< copies of locals before the frame had its own
    };
    /// A loop around the instructions being copied to the current frame, inside the loop whose body the frame is.
    struct Inner {
        ir::Value there; ///< its copy in the enclosing frame; none: not a serial loop over a range
        ir::Value here;
    };
    using Values = std::vector<ir::Value>;
    struct Unknown {
        ir::Value constant;
        ir::Value cause; ///< instruction of the kernel
        UserErrorKind kind;
        const char *message;
    };

    bool in_parallel() const { return frames_.size() > 1 && fn_[frames_[1].loop].op == ir::Op::parallel; }
    LoopAdstacks adstacks_of(ir::Value loop, ir::Value made);
    template <class F> void emit_to(Values &list, F &&emit);
    template <class F> void emit_in_front(ir::BlockId block, F &&emit);
    struct Stack {
        uint32_t number = 0;
        ir::Scalar elem = ir::Scalar::none;
        uint64_t size = 0;   ///< of an entry, in elements
        ir::Value room;      ///< before the copy
        ir::Value stored_in; ///< local of the enclosing frame that stores it
        ir::Value variable;
    };
    Stack make_stack(ir::Value variable, ir::Scalar elem, uint64_t size, ir::Value before, ir::Value entries);
    ir::Value entry(const Stack &stack, ir::Value room, ir::Value number);
    bool save(ir::Value v, const Copy &there);
    void save_local(ir::Value local, bool changes);
    void save_locals(ir::Value loop);
    void copy_elements(ir::Value from, ir::Value to, uint64_t count);
    void number_stacks();
    void limit_stacks();

    void copy_contents(ir::BlockId from);
    void copy(ir::Value v);
    void copy_plain(ir::Value v);
    void copy_control(ir::Value v);
    void set(ir::Value v, ir::Value copy, ir::BlockId home);
    ir::Value argument(ir::Value v);
    ir::Value pointer(ir::Value v);
    bool repeats(ir::Value v) const;
    bool repeats_write(ir::Value pointer) const;
    ir::Value changed_since(ir::Value reader, ir::Value pointer) const;
    void set_unknown(ir::Value v, ir::Value cause, UserErrorKind kind, const char *message);
    void find_writes(ir::BlockId block, uint32_t &clock);
    void insert_extras();

    const ir::Function &fn_;
    const Companions &companions_;
    const Activity &activity_;
    const Stacks stacks_;
    bool has_parallel_ = false;
    analysis::Memory memory_;
    ir::Function out_;
    ir::Builder b_;
    std::vector<Copy> copies_;      ///< by value
    std::vector<uint32_t> order_;   ///< by value: position in program order
    std::vector<uint32_t> end_;     ///< by value: the last position inside it
    std::vector<ir::Value> writes_; ///< instructions that write memory without a companion, in order
    std::vector<Frame> frames_;
    std::vector<Inner> inner_;        ///< outermost first
    std::vector<ir::BlockId> blocks_; ///< entered
    std::vector<uint8_t> open_;       ///< by block of the result: entered
    /// By block of the result: instructions to insert at its beginning.
    std::vector<Values> inserted_first_;
    /// By instruction of the result: instructions to insert before it.
    std::map<uint32_t, Values> inserted_before_;
    /// Pairs of an instruction or parameter of the result and an instruction to insert after it.
    std::vector<std::pair<ir::Value, ir::Value>> inserted_after_;
    std::vector<Unknown> unknowns_;
    struct MadeStack {
        ir::Value loop, variable;
        uint64_t bytes = 0;
        bool is_used = false;
    };
    std::vector<MadeStack> made_; ///< by number of the stack at its creation
};

} // namespace qd::autodiff
