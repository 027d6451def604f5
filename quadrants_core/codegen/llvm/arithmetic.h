#pragma once
// Emits pure ops (arithmetic.cpp) and functions of floats (math.cpp, inline_math.cpp).
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

using ir::ArithmeticOp;
using ir::BitsOp;
using ir::ComparisonOp;
using ir::PlainOp;
using ir::RealOp;
using ir::ReductionOp;

class Arithmetic {
  public:
    explicit Arithmetic(TaskCode &code) : code_(code), fn_(code.fn), target_(code.target), b_(code.b) {}

    llvm::Value *pure(Value v);
    llvm::Value *on_floats(ArithmeticOp op, llvm::Value *x, llvm::Value *y);
    llvm::Value *on_integers(ArithmeticOp op, Type t, llvm::Value *x, llvm::Value *y);
    llvm::Value *bits(BitsOp op, Type t, llvm::Value *x, llvm::Value *y);
    llvm::Value *cast(Type from, Type to, llvm::Value *x);

  private:
    // arithmetic.cpp
    llvm::Value *plain(Value v);
    llvm::Value *arithmetic(Value v);
    llvm::Value *extreme(bool greater, llvm::Value *x, llvm::Value *y);
    llvm::Value *extreme_int(bool greater, bool is_signed, llvm::Value *x, llvm::Value *y);
    llvm::Value *power(llvm::Value *x, llvm::Value *y);
    llvm::Value *compare(ComparisonOp op, Type t, llvm::Value *x, llvm::Value *y);
    llvm::Value *reduce(ReductionOp op, Type t, llvm::Value *x);
    llvm::Value *set_lanes(Value sum);

    // math.cpp
    llvm::Value *intrinsic(llvm::Intrinsic::ID id, llvm::Value *x, llvm::Value *y = nullptr, llvm::Value *z = nullptr);
    llvm::Value *call_libm(const char *name, llvm::Value *x, llvm::Value *y = nullptr);
    llvm::Value *call_for_lanes(const char *name, llvm::ArrayRef<llvm::Value *> args);
    llvm::Value *unless_rare(llvm::Value *rare, llvm::Value *usual, const char *name,
                             llvm::ArrayRef<llvm::Value *> args);
    llvm::Value *real_function(RealOp op, llvm::Value *x, llvm::Value *y, llvm::Value *z);
    llvm::Value *rsqrt(llvm::Value *x);
    /// Refuses a function that is no instruction, where the target has none.
    void need_functions(const char *name);

    // floor_division.cpp
    llvm::Value *floor_division(bool quotient, llvm::Value *x, llvm::Value *y);

    // inline_math.cpp
    llvm::Value *inline_math(RealOp op, llvm::Value *x); ///< null if there is none for this op and type

    TaskCode &code_;
    const ir::Function &fn_;
    const TargetFacts &target_;
    llvm::IRBuilder<> &b_;
};

} // namespace qd::codegen
