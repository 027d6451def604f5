// Addresses, loads and stores, atomics, messages, and what LLVM is told about aliasing.
//
// Every pointer leads into one piece of memory: an array argument, a field tree, the buffer between tasks, the return
// buffer, a local, the stacks, the counters, the state of the thread. Each piece gets an alias scope; an access carries its own
// scope and `noalias` on all others. A pointer that came through a block parameter has no known piece and carries
// nothing.
#include "codegen/llvm/emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>

namespace qd::codegen {

/// What a launch says does not change while the task runs.
llvm::Value *Emitter::launch_pointer(size_t offset) {
    llvm::Value *&known = launch_pointers_[offset];
    if (!known) known = constant_pointer(out_->getArg(0), offset);
    return known;
}

llvm::Value *Emitter::pointer_through(size_t offset, size_t inner) {
    llvm::Value *&known = pointers_through_[{offset, inner}];
    if (!known) known = constant_pointer(launch_pointer(offset), inner);
    return known;
}

/// What stands `offset` bytes behind `base`.
llvm::Value *Emitter::constant_pointer(llvm::Value *base, size_t offset) {
    llvm::Value *at = entry_.CreateConstInBoundsGEP1_32(entry_.getInt8Ty(), base, unsigned(offset));
    llvm::LoadInst *load = entry_.CreateAlignedLoad(entry_.getPtrTy(), at, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
}

llvm::Value *Emitter::slot(uint32_t index, llvm::Type *t) {
    llvm::Value *&known = slots_[{index, t}];
    if (known) return known;
    llvm::Value *args = launch_pointer(offsetof(abi::Launch, data.args));
    llvm::Value *at = entry_.CreateConstInBoundsGEP1_32(entry_.getInt64Ty(), args, index);
    llvm::LoadInst *load = entry_.CreateAlignedLoad(t, at, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return known = load;
}

uint32_t Emitter::slot_of(Value param) const {
    uint32_t slot = 0;
    for (Value p : fn_.params) {
        if (p == param) return slot;
        Type t = fn_.type(p);
        slot += abi::argument_slots(t.is_array(), t.ndim);
    }
    refuse(param, "not a parameter of the task");
}

llvm::Value *Emitter::param(Value v) {
    Type t = fn_.type(v);
    llvm::Value *value = slot(slot_of(v), memory_type(t));
    return t.is_bool() ? entry_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())) : value;
}

llvm::Value *Emitter::address(Value v) {
    const ir::Inst &in = fn_[v];
    uint32_t &base = base_[v.id];
    llvm::Type *byte = b_.getInt8Ty();
    const auto in_buffer = [&](Piece piece, size_t buffer, uint64_t bytes) {
        base = base_of(piece, 0);
        return b_.CreateConstInBoundsGEP1_64(byte, launch_pointer(buffer), bytes);
    };
    switch (AddressOp(in.op)) {
    case AddressOp::array_base: {
        uint32_t first = slot_of(fn_.args(v)[0]);
        base = base_of(array_piece, first);
        return slot(first, b_.getPtrTy());
    }
    case AddressOp::tree_base: {
        base = base_of(tree_piece, in.imm);
        llvm::Value *trees = launch_pointer(offsetof(abi::Launch, data.trees));
        llvm::Value *at = entry_.CreateConstInBoundsGEP1_32(entry_.getPtrTy(), trees, unsigned(in.imm));
        llvm::LoadInst *load = entry_.CreateAlignedLoad(entry_.getPtrTy(), at, llvm::Align(8));
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
        return load;
    }
    case AddressOp::tmp: return in_buffer(tmp_piece, offsetof(abi::Launch, data.tmp), in.imm);
    case AddressOp::ret_slot: return in_buffer(ret_piece, offsetof(abi::Launch, data.ret), in.imm);
    case AddressOp::count_slot: return in_buffer(counter_piece, offsetof(abi::Launch, data.counters), 8 * in.imm);
    case AddressOp::random_state:
        static_assert(offsetof(abi::Thread, random) == 0);
        base = base_of(thread_piece, 0);
        return out_->getArg(1);
    case AddressOp::reserve:
        return heap_.reserve(in, arg(v, 0), launch_pointer(offsetof(abi::Launch, host.reserve)), leave_);
    case AddressOp::stack: base = base_of(stack_piece, 0); return b_.CreateIntToPtr(arg(v, 0), b_.getPtrTy());
    case AddressOp::offset: base = base_[fn_.args(v)[0].id]; return b_.CreateGEP(byte, arg(v, 0), arg(v, 1));
    case AddressOp::local: {
        base = base_of(local_piece, v.id);
        llvm::Type *element = memory_type(Type(in.type.elem));
        llvm::AllocaInst *room = entry_.CreateAlloca(llvm::ArrayType::get(element, in.imm ? in.imm : 1));
        room->setAlignment(llvm::Align(16));
        uint64_t bytes = in.imm * uint64_t(ir::size_of(in.type.elem));
        note(b_.CreateMemSet(room, b_.getInt8(0), bytes, llvm::MaybeAlign(16)), base);
        return room;
    }
    case AddressOp::element:
    case AddressOp::place: refuse(v, "must be lowered to pointer arithmetic first");
    }
    refuse(v, "has no machine code");
}

uint32_t Emitter::base_of(int kind, uint64_t which) {
    if (!fn_.distinct_arrays && (kind == array_piece || kind == tree_piece)) kind = array_piece, which = 0;
    return bases_.try_emplace({kind, which}, uint32_t(bases_.size() + 1)).first->second;
}

void Emitter::note(llvm::Instruction *access, uint32_t base) {
    if (base) accesses_.push_back({access, base});
}

void Emitter::attach_alias_facts() {
    // Lists grow with the square of the number of pieces.
    if (bases_.size() < 2 || bases_.size() > 40) return;
    llvm::MDBuilder md(context_);
    llvm::MDNode *domain = md.createAnonymousAliasScopeDomain();
    std::vector<llvm::Metadata *> scopes;
    for (size_t i = 0; i < bases_.size(); ++i) scopes.push_back(md.createAnonymousAliasScope(domain));
    std::vector<llvm::MDNode *> own, others;
    for (size_t i = 0; i < scopes.size(); ++i) {
        std::vector<llvm::Metadata *> rest = scopes;
        rest.erase(rest.begin() + ptrdiff_t(i));
        own.push_back(llvm::MDNode::get(context_, {scopes[i]}));
        others.push_back(llvm::MDNode::get(context_, rest));
    }
    for (auto [access, base] : accesses_) {
        access->setMetadata(llvm::LLVMContext::MD_alias_scope, own[base - 1]);
        access->setMetadata(llvm::LLVMContext::MD_noalias, others[base - 1]);
    }
}

void Emitter::load(Value v) {
    Type t = fn_[v].type;
    llvm::LoadInst *load = b_.CreateAlignedLoad(memory_type(t), arg(v, 0), llvm::Align(uint64_t(ir::size_of(t.elem))));
    if (fn_[v].op == Op::volatile_load) {
        load->setVolatile(true);
        load->setAtomic(llvm::AtomicOrdering::Acquire);
    }
    note(load, base_[fn_.args(v)[0].id]);
    set(v, t.is_bool() ? b_.CreateICmpNE(load, llvm::Constant::getNullValue(load->getType())) : load);
}

void Emitter::store(Value v) {
    Type t = arg_type(v, 1);
    llvm::Value *value = arg(v, 1);
    if (t.is_bool()) value = b_.CreateZExt(value, memory_type(t));
    llvm::StoreInst *store = b_.CreateAlignedStore(value, arg(v, 0), llvm::Align(uint64_t(ir::size_of(t.elem))));
    note(store, base_[fn_.args(v)[0].id]);
}

/// masked_load, masked_store, gather, scatter.
void Emitter::masked(Value v) {
    Op op = fn_[v].op;
    bool far = op == Op::gather || op == Op::scatter, reads = op == Op::masked_load || op == Op::gather;
    uint32_t value_at = far ? 2 : 1;
    Type t = reads ? fn_[v].type : arg_type(v, value_at);
    llvm::Align align(uint64_t(ir::size_of(t.elem)));
    llvm::Type *memory = memory_type(t);
    llvm::Value *mask = arg(v, op == Op::masked_load ? 1 : op == Op::scatter ? 3 : 2);
    llvm::Value *pointer = arg(v, 0);
    if (far) pointer = b_.CreateGEP(b_.getInt8Ty(), pointer, arg(v, 1));
    llvm::CallInst *access;
    if (reads) {
        llvm::Value *off = far ? llvm::Constant::getNullValue(memory) : arg(v, 2);
        if (!far && t.is_bool()) off = b_.CreateZExt(off, memory);
        access = far ? b_.CreateMaskedGather(memory, pointer, align, mask, off)
                     : b_.CreateMaskedLoad(memory, pointer, align, mask, off);
        set(v, t.is_bool() ? b_.CreateICmpNE(access, llvm::Constant::getNullValue(memory)) : access);
    } else {
        llvm::Value *value = arg(v, value_at);
        if (t.is_bool()) value = b_.CreateZExt(value, memory);
        access = far ? b_.CreateMaskedScatter(value, pointer, align, mask)
                     : b_.CreateMaskedStore(value, pointer, align, mask);
    }
    note(access, base_[fn_.args(v)[0].id]);
}

void Emitter::memory(Value v) {
    switch (MemoryOp(fn_[v].op)) {
    case MemoryOp::load:
    case MemoryOp::volatile_load: return load(v);
    case MemoryOp::store: return store(v);
    case MemoryOp::masked_load:
    case MemoryOp::masked_store:
    case MemoryOp::gather:
    case MemoryOp::scatter: return masked(v);
    }
}

void Emitter::atomic(Value v) {
    using Rmw = llvm::AtomicRMWInst;
    const ir::Inst &in = fn_[v];
    Type t = in.type;
    llvm::Value *pointer = arg(v, 0), *value = arg(v, 1);
    uint32_t base = base_[fn_.args(v)[0].id];
    bool is_float = t.is_float(), is_signed = ir::is_signed(t.elem), is_bool = t.is_bool();
    // Exchange and compare-and-swap are what locks are made of: they also order other accesses.
    auto ordering = llvm::AtomicOrdering::Monotonic;
    Rmw::BinOp op = Rmw::BAD_BINOP;
    switch (AtomicOp(in.op)) {
    case AtomicOp::atomic_add: op = is_bool ? Rmw::Xor : is_float ? Rmw::FAdd : Rmw::Add; break;
    case AtomicOp::atomic_mul: op = is_bool ? Rmw::And : Rmw::BAD_BINOP; break;
    case AtomicOp::atomic_min: op = is_bool ? Rmw::And : is_float ? Rmw::FMin : is_signed ? Rmw::Min : Rmw::UMin; break;
    case AtomicOp::atomic_max: op = is_bool ? Rmw::Or : is_float ? Rmw::FMax : is_signed ? Rmw::Max : Rmw::UMax; break;
    case AtomicOp::atomic_and: op = Rmw::And; break;
    case AtomicOp::atomic_or: op = Rmw::Or; break;
    case AtomicOp::atomic_xor: op = Rmw::Xor; break;
    case AtomicOp::atomic_xchg:
        op = Rmw::Xchg;
        ordering = llvm::AtomicOrdering::AcquireRelease;
        break;
    case AtomicOp::atomic_cas: break;
    }
    if (in.op == Op::atomic_cas || op == Rmw::BAD_BINOP || (t.elem == Scalar::f16 && op != Rmw::Xchg))
        return set(v, atomic_loop(v, pointer, value));
    llvm::Align align{uint64_t(ir::size_of(t.elem))};
    llvm::Type *word = is_float ? type(t) : memory_type(t);
    if (op == Rmw::Xchg && is_float) word = b_.getIntNTy(unsigned(ir::bits_of(t.elem)));
    llvm::Value *operand = is_bool                    ? b_.CreateZExt(value, word)
                           : word != value->getType() ? b_.CreateBitCast(value, word)
                                                      : value;
    apart();
    llvm::AtomicRMWInst *rmw = b_.CreateAtomicRMW(op, pointer, operand, align, ordering);
    note(rmw, base);
    if (fn_[v].type.is_bool()) return set(v, b_.CreateICmpNE(rmw, llvm::Constant::getNullValue(word)));
    set(v, word != type(t) ? b_.CreateBitCast(rmw, type(t)) : rmw);
}

/// Compare-and-swap: once for atomic_cas, in a loop for what the machine has no instruction for.
llvm::Value *Emitter::atomic_loop(Value v, llvm::Value *pointer, llvm::Value *operand) {
    Type t = fn_[v].type;
    uint32_t base = base_[fn_.args(v)[0].id];
    llvm::Type *word = b_.getIntNTy(unsigned(8 * ir::size_of(t.elem)));
    llvm::Align align{uint64_t(ir::size_of(t.elem))};
    auto to_word = [&](llvm::Value *x) { return t.is_bool() ? b_.CreateZExt(x, word) : b_.CreateBitCast(x, word); };
    auto to_value = [&](llvm::Value *x) {
        return t.is_bool() ? b_.CreateICmpNE(x, llvm::Constant::getNullValue(word)) : b_.CreateBitCast(x, type(t));
    };
    if (fn_[v].op == Op::atomic_cas) {
        llvm::Value *expected = to_word(operand), *desired = to_word(arg(v, 2));
        apart();
        llvm::AtomicCmpXchgInst *swap = b_.CreateAtomicCmpXchg(
            pointer, expected, desired, align, llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Acquire);
        note(swap, base);
        return to_value(b_.CreateExtractValue(swap, 0));
    }
    apart();
    llvm::LoadInst *first = b_.CreateAlignedLoad(word, pointer, align);
    first->setAtomic(llvm::AtomicOrdering::Monotonic);
    note(first, base);
    llvm::BasicBlock *before = b_.GetInsertBlock(), *again = new_block("retry"), *done = new_block("swapped");
    b_.CreateBr(again);
    b_.SetInsertPoint(again);
    llvm::PHINode *old = b_.CreatePHI(word, 2);
    old->addIncoming(first, before);
    llvm::Value *x = to_value(old), *next = nullptr;
    if (t.is_float()) {
        const auto op = ArithmeticOp(ir::plain_op(fn_[v].op));
        const Type wide = t.elem == Scalar::f16 ? Type(Scalar::f32) : t;
        llvm::Value *wide_x = cast(t, wide, x), *wide_y = cast(t, wide, operand);
        next = cast(wide, t, on_floats(op, wide_x, wide_y));
    } else {
        next = b_.CreateMul(x, operand);
    }
    llvm::AtomicCmpXchgInst *swap = b_.CreateAtomicCmpXchg(
        pointer, old, to_word(next), align, llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
    note(swap, base);
    old->addIncoming(b_.CreateExtractValue(swap, 0), again);
    b_.CreateCondBr(b_.CreateExtractValue(swap, 1), done, again);
    b_.SetInsertPoint(done);
    return x;
}

/// Hands the values to abi::HostServices::print or fail.
void Emitter::message(Value v) {
    const ir::Inst &in = fn_[v];
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
    llvm::AllocaInst *slots = entry_.CreateAlloca(llvm::ArrayType::get(i64, std::max(in.args.size, 1u)));
    for (uint32_t i = 0; i < in.args.size; ++i) {
        const Type t = arg_type(v, i);
        if (!t.is_scalar() || ir::bits_of(t.elem) != 64) refuse(v, "its values must be words of 8 bytes");
        b_.CreateStore(arg(v, i), b_.CreateConstInBoundsGEP1_64(i64, slots, i));
    }
    const size_t service = in.op == Op::print ? offsetof(abi::Launch, host.print) : offsetof(abi::Launch, host.fail);
    auto *signature = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, b_.getInt32Ty(), ptr}, false);
    llvm::CallInst *call = b_.CreateCall(signature, launch_pointer(service),
                                         {out_->getArg(0), out_->getArg(1), b_.getInt32(uint32_t(in.imm)), slots});
    call->setDoesNotThrow();
    if (in.op == Op::fail) call->addFnAttr(llvm::Attribute::Cold);
}

/// device_lib/clock.h
llvm::Value *Emitter::clock() {
    const llvm::Intrinsic::ID id =
        target_.clock_counts_cycles ? llvm::Intrinsic::readcyclecounter : llvm::Intrinsic::readsteadycounter;
    return b_.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type *>(), llvm::ArrayRef<llvm::Value *>());
}

llvm::Value *Emitter::thread_index() {
    llvm::Value *at = b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), out_->getArg(1), offsetof(abi::Thread, index));
    return b_.CreateAlignedLoad(b_.getInt32Ty(), at, llvm::Align(4));
}

/// Asks for the function at every call: its address is not the same in another process.
void Emitter::external(Value v) {
    const uint64_t count = fn_[v].imm % ir::external_arguments, id = fn_[v].imm / ir::external_arguments;
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
    auto *find = llvm::FunctionType::get(ptr, {i64}, false);
    llvm::CallInst *function =
        b_.CreateCall(find, launch_pointer(offsetof(abi::Launch, host.external)), {b_.getInt64(id)});
    function->setDoesNotThrow();
    std::vector<llvm::Value *> slots;
    for (unsigned i = 0; i < count; ++i) slots.push_back(b_.CreateConstInBoundsGEP1_32(i64, arg(v, 0), i));
    auto *signature = llvm::FunctionType::get(b_.getVoidTy(), std::vector<llvm::Type *>(count, ptr), false);
    b_.CreateCall(signature, function, slots);
}

llvm::Value *Emitter::stop_requested() {
    llvm::Type *i32 = b_.getInt32Ty();
    llvm::Value *stop = b_.CreateLoad(i32, launch_pointer(offsetof(abi::Launch, data.stop)), true);
    llvm::Value *failed = b_.CreateLoad(i32, launch_pointer(offsetof(abi::Launch, data.failed)), true);
    return b_.CreateICmpNE(b_.CreateOr(stop, failed), b_.getInt32(0));
}

llvm::Value *Emitter::counts_asked() {
    llvm::Value *asked = b_.CreateLoad(b_.getInt32Ty(), launch_pointer(offsetof(abi::Launch, data.asked)), true);
    return b_.CreateOr(stop_requested(), b_.CreateICmpNE(asked, b_.getInt32(0)));
}

llvm::Value *Emitter::answer() {
    b_.CreateStore(b_.getInt32(0), launch_pointer(offsetof(abi::Launch, data.asked)), true);
    return stop_requested();
}

} // namespace qd::codegen
