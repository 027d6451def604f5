#pragma once
// The walk from IR to LLVM instructions: its state, and one method per kind of op. Control flow is in emit.cpp, pure
// computation in arithmetic.cpp and math.cpp, addresses, memory and callbacks in memory.cpp, cells of sparse trees in
// cells.cpp.
#include "abi/abi.h"
#include "codegen/llvm/emit.h"
#include "codegen/llvm/heap.h"
#include "codegen/llvm/lines.h"

#include <functional>
#include <map>

namespace qd::codegen {

using ir::AddressOp;
using ir::ArithmeticOp;
using ir::AtomicOp;
using ir::BitsOp;
using ir::ComparisonOp;
using ir::ControlOp;
using ir::Family;
using ir::MemoryOp;
using ir::Op;
using ir::OutsideOp;
using ir::PlainOp;
using ir::RealOp;
using ir::ReductionOp;
using ir::Scalar;
using ir::StepOp;
using ir::TerminatorOp;
using ir::Type;
using ir::Value;

class Emitter {
  public:
    Emitter(const ir::Function &task, llvm::Module &module, const TargetFacts &target, Lines *lines);
    void body();
    void bounds();

  private:
    /// Where `yield`, `break` and `continue` lead, and the phis that take their values.
    struct Exit {
        llvm::BasicBlock *block = nullptr;
        std::vector<llvm::PHINode *> phis;
    };
    struct Region {
        Exit yield, leave; ///< leave: loops only
        bool loop = false;
    };

    const ir::Function &fn_;
    const TargetFacts &target_;
    Lines *lines_; ///< null: none are wanted
    llvm::Module &module_;
    llvm::LLVMContext &context_;
    llvm::IRBuilder<> b_;
    llvm::IRBuilder<> entry_; ///< inserts before the jump out of the entry block
    llvm::Function *out_ = nullptr;
    llvm::BasicBlock *leave_ = nullptr; ///< returns
    std::vector<llvm::Value *> values_; ///< by Value id; null: not emitted yet
    std::vector<uint32_t> base_;        ///< by Value id: memory that a pointer leads into; 0 = unknown
    std::vector<Region> regions_;
    bool in_bounds_ = false;
    HeapCode heap_;

    // emit.cpp
    void begin(const char *name, bool bounds);
    void finish();
    void block(ir::BlockId id);
    void instruction(Value v);
    void terminator(Value v);
    void jump(Exit &to, std::span<const Value> values);
    void if_op(Value v);
    void for_op(Value v);
    void loop_op(Value v);
    Region loop_region(Value v, const char *end);
    void loop_body(Value v, Region &region, llvm::BasicBlock *before, llvm::function_ref<llvm::BasicBlock *()> turn);
    uint64_t rounds_between_looks(Value loop) const;
    Exit make_exit(const char *name, std::span<const Value> like);
    void take(const Exit &from, std::span<const Value> results);
    void leave_if(llvm::Value *condition); ///< leaves the task
    [[noreturn]] void refuse(Value v, const std::string &why) const;
    llvm::BasicBlock *new_block(const char *name);

    llvm::Value *get(Value v);
    llvm::Value *arg(Value v, size_t i) { return get(fn_.args(v)[i]); }
    Type arg_type(Value v, size_t i) const { return fn_.type(fn_.args(v)[i]); }
    void set(Value v, llvm::Value *x) { values_[v.id] = x; }
    llvm::Type *scalar(Scalar s);
    llvm::Type *memory_type(Type t); ///< as stored: u1 is a byte
    llvm::Type *type(Type t);
    llvm::Constant *constant(Type t, uint64_t bits);
    llvm::Constant *integer(llvm::Type *t, int64_t v) { return llvm::ConstantInt::get(t, uint64_t(v), true); }
    llvm::Constant *real(llvm::Type *t, double v) { return llvm::ConstantFP::get(t, v); }

    // arithmetic.cpp
    llvm::Value *pure(Value v);
    llvm::Value *plain(Value v);
    llvm::Value *arithmetic(Value v);
    llvm::Value *on_floats(ArithmeticOp op, llvm::Value *x, llvm::Value *y);
    llvm::Value *on_integers(ArithmeticOp op, Type t, llvm::Value *x, llvm::Value *y);
    llvm::Value *bits(BitsOp op, Type t, llvm::Value *x, llvm::Value *y);
    llvm::Value *extreme(bool greater, llvm::Value *x, llvm::Value *y);
    llvm::Value *extreme_int(bool greater, bool is_signed, llvm::Value *x, llvm::Value *y);
    llvm::Value *power(llvm::Value *x, llvm::Value *y);
    llvm::Value *compare(ComparisonOp op, Type t, llvm::Value *x, llvm::Value *y);
    llvm::Value *cast(Type from, Type to, llvm::Value *x);
    llvm::Value *reduce(ReductionOp op, Type t, llvm::Value *x);
    llvm::Value *set_lanes(Value sum);

    // math.cpp
    llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y = nullptr, llvm::Value *z = nullptr);
    llvm::Value *call_libm(const char *name, llvm::Value *x, llvm::Value *y = nullptr);
    llvm::Value *real_function(RealOp op, llvm::Value *x, llvm::Value *y, llvm::Value *z);
    llvm::Value *rsqrt(llvm::Value *x);

    // plain.cpp: where target_.plain; null: none for this type
    llvm::Value *plain_extreme(bool greater, bool exact, llvm::Value *x, llvm::Value *y);
    llvm::Value *plain_extreme_int(bool greater, bool is_signed, llvm::Value *x, llvm::Value *y);
    llvm::Value *plain_abs(llvm::Value *x);
    llvm::Value *plain_to_int(Scalar to, llvm::Value *x);
    void apart();

    // vector_math.cpp
    llvm::Value *vector_math(RealOp op, llvm::Value *x); ///< null: none for this op and type

    // memory.cpp
    /// What stands at this byte of abi::Launch; loaded once, on entry.
    llvm::Value *launch_pointer(size_t offset);
    /// The same of what a pointer there leads to.
    llvm::Value *pointer_through(size_t offset, size_t inner);
    llvm::Value *constant_pointer(llvm::Value *base, size_t offset);
    llvm::Value *slot(uint32_t index, llvm::Type *t);
    llvm::Value *param(Value v);
    llvm::Value *address(Value v);
    uint32_t slot_of(Value param) const;
    uint32_t base_of(int kind, uint64_t which);
    enum Piece {
        array_piece = 1,
        tree_piece,
        tmp_piece,
        ret_piece,
        local_piece,
        counter_piece,
        thread_piece,
        stack_piece
    };
    void note(llvm::Instruction *access, uint32_t base);
    void attach_alias_facts();
    void load(Value v);
    void store(Value v);
    void memory(Value v);
    void masked(Value v);
    void outside(Value v);
    void atomic(Value v);
    llvm::Value *atomic_loop(Value v, llvm::Value *pointer, llvm::Value *operand);
    void message(Value v);
    llvm::Value *stop_requested();
    llvm::Value *counts_asked();
    llvm::Value *answer();
    llvm::Value *clock();
    llvm::Value *thread_index();
    void external(Value v);

    // cells.cpp: sparse trees
    void step(Value v);
    llvm::Value *bytes_from(llvm::Value *base, llvm::Value *bytes);
    llvm::Value *bytes_from(llvm::Value *base, uint64_t bytes);
    llvm::Value *read_word(llvm::Value *at, llvm::Type *t, Value v);
    llvm::Value *mask_word(Value v, llvm::Value *&bit);
    llvm::Value *cell_at(Value v, llvm::Value *number, llvm::Value *first);
    llvm::Value *chunk_at(Value v, llvm::Value *number, llvm::Value *&within);
    llvm::Value *find_cell(Value v);
    llvm::Value *make_cell(Value v, llvm::Value *number);
    llvm::Value *has_cell(Value v);
    llvm::Value *new_cell(Value v);
    llvm::Value *either(llvm::Value *fast, llvm::Value *quick, const std::function<llvm::Value *()> &slow);
    llvm::Value *call_runtime(Value v, size_t routine, llvm::Value *number); ///< offset in abi::SparseCalls
    llvm::Value *list_element(Value v);
    const ir::PlaceLevel &level(Value v) const;

    std::map<std::pair<int, uint64_t>, uint32_t> bases_;
    std::vector<std::pair<llvm::Instruction *, uint32_t>> accesses_;
    std::map<size_t, llvm::Value *> launch_pointers_;
    std::map<std::pair<size_t, size_t>, llvm::Value *> pointers_through_;
    std::map<std::pair<uint32_t, uint32_t>, llvm::Value *> lists_;
    std::map<std::pair<uint32_t, llvm::Type *>, llvm::Value *> slots_;
};

} // namespace qd::codegen
