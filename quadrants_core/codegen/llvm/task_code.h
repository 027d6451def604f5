#pragma once
// The state of code generation for one task: insertion points, and the LLVM values of the IR values emitted so far. Each op
// family has its own class that emits into it.
#include "abi/abi.h"
#include "codegen/llvm/emit.h"
#include "codegen/llvm/alias_scopes.h"
#include "codegen/llvm/words.h"

#include <map>
#include <string>
#include <vector>

namespace qd::codegen {

using ir::Family;
using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;

inline llvm::Constant *integer(llvm::Type *t, int64_t v) { return llvm::ConstantInt::get(t, uint64_t(v), true); }
inline llvm::Constant *real(llvm::Type *t, double v) { return llvm::ConstantFP::get(t, v); }

class TaskCode {
  public:
    TaskCode(const ir::Function &task, llvm::Module &module, const TargetFacts &target);
    ~TaskCode();

    const ir::Function &fn;
    const TargetFacts &target;
    llvm::Module &module;
    llvm::LLVMContext &context;
    llvm::IRBuilder<> b;
    llvm::IRBuilder<> entry; ///< inserts before the branch that ends the entry block
    LaunchWords words;
    AliasScopes alias_scopes;
    const std::unique_ptr<TaskFrame> frame;
    const std::unique_ptr<OwnForms> forms;
    llvm::Function *out = nullptr;
    llvm::BasicBlock *leave = nullptr;      ///< the block that returns
    std::vector<llvm::Value *> values;      ///< by Value id; null: not emitted yet
    std::vector<uint32_t> base;             ///< by Value id: the alias scope of a pointer; 0 = unknown
    std::map<uint32_t, llvm::Value *> wide; ///< by Value id: the 64-bit counter of a loop with a 32-bit index

    /// Starts a function with its entry and leave blocks; `b` inserts between them.
    void begin(llvm::Function *function);
    void forget_values();
    /// Adds a constant to the object file, which the runtime finds by its name.
    void add_constant(const char *name, const void *content, size_t bytes, size_t align);
    llvm::BasicBlock *new_block(const char *name);
    /// Starts a new block before an instruction that FastISel does not support. See plain.cpp.
    void apart();
    [[noreturn]] void refuse(Value v, const std::string &why) const;

    llvm::Value *get(Value v);
    /// Returns an operand of the instruction that is being emitted. Operands of others may be in another function (parts.h): `at_hand`.
    llvm::Value *arg(Value v, size_t i) { return get(fn.args(v)[i]); }
    /// Returns null if the current function does not have the value.
    llvm::Value *at_hand(Value v) const { return values[v.id]; }
    Type arg_type(Value v, size_t i) const { return fn.type(fn.args(v)[i]); }
    void set(Value v, llvm::Value *x) { values[v.id] = x; }
    /// Returns the alias scope of operand 0.
    uint32_t alias_scope_of(Value access) const { return base[fn.args(access)[0].id]; }
    /// Returns the first slot of a parameter in a launch record.
    uint32_t slot_of(Value param) const;

    llvm::Type *scalar(Scalar s);
    llvm::Type *memory_type(Type t); ///< as stored: u1 is a byte
    llvm::Type *type(Type t);
    llvm::Constant *constant(Type t, uint64_t bits);
    llvm::PointerType *pointer(ir::Space space) { return b.getPtrTy(target.spaces.of(space)); }
    /// Returns the threads that an update of memory of this space orders: those that can reach it.
    llvm::SyncScope::ID scope(ir::Space space) const;
    llvm::SyncScope::ID scope(const char *name) const { return context.getOrInsertSyncScopeID(name); }

  private:
    llvm::Value *param(Value v);
};

} // namespace qd::codegen
