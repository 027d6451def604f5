// Functions and structured control flow. Loops are emitted rotated: the test stands before the loop and on the back
// edge.
#include "codegen/llvm/emitter.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>

namespace qd::codegen {

std::unique_ptr<llvm::Module> emit(const ir::Function &task, llvm::LLVMContext &context, const TargetFacts &target,
                                   bool with_lines) {
    if (task.role == ir::Role::kernel) throw Refused("only tasks can be compiled; cut the kernel into tasks first");
    auto module = std::make_unique<llvm::Module>("qd", context);
    std::optional<Lines> lines;
    if (with_lines) lines.emplace(*module);
    Emitter emitter(task, *module, target, lines ? &*lines : nullptr);
    emitter.body();
    if (task.bounds) emitter.bounds();
    return module;
}

Emitter::Emitter(const ir::Function &task, llvm::Module &module, const TargetFacts &target, Lines *lines)
    : fn_(task), target_(target), lines_(lines), module_(module), context_(module.getContext()), b_(context_),
      entry_(context_), heap_(b_) {
    if (task.fast_math) {
        // NaN and infinity keep their meaning, so that tests for them work.
        llvm::FastMathFlags flags;
        flags.setAllowReassoc();
        flags.setAllowContract();
        flags.setAllowReciprocal();
        flags.setApproxFunc();
        flags.setNoSignedZeros();
        b_.setFastMathFlags(flags);
    }
}

void Emitter::body() {
    begin(abi::body_symbol, false);
    if (reserves(fn_, fn_.body)) heap_.enter();
    block(fn_.body);
    finish();
}

void Emitter::bounds() {
    begin(abi::bounds_symbol, true);
    llvm::Type *i64 = b_.getInt64Ty();
    b_.CreateStore(integer(i64, 0), out_->getArg(2));
    b_.CreateStore(integer(i64, 0), b_.CreateConstGEP1_32(i64, out_->getArg(2), 1));
    block(fn_.bounds);
    finish();
}

/// Both functions take (Context *, Thread *, ...): the chunk's begin and end, or where to put the range.
void Emitter::begin(const char *name, bool bounds) {
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
    std::vector<llvm::Type *> params = {ptr, ptr, bounds ? ptr : i64};
    if (!bounds) params.push_back(i64);
    auto *signature = llvm::FunctionType::get(b_.getVoidTy(), params, false);
    out_ = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module_);
    out_->setDoesNotThrow();
    out_->addFnAttr("denormal-fp-math", "preserve-sign,preserve-sign"); // tasks run with FTZ and DAZ set
    out_->addFnAttr("no-trapping-math", "true");
    out_->addFnAttr("reciprocal-estimates", "none");
    out_->addFnAttr("probe-stack", "inline-asm"); // a frame larger than the stack meets its guard page
    for (unsigned i = 0; i < (bounds ? 3u : 2u); ++i) out_->addParamAttr(i, llvm::Attribute::NoAlias);
    out_->getArg(0)->addAttr(llvm::Attribute::getWithDereferenceableBytes(context_, sizeof(abi::Launch)));
    in_bounds_ = bounds;
    heap_.begin(out_->getArg(1), [this](llvm::Instruction *access) { note(access, base_of(thread_piece, 0)); });
    if (lines_) lines_->enter(*out_);
    values_.assign(fn_.insts.size(), nullptr);
    base_.assign(fn_.insts.size(), 0);
    regions_.clear();
    bases_.clear();
    accesses_.clear();
    launch_pointers_.clear();
    pointers_through_.clear();
    lists_.clear();
    slots_.clear();

    llvm::BasicBlock *entry = llvm::BasicBlock::Create(context_, "entry", out_);
    llvm::BasicBlock *start = llvm::BasicBlock::Create(context_, "start", out_);
    leave_ = llvm::BasicBlock::Create(context_, "leave", out_);
    entry_.SetInsertPoint(entry);
    entry_.SetInsertPoint(entry_.CreateBr(start));
    b_.SetInsertPoint(start);
}

void Emitter::finish() {
    b_.SetCurrentDebugLocation({});
    b_.SetInsertPoint(leave_);
    heap_.leave();
    b_.CreateRetVoid();
    leave_->moveAfter(&out_->back());
    attach_alias_facts();
}

llvm::BasicBlock *Emitter::new_block(const char *name) {
    return llvm::BasicBlock::Create(context_, name, out_, leave_);
}

void Emitter::refuse(Value v, const std::string &why) const {
    std::string op = v ? ir::info(fn_[v].op).name : "value";
    throw Refused("cannot compile `" + fn_.name + "`: " + op + ": " + why);
}

llvm::Value *Emitter::get(Value v) {
    if (v.id >= values_.size()) refuse({}, "value out of range");
    if (llvm::Value *known = values_[v.id]) return known;
    if (fn_[v].op != Op::param) refuse(v, "used before its definition");
    return values_[v.id] = param(v);
}

void Emitter::block(ir::BlockId id) {
    if (!id || id.id >= fn_.blocks.size()) refuse({}, "missing block");
    for (Value v : fn_[id].insts) instruction(v);
}

void Emitter::instruction(Value v) {
    const ir::Inst &in = fn_[v];
    if (lines_) b_.SetCurrentDebugLocation(lines_->at(in.span));
    switch (ir::family(in.op)) {
    case Family::meta: return;
    case Family::plain:
    case Family::arithmetic:
    case Family::bits:
    case Family::real:
    case Family::comparison:
    case Family::reduction: return set(v, pure(v));
    case Family::address: return set(v, address(v));
    case Family::memory: return memory(v);
    case Family::atomic: return atomic(v);
    case Family::packed: refuse(v, "must be lowered to words first");
    case Family::cell:
        if (in.op != Op::address) refuse(v, "must be lowered to steps first");
        return set(v, b_.CreatePtrToInt(arg(v, 0), b_.getInt64Ty()));
    case Family::step: return step(v);
    case Family::outside: return outside(v);
    case Family::terminator: return terminator(v);
    case Family::control: break;
    }
    switch (ControlOp(in.op)) {
    case ControlOp::if_: return if_op(v);
    case ControlOp::for_: return for_op(v);
    case ControlOp::loop: return loop_op(v);
    case ControlOp::parallel: refuse(v, "must be turned into a loop over a chunk first");
    }
}

void Emitter::outside(Value v) {
    switch (OutsideOp(fn_[v].op)) {
    case OutsideOp::random:
    case OutsideOp::assert_:
    case OutsideOp::count: refuse(v, "must be lowered first");
    case OutsideOp::print:
    case OutsideOp::fail: return message(v);
    case OutsideOp::poll: return set(v, stop_requested());
    case OutsideOp::asked: return set(v, counts_asked());
    case OutsideOp::answer: return set(v, answer());
    case OutsideOp::clock: return set(v, clock());
    case OutsideOp::thread_index: return set(v, thread_index());
    case OutsideOp::external: return external(v);
    case OutsideOp::graph_begin:
    case OutsideOp::graph_end: refuse(v, "must be cut into tasks first");
    }
}

void Emitter::terminator(Value v) {
    const ir::Inst &in = fn_[v];
    std::span<const Value> args = fn_.args(v);
    auto loop = std::find_if(regions_.rbegin(), regions_.rend(), [](const Region &r) { return r.loop; });
    switch (TerminatorOp(in.op)) {
    case TerminatorOp::yield:
        if (!regions_.empty()) return jump(regions_.back().yield, args);
        if (in_bounds_)
            for (unsigned i = 0; i < 2 && i < args.size(); ++i)
                b_.CreateStore(get(args[i]), b_.CreateConstGEP1_32(b_.getInt64Ty(), out_->getArg(2), i));
        b_.CreateBr(leave_);
        return;
    case TerminatorOp::break_:
        if (loop == regions_.rend()) refuse(v, "outside a loop");
        return jump(loop->leave, args);
    case TerminatorOp::continue_:
        if (loop == regions_.rend()) refuse(v, "outside a loop");
        return jump(loop->yield, args);
    case TerminatorOp::ret:
        if (!args.empty()) refuse(v, "a task returns through ret_slot");
        b_.CreateBr(leave_);
        return;
    case TerminatorOp::exit: b_.CreateBr(leave_); return;
    }
}

Emitter::Exit Emitter::make_exit(const char *name, std::span<const Value> like) {
    Exit exit;
    exit.block = new_block(name);
    llvm::IRBuilder<> at(exit.block);
    for (Value v : like) exit.phis.push_back(at.CreatePHI(type(fn_.type(v)), 2));
    return exit;
}

void Emitter::jump(Exit &to, std::span<const Value> values) {
    if (values.size() < to.phis.size()) refuse({}, "too few values for a block");
    for (size_t i = 0; i < to.phis.size(); ++i) to.phis[i]->addIncoming(get(values[i]), b_.GetInsertBlock());
    b_.CreateBr(to.block);
}

/// Goes on after a construct, its results known. A place that nothing jumps to has no phis.
void Emitter::take(const Exit &from, std::span<const Value> results) {
    bool reached = !llvm::pred_empty(from.block);
    for (size_t i = 0; i < from.phis.size(); ++i) {
        llvm::PHINode *phi = from.phis[i];
        if (i < results.size()) set(results[i], reached ? phi : (llvm::Value *)llvm::PoisonValue::get(phi->getType()));
        if (!reached) phi->eraseFromParent();
    }
    b_.SetInsertPoint(from.block);
}

/// A side that does nothing has no block. One that ends the task with a failure is seldom taken.
void Emitter::if_op(Value v) {
    const auto insts = [&](int side) -> std::span<const Value> { return fn_[fn_[v].blocks[side]].insts; };
    const auto is_empty = [&](int side) {
        return insts(side).size() == 1 && fn_[insts(side)[0]].op == Op::yield && fn_.results(v).empty();
    };
    const auto fails = [&](int side) {
        return insts(side).size() > 1 && fn_[insts(side)[insts(side).size() - 2]].op == Op::fail;
    };
    Exit merge = make_exit("endif", fn_.results(v));
    llvm::BasicBlock *sides[2];
    for (int side = 0; side < 2; ++side) sides[side] = is_empty(side) ? merge.block : new_block(side ? "else" : "then");
    llvm::MDNode *weights = nullptr;
    if (fails(0) != fails(1))
        weights = llvm::MDBuilder(context_).createBranchWeights(fails(0) ? 1 : 100000, fails(1) ? 1 : 100000);
    b_.CreateCondBr(arg(v, 0), sides[0], sides[1], weights);
    for (int side = 0; side < 2; ++side) {
        if (is_empty(side)) continue;
        b_.SetInsertPoint(sides[side]);
        regions_.push_back({merge, {}, false});
        block(fn_[v].blocks[side]);
        regions_.pop_back();
    }
    merge.block->moveBefore(leave_);
    take(merge, fn_.results(v));
}

/// A loop that looks for Stop does so once in many rounds if these are short:
///
///     if lo < hi:                                   limit = lo + min(hi - lo, many)
///         do body while (++i != limit)
///         if i != hi: leave if told to; limit = i + min(hi - i, many); go on with the body
///
/// One that runs the other way has the last index before the next look as its limit.
void Emitter::for_op(Value v) {
    std::span<const Value> args = fn_.args(v), params = fn_[fn_[v].blocks[0]].params;
    const ir::Loop &loop = fn_.loops.at(fn_[v].imm);
    const uint64_t many = rounds_between_looks(v);
    llvm::Value *lower = get(args[0]), *upper = get(args[1]);
    llvm::Value *one = llvm::ConstantInt::get(lower->getType(), 1);
    bool is_signed = ir::is_signed(arg_type(v, 0).elem);

    Region region = loop_region(v, "endfor");
    llvm::BasicBlock *body = new_block("for"), *before = b_.GetInsertBlock();
    for (size_t i = 0; i < region.leave.phis.size(); ++i) region.leave.phis[i]->addIncoming(get(args[2 + i]), before);
    llvm::Value *first = loop.reversed ? b_.CreateSub(upper, one) : lower;
    llvm::Value *runs = is_signed ? b_.CreateICmpSLT(lower, upper) : b_.CreateICmpULT(lower, upper);
    auto limit_after = [&](llvm::Value *index) {
        llvm::Value *left = loop.reversed ? b_.CreateSub(index, lower) : b_.CreateSub(upper, index);
        llvm::Value *most = llvm::ConstantInt::get(left->getType(), loop.reversed ? many - 1 : many);
        if (loop.reversed) return b_.CreateSub(index, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, most));
        return b_.CreateAdd(index, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, most));
    };
    llvm::Value *limit = loop.reversed ? lower : upper;
    if (many) {
        llvm::BasicBlock *start = new_block("start");
        b_.CreateCondBr(runs, start, region.leave.block);
        b_.SetInsertPoint(before = start);
        limit = limit_after(first);
        b_.CreateBr(body);
    } else {
        b_.CreateCondBr(runs, body, region.leave.block);
    }

    b_.SetInsertPoint(body);
    llvm::PHINode *index = b_.CreatePHI(lower->getType(), 2, "i"), *limit_now = nullptr;
    index->addIncoming(first, before);
    if (many) {
        limit_now = b_.CreatePHI(lower->getType(), 3, "limit");
        limit_now->addIncoming(limit, before);
    }
    set(params[0], index);
    loop_body(v, region, before, [&]() -> llvm::BasicBlock * {
        llvm::Value *next, *more;
        if (loop.reversed) {
            next = b_.CreateSub(index, one, "", !is_signed, is_signed);
            more = b_.CreateICmpNE(index, many ? static_cast<llvm::Value *>(limit_now) : lower);
        } else {
            next = b_.CreateAdd(index, one, "", !is_signed, is_signed);
            more = b_.CreateICmpNE(next, many ? static_cast<llvm::Value *>(limit_now) : upper);
        }
        auto ends_here = [&] {
            for (size_t i = 0; i < region.leave.phis.size(); ++i)
                region.leave.phis[i]->addIncoming(region.yield.phis[i], b_.GetInsertBlock());
        };
        index->addIncoming(next, b_.GetInsertBlock());
        if (!many) {
            ends_here();
            b_.CreateCondBr(more, body, region.leave.block);
            return nullptr;
        }
        llvm::MDNode *seldom = llvm::MDBuilder(context_).createBranchWeights(uint32_t(many), 1);
        limit_now->addIncoming(limit_now, b_.GetInsertBlock());
        llvm::BasicBlock *look = new_block("look"), *stay = new_block("stay");
        b_.CreateCondBr(more, body, look, seldom);
        b_.SetInsertPoint(look);
        ends_here();
        llvm::Value *at_end = loop.reversed ? b_.CreateICmpEQ(index, lower) : b_.CreateICmpEQ(next, upper);
        b_.CreateCondBr(at_end, region.leave.block, stay);
        b_.SetInsertPoint(stay);
        leave_if(stop_requested());
        limit_now->addIncoming(limit_after(next), b_.GetInsertBlock());
        index->addIncoming(next, b_.GetInsertBlock());
        b_.CreateBr(body);
        return b_.GetInsertBlock();
    });
}

/// 0: a loop that looks for Stop at every round, or never.
uint64_t Emitter::rounds_between_looks(Value loop) const {
    const ir::Loop &flags = fn_.loops.at(fn_[loop].imm);
    if (fn_[loop].op != Op::for_ || !flags.interruptible) return 0;
    constexpr uint64_t steps = 1 << 20, most = 1 << 16;
    uint64_t size = 0;
    bool loops = false;
    const std::function<void(ir::BlockId)> visit = [&](ir::BlockId b) {
        size += fn_[b].insts.size();
        for (Value v : fn_[b].insts) {
            loops = loops || fn_[v].op == Op::for_ || fn_[v].op == Op::loop;
            for (ir::BlockId inner : fn_[v].blocks)
                if (inner) visit(inner);
        }
    };
    visit(fn_[loop].blocks[0]);
    return loops ? 0 : std::clamp<uint64_t>(steps / std::max<uint64_t>(size, 1), 64, most);
}

void Emitter::loop_op(Value v) {
    Region region = loop_region(v, "endloop");
    llvm::BasicBlock *body = new_block("loop"), *before = b_.GetInsertBlock();
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    loop_body(v, region, before, [&]() -> llvm::BasicBlock * {
        b_.CreateBr(body);
        return nullptr;
    });
}

Emitter::Region Emitter::loop_region(Value v, const char *end) {
    std::span<const Value> params = fn_[fn_[v].blocks[0]].params;
    Region region;
    region.loop = true;
    region.leave = make_exit(end, fn_.results(v));
    region.yield = make_exit("latch", params.last(fn_.results(v).size()));
    return region;
}

/// Goes on in the block that begins the body, then behind the loop. The back edge is a block of its own, where all
/// yields and continues meet; `turn` ends it, and returns the block of another back edge if it makes one.
void Emitter::loop_body(Value v, Region &region, llvm::BasicBlock *before,
                        llvm::function_ref<llvm::BasicBlock *()> turn) {
    const size_t slots = fn_.results(v).size();
    std::span<const Value> params = fn_[fn_[v].blocks[0]].params;
    params = params.last(slots);
    std::vector<llvm::PHINode *> carried;
    for (size_t i = 0; i < slots; ++i) {
        carried.push_back(b_.CreatePHI(type(fn_.type(params[i])), 2));
        carried.back()->addIncoming(get(fn_.args(v).last(slots)[i]), before);
        set(params[i], carried.back());
    }
    const bool takes = reserves(fn_, fn_[v].blocks[0]);
    const HeapCode::Mark mark = takes ? heap_.mark() : HeapCode::Mark{};
    regions_.push_back(region);
    block(fn_[v].blocks[0]);
    regions_.pop_back();

    llvm::BasicBlock *latch = region.yield.block;
    latch->moveBefore(leave_);
    region.leave.block->moveBefore(leave_);
    if (!llvm::pred_empty(latch)) {
        b_.SetInsertPoint(latch);
        if (takes) heap_.give_back(mark);
        if (fn_.loops.at(fn_[v].imm).interruptible && !rounds_between_looks(v)) leave_if(stop_requested());
        for (size_t i = 0; i < slots; ++i) carried[i]->addIncoming(region.yield.phis[i], b_.GetInsertBlock());
        if (llvm::BasicBlock *other = turn())
            for (size_t i = 0; i < slots; ++i) carried[i]->addIncoming(region.yield.phis[i], other);
    } else {
        for (llvm::PHINode *phi : region.yield.phis) phi->eraseFromParent();
        latch->eraseFromParent();
    }
    take(region.leave, fn_.results(v));
}

void Emitter::leave_if(llvm::Value *condition) {
    llvm::BasicBlock *next = new_block("go_on");
    b_.CreateCondBr(condition, leave_, next);
    b_.SetInsertPoint(next);
}

llvm::Type *Emitter::scalar(Scalar s) {
    switch (s) {
    case Scalar::u1: return b_.getInt1Ty();
    case Scalar::i8:
    case Scalar::u8: return b_.getInt8Ty();
    case Scalar::i16:
    case Scalar::u16: return b_.getInt16Ty();
    case Scalar::i32:
    case Scalar::u32: return b_.getInt32Ty();
    case Scalar::i64:
    case Scalar::u64: return b_.getInt64Ty();
    case Scalar::f16: return b_.getHalfTy();
    case Scalar::f32: return b_.getFloatTy();
    case Scalar::f64: return b_.getDoubleTy();
    case Scalar::none: break;
    }
    refuse({}, "a value without a type");
}

llvm::Type *Emitter::type(Type t) {
    if (t.is_pointer()) return b_.getPtrTy();
    if (!t.is_scalar()) refuse({}, "a value of type " + ir::to_string(t));
    return t.lanes > 1 ? llvm::FixedVectorType::get(scalar(t.elem), t.lanes) : scalar(t.elem);
}

llvm::Type *Emitter::memory_type(Type t) { return type(t.is_bool() ? Type(Scalar::u8, t.lanes) : t); }

llvm::Constant *Emitter::constant(Type t, uint64_t bits) {
    llvm::Type *element = scalar(t.elem);
    unsigned width = unsigned(ir::bits_of(t.elem));
    llvm::APInt word(64, bits);
    llvm::Constant *c;
    if (t.is_float())
        c = llvm::ConstantFP::get(context_, llvm::APFloat(element->getFltSemantics(), word.trunc(width)));
    else
        c = llvm::ConstantInt::get(context_, width == 64 ? word : word.trunc(width));
    return t.lanes > 1 ? llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(t.lanes), c) : c;
}

} // namespace qd::codegen
