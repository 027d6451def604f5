#pragma once
// Translates structured control flow. Each construct of the IR is one of SPIR-V, with a merge block where its results are phis.
#include "codegen/spirv/groups.h"
#include "codegen/spirv/updates.h"

namespace qd::codegen::spirv {

class Emitter {
  public:
    Emitter(const ir::Function &task, const Capabilities &has, uint32_t lanes);
    std::vector<uint32_t> run();

  private:
    /// A block that several branches reach, with values.
    struct Exit {
        Id label = 0;
        std::vector<Id> types, results;      ///< of its phis
        std::vector<std::vector<Id>> values; ///< by phi: pairs of a value and the block that it comes from
        bool reached = false;
    };
    struct Region {
        Exit *yield, *leave; ///< leave: loops only
        bool flushes = false;
        bool is_loop() const { return leave != nullptr; }
    };

    void block(ir::BlockId id);
    void instruction(Value v);
    void pure(Value v);
    void memory(Value v);
    void outside(Value v);
    void control(Value v);
    void terminator(Value v);
    void if_op(Value v);
    void for_op(Value v);
    void loop_op(Value v);
    /// Emits the body of a loop and the block that continues it, which `next` ends.
    template <class Next> void loop_body(Value v, Region &region, const Next &next);
    Exit make_exit(std::span<const Value> like);
    void jump(Exit &to, std::span<const Value> values);
    void come_from(Exit &to, std::span<const Id> values);
    /// Starts the block of an exit.
    void enter(Exit &exit);
    void bind(const Exit &exit, std::span<const Value> results);
    /// Emits phis for the values that a loop carries; the second source is the exit `again`.
    void carry(Value v, Id before, const Exit &again);
    void branch(Id to) { code_.put(spv::Op::OpBranch, {to}); }
    Id clock();

    TaskCode code_;
    const ir::Function &fn_;
    Frame frame_;
    Arithmetic arithmetic_;
    MemoryCode memory_;
    UpdateCode updates_;
    GroupCode groups_;
    std::vector<Region> regions_;
};

} // namespace qd::codegen::spirv
