#pragma once
// The state of code generation for one task: the module, and the ids of the IR values emitted so far. Each op family has its own class
// that emits into it.
#include "codegen/spirv/emit.h"
#include "codegen/spirv/module.h"

#include <map>
#include <string>
#include <vector>

namespace qd::codegen::spirv {

using ir::Family;
using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;

class TaskCode {
  public:
    using Part = Module::Part;

    TaskCode(const ir::Function &task, const Capabilities &has);

    const ir::Function &fn;
    const Capabilities has;
    Module module;
    Id block;        ///< label of the block that is being emitted
    Value current{}; ///< the instruction that is being emitted
    /// Threads may see each other's stores: the task has fences, barriers or atomics. Without them accesses are private to a thread.
    const bool communicates;

    [[noreturn]] void refuse(const std::string &why) const;
    /// Declares a capability, or refuses the task.
    void need(Capability c);

    // Values. f16 is a 16-bit integer, since its arithmetic is done in f32; a pointer to global memory is its address as u64.
    Id get(Value v);
    Id arg(Value v, size_t i) { return get(fn.args(v)[i]); }
    Type arg_type(Value v, size_t i) const { return fn.type(fn.args(v)[i]); }
    void set(Value v, Id id) { values_[v.id] = id; }

    Id type(Type t);
    Id scalar(Scalar s);
    Id integer(unsigned bits);            ///< of 8, 16, 32 or 64 bits
    Id constant(Scalar s, uint64_t bits); ///< bits as in ir::Constant
    Id number(Scalar s, double value);    ///< of f32 or f64
    Id whole(unsigned bits, uint64_t value);

    // Instructions at the end of the code.
    Id op(spv::Op code, Id type, Words operands) { return module.op(Part::code, code, type, operands); }
    void put(spv::Op code, Words operands) { module.put(Part::code, code, operands); }
    Id extended(uint32_t number, Id type, Words operands) {
        return module.extended(Part::code, number, type, operands);
    }
    Id select(Id type, Id condition, Id yes, Id no) { return op(spv::Op::OpSelect, type, {condition, yes, no}); }
    Id bitcast(Id to, Id from_type, Id x) { return to == from_type ? x : op(spv::Op::OpBitcast, to, {x}); }
    Id boolean(spv::Op code, Words operands) { return op(code, module.type_bool(), operands); }
    void label(Id id) {
        put(spv::Op::OpLabel, {id});
        block = id;
    }

  private:
    std::vector<Id> values_; ///< by Value id; 0: not emitted yet
};

/// Bits of the integer that stands for a number in registers and in memory; 8 for u1 in memory.
unsigned bits_in_memory(Scalar s);

} // namespace qd::codegen::spirv
