// Emits functions and structured control flow. Loops are rotated: the test is before the loop and on the back edge.
#include "codegen/llvm/emitter.h"

#include "analysis/launch_range.h"
#include "codegen/llvm/task_frame.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>

namespace qd::codegen {

using ir::ControlOp;
using ir::TerminatorOp;

namespace {

/// Returns the branch on a safepoint if only pure instructions precede it in the body, else none.
Value safepoint_branch(const ir::Function &fn, Value loop) {
    for (const Value v : fn[fn[loop].blocks[0]].insts) {
        if (fn[v].op == Op::safepoint) continue;
        if (fn[v].op == Op::if_) return fn[fn.args(v)[0]].op == Op::safepoint ? v : Value{};
        if (ir::info(fn[v].op).effect != ir::Effect::pure) return {};
    }
    return {};
}

/// Returns the number of iterations between checks for Stop and safepoints; 0 for a loop that checks in every iteration, or never.
uint64_t iterations_between_safepoints(const ir::Function &fn, Value loop) {
    const ir::Loop &flags = fn.loops.at(fn[loop].imm);
    const Value safepoint = safepoint_branch(fn, loop);
    if (fn[loop].op != Op::for_ || (!flags.interruptible && !safepoint)) return 0;
    constexpr uint64_t steps = 1 << 20, most = 1 << 16;
    uint64_t size = 0;
    bool loops = false;
    const std::function<void(ir::BlockId)> visit = [&](ir::BlockId b) {
        size += fn[b].insts.size();
        for (Value v : fn[b].insts) {
            if (safepoint && v == safepoint) continue;
            loops = loops || fn[v].op == Op::for_ || fn[v].op == Op::loop;
            for (ir::BlockId inner : fn[v].blocks)
                if (inner) visit(inner);
        }
    };
    visit(fn[loop].blocks[0]);
    return loops ? 0 : std::clamp<uint64_t>(steps / std::max<uint64_t>(size, 1), 64, most);
}

/// True if the block contains a loop with `flushes`, possibly nested in an `if`.
bool contains_flushing_loop(const ir::Function &fn, ir::BlockId block) {
    return std::ranges::any_of(fn[block].insts, [&](Value v) {
        if (fn[v].op == Op::for_ || fn[v].op == Op::loop) return fn.loops.at(fn[v].imm).flushes;
        return fn[v].op == Op::if_ &&
               std::ranges::any_of(fn[v].blocks, [&](ir::BlockId b) { return contains_flushing_loop(fn, b); });
    });
}

} // namespace

void emit(const ir::Function &task, llvm::Module &module, const TargetFacts &target, bool with_lines) {
    if (task.role == ir::Role::kernel) throw Refused("only tasks can be compiled; cut the kernel into tasks first");
    if (target.check) target.check(task);
    std::optional<Lines> lines;
    if (with_lines) lines.emplace(module);
    Emitter emitter(task, module, target, lines ? &*lines : nullptr);
    emitter.body();
    if (task.bounds && target.has_constants) emitter.bounds();
}

Emitter::Emitter(const ir::Function &task, llvm::Module &module, const TargetFacts &target, Lines *lines)
    : code_(task, module, target), fn_(task), b_(code_.b), lines_(lines), heap_(b_), arithmetic_(code_),
      memory_(code_, heap_), updates_(code_, arithmetic_), cells_(code_), outside_(code_),
      counts_wide_(task.insts.size()) {
    if (code_.target.plain) return;
    for (const ir::Inst &in : fn_.insts)
        if (in.op == Op::cast && in.type == Type(Scalar::i64) && fn_.type(fn_.list(in.args)[0]) == Type(Scalar::i32))
            counts_wide_[fn_.list(in.args)[0].id] = true;
}

void Emitter::body() {
    begin(code_.frame->declare(TaskFrame::Entry::body), false);
    updates_.list();
    if (reserves(fn_, fn_.body)) heap_.enter();
    block(fn_.body);
    finish();
    code_.forms->after_function(*this);
}

void Emitter::bounds() {
    if (analysis::launch_range(fn_)) return; // abi::Binary::range
    code_.forget_values();
    begin(code_.frame->declare(TaskFrame::Entry::bounds), true);
    llvm::Type *i64 = b_.getInt64Ty();
    b_.CreateStore(integer(i64, 0), code_.out->getArg(2));
    b_.CreateStore(integer(i64, 0), b_.CreateConstGEP1_32(i64, code_.out->getArg(2), 1));
    block(fn_.bounds);
    finish();
    code_.forms->after_function(*this);
}

void Emitter::begin(llvm::Function *function, bool bounds) {
    code_.begin(function);
    llvm::Value *thread = code_.frame->thread();
    heap_.begin(thread, [this](llvm::Instruction *access) {
        code_.alias_scopes.note(access, code_.alias_scopes.number(AliasScope::thread, 0));
    });
    if (lines_) lines_->enter(*function);
    regions_.clear();
    cells_.begin();
    outside_.begin();
    updates_.begin(bounds ? nullptr : thread);
}

void Emitter::finish() {
    b_.SetCurrentDebugLocation({});
    b_.SetInsertPoint(code_.leave);
    heap_.leave();
    b_.CreateRetVoid();
    code_.leave->moveAfter(&code_.out->back());
    code_.alias_scopes.attach(code_.context);
}

void Emitter::block(ir::BlockId id) {
    if (!id || id.id >= fn_.blocks.size()) code_.refuse({}, "missing block");
    if (code_.forms->block(*this, id)) return;
    for (Value v : fn_[id].insts) instruction(v);
}

void Emitter::instruction(Value v) {
    const ir::Inst &in = fn_[v];
    if (in.op == Op::if_ && v == hoisted_safepoint_) return;
    if (in.op == Op::safepoint && hoisted_safepoint_ && v == fn_.args(hoisted_safepoint_)[0]) return;
    if (lines_) b_.SetCurrentDebugLocation(lines_->at(in.span));
    switch (ir::family(in.op)) {
    case Family::meta: return;
    case Family::plain:
    case Family::arithmetic:
    case Family::bits:
    case Family::real:
    case Family::comparison:
    case Family::reduction: return code_.set(v, arithmetic_.pure(v));
    case Family::address: return code_.set(v, memory_.address(v));
    case Family::memory: return memory_.access(v);
    case Family::atomic: return updates_.atomic(v);
    case Family::group: return code_.set(v, code_.frame->group(v));
    case Family::packed: code_.refuse(v, "must be lowered to words first");
    case Family::cell:
        if (in.op != Op::address) code_.refuse(v, "must be lowered to steps first");
        return code_.set(v, b_.CreatePtrToInt(code_.arg(v, 0), b_.getInt64Ty()));
    case Family::step: return cells_.step(v);
    case Family::outside: return outside_.outside(v);
    case Family::terminator: return terminator(v);
    case Family::control: break;
    }
    switch (ControlOp(in.op)) {
    case ControlOp::if_: return if_op(v);
    case ControlOp::for_: return for_op(v);
    case ControlOp::loop: return loop_op(v);
    case ControlOp::parallel: code_.refuse(v, "must be turned into a loop over a chunk first");
    }
}

void Emitter::terminator(Value v) {
    const ir::Inst &in = fn_[v];
    std::span<const Value> args = fn_.args(v);
    auto loop = std::find_if(regions_.rbegin(), regions_.rend(), [](const Region &r) { return r.loop; });
    switch (TerminatorOp(in.op)) {
    case TerminatorOp::yield:
        if (!regions_.empty()) return jump(regions_.back().yield, args);
        for (unsigned i = 0; i < 2 && i < args.size(); ++i)
            b_.CreateStore(code_.get(args[i]), b_.CreateConstGEP1_32(b_.getInt64Ty(), code_.out->getArg(2), i));
        b_.CreateBr(code_.leave);
        return;
    case TerminatorOp::break_:
        if (loop == regions_.rend()) code_.refuse(v, "outside a loop");
        return jump(loop->leave, args);
    case TerminatorOp::continue_:
        if (loop == regions_.rend()) code_.refuse(v, "outside a loop");
        return jump(loop->yield, args);
    case TerminatorOp::ret:
        if (!args.empty()) code_.refuse(v, "a task returns through ret_slot");
        b_.CreateBr(code_.leave);
        return;
    case TerminatorOp::exit: b_.CreateBr(stop_block()); return;
    }
}

Emitter::Exit Emitter::make_exit(const char *name, std::span<const Value> like) {
    Exit exit;
    exit.block = code_.new_block(name);
    llvm::IRBuilder<> at(exit.block);
    for (Value v : like) exit.phis.push_back(at.CreatePHI(code_.type(fn_.type(v)), 2));
    return exit;
}

void Emitter::jump(Exit &to, std::span<const Value> values) {
    if (values.size() < to.phis.size()) code_.refuse({}, "too few values for a block");
    for (size_t i = 0; i < to.phis.size(); ++i) to.phis[i]->addIncoming(code_.get(values[i]), b_.GetInsertBlock());
    b_.CreateBr(to.block);
}

/// Continues in the exit block of a construct, where its phis become the results. Phis of a block without predecessors are removed.
void Emitter::take(const Exit &from, std::span<const Value> results) {
    bool reached = !llvm::pred_empty(from.block);
    for (size_t i = 0; i < from.phis.size(); ++i) {
        llvm::PHINode *phi = from.phis[i];
        if (i < results.size())
            code_.set(results[i], reached ? phi : (llvm::Value *)llvm::PoisonValue::get(phi->getType()));
        if (!reached) phi->eraseFromParent();
    }
    b_.SetInsertPoint(from.block);
}

/// Emits a branch. An empty side gets no block. A side that ends the task with a failure is marked unlikely.
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
    for (int side = 0; side < 2; ++side)
        sides[side] = is_empty(side) ? merge.block : code_.new_block(side ? "else" : "then");
    llvm::MDNode *weights = nullptr;
    if (fails(0) != fails(1))
        weights = llvm::MDBuilder(code_.context).createBranchWeights(fails(0) ? 1 : 100000, fails(1) ? 1 : 100000);
    b_.CreateCondBr(code_.arg(v, 0), sides[0], sides[1], weights);
    for (int side = 0; side < 2; ++side) {
        if (is_empty(side)) continue;
        b_.SetInsertPoint(sides[side]);
        regions_.push_back({merge, {}, false});
        block(fn_[v].blocks[side]);
        regions_.pop_back();
    }
    merge.block->moveBefore(code_.leave);
    take(merge, fn_.results(v));
}

/// Emits a `for` loop. An interruptible one without inner loops checks for Stop once in many iterations:
///
///     if lo < hi:                                   limit = lo + min(hi - lo, many)
///         do body while (++i != limit)
///         if i != hi: leave if requested; limit = i + min(hi - i, many); continue with the body
///
/// A safepoint at the start of the body is hoisted to the check for Stop. In a reversed loop, the limit is the last index before the
/// next check. A 32-bit index that addresses depend on is counted in 64 bits: otherwise it would be
/// widened in each iteration, on the critical path to the next one.
void Emitter::for_op(Value v) {
    std::span<const Value> args = fn_.args(v), params = fn_[fn_[v].blocks[0]].params;
    const ir::Loop &loop = fn_.loops.at(fn_[v].imm);
    const uint64_t many = iterations_between_safepoints(fn_, v);
    const Value safepoint = many ? safepoint_branch(fn_, v) : Value{};
    llvm::Value *lower = code_.get(args[0]), *upper = code_.get(args[1]);
    llvm::Value *one = llvm::ConstantInt::get(lower->getType(), 1);
    bool is_signed = ir::is_signed(code_.arg_type(v, 0).elem);
    const bool is_wide = counts_wide_[params[0].id];
    if (is_wide) {
        lower = b_.CreateSExt(lower, b_.getInt64Ty());
        upper = b_.CreateSExt(upper, b_.getInt64Ty());
        one = b_.getInt64(1);
    }

    Region region = loop_region(v, "endfor");
    llvm::BasicBlock *body = code_.new_block("for"), *before = b_.GetInsertBlock();
    for (size_t i = 0; i < region.leave.phis.size(); ++i)
        region.leave.phis[i]->addIncoming(code_.get(args[2 + i]), before);
    llvm::Value *first = loop.reversed ? b_.CreateSub(upper, one) : lower;
    llvm::Value *runs = is_signed ? b_.CreateICmpSLT(lower, upper) : b_.CreateICmpULT(lower, upper);
    if (loop.flushes && outside_.may_have_left()) runs = b_.CreateAnd(runs, b_.CreateNot(outside_.left_early()));
    auto limit_after = [&](llvm::Value *index) {
        llvm::Value *left = loop.reversed ? b_.CreateSub(index, lower) : b_.CreateSub(upper, index);
        llvm::Value *most = llvm::ConstantInt::get(left->getType(), loop.reversed ? many - 1 : many);
        if (loop.reversed) return b_.CreateSub(index, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, most));
        return b_.CreateAdd(index, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, most));
    };
    llvm::Value *limit = loop.reversed ? lower : upper;
    if (many) {
        llvm::BasicBlock *start = code_.new_block("start");
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
    if (is_wide)
        code_.wide[params[0].id] = index;
    else
        code_.set(params[0], index);
    if (safepoint) hoisted_safepoint_ = safepoint; // without an inner loop, no other one is hoisted in the body
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
        llvm::MDNode *seldom = llvm::MDBuilder(code_.context).createBranchWeights(uint32_t(many), 1);
        limit_now->addIncoming(limit_now, b_.GetInsertBlock());
        llvm::BasicBlock *end = code_.new_block("look"), *stay = code_.new_block("stay");
        b_.CreateCondBr(more, body, end, seldom);
        b_.SetInsertPoint(end);
        ends_here();
        llvm::Value *at_end = loop.reversed ? b_.CreateICmpEQ(index, lower) : b_.CreateICmpEQ(next, upper);
        b_.CreateCondBr(at_end, region.leave.block, stay);
        b_.SetInsertPoint(stay);
        if (safepoint) safepoint_at_start(v, safepoint, next, region);
        if (loop.interruptible) stop_after_iteration(v, region, outside_.stop_requested());
        limit_now->addIncoming(limit_after(next), b_.GetInsertBlock());
        index->addIncoming(next, b_.GetInsertBlock());
        b_.CreateBr(body);
        return b_.GetInsertBlock();
    });
}

/// Emits the safepoint at the start of the next iteration.
void Emitter::safepoint_at_start(Value loop, Value safepoint, llvm::Value *index, const Region &region) {
    const ir::BlockId body = fn_[loop].blocks[0];
    std::span<const Value> params = fn_[body].params;
    const auto wide = code_.wide.find(params[0].id);
    if (wide != code_.wide.end()) wide->second = index;
    code_.set(params[0], wide == code_.wide.end() ? index : b_.CreateTrunc(index, b_.getInt32Ty()));
    for (size_t i = 1; i < params.size(); ++i) code_.set(params[i], region.yield.phis[i - 1]);
    hoisted_safepoint_ = {};
    for (Value v : fn_[body].insts) {
        instruction(v);
        if (v == safepoint) return;
    }
}

void Emitter::loop_op(Value v) {
    Region region = loop_region(v, "endloop");
    llvm::BasicBlock *body = code_.new_block("loop"), *before = b_.GetInsertBlock();
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

/// Emits the body of a loop, from its first block to the exit of the loop. All yields and continues jump to one latch block; `turn`
/// emits the terminator of the latch, and returns the block of a second back edge if it creates one.
void Emitter::loop_body(Value v, Region &region, llvm::BasicBlock *before,
                        llvm::function_ref<llvm::BasicBlock *()> turn) {
    const size_t slots = fn_.results(v).size();
    std::span<const Value> params = fn_[fn_[v].blocks[0]].params;
    const Value index = params.empty() ? Value{} : params[0];
    params = params.last(slots);
    std::vector<llvm::PHINode *> carried;
    for (size_t i = 0; i < slots; ++i) {
        carried.push_back(b_.CreatePHI(code_.type(fn_.type(params[i])), 2));
        carried.back()->addIncoming(code_.get(fn_.args(v).last(slots)[i]), before);
        code_.set(params[i], carried.back());
    }
    if (const auto wide = code_.wide.find(index.id); index && wide != code_.wide.end())
        code_.set(index, b_.CreateTrunc(wide->second, b_.getInt32Ty()));
    const ir::Loop &flags = fn_.loops.at(fn_[v].imm);
    const bool takes = !flags.heap_persists && reserves(fn_, fn_[v].blocks[0]);
    const HeapCode::Mark mark = takes ? heap_.mark() : HeapCode::Mark{};
    if (flags.flushes) region.stop = code_.new_block("stopped");
    regions_.push_back(region);
    block(fn_[v].blocks[0]);
    regions_.pop_back();
    if (region.stop && !llvm::pred_empty(region.stop)) {
        b_.SetInsertPoint(region.stop);
        leave_with(region, carried);
    } else if (region.stop) {
        region.stop->eraseFromParent();
    }

    llvm::BasicBlock *latch = region.yield.block;
    latch->moveBefore(code_.leave);
    region.leave.block->moveBefore(code_.leave);
    if (!llvm::pred_empty(latch)) {
        b_.SetInsertPoint(latch);
        if (takes) heap_.give_back(mark);
        llvm::Value *reason = nullptr;
        if (flags.interruptible && !iterations_between_safepoints(fn_, v)) reason = outside_.stop_requested();
        if (flags.flushes && outside_.may_have_left() && contains_flushing_loop(fn_, fn_[v].blocks[0]))
            reason = reason ? b_.CreateOr(reason, outside_.left_early()) : outside_.left_early();
        if (reason) stop_after_iteration(v, region, reason);
        for (size_t i = 0; i < slots; ++i) carried[i]->addIncoming(region.yield.phis[i], b_.GetInsertBlock());
        if (llvm::BasicBlock *other = turn())
            for (size_t i = 0; i < slots; ++i) carried[i]->addIncoming(region.yield.phis[i], other);
    } else {
        for (llvm::PHINode *phi : region.yield.phis) phi->eraseFromParent();
        latch->eraseFromParent();
    }
    take(region.leave, fn_.results(v));
}

/// Returns the block that Stop and failed assertions branch to: the exit of the innermost loop with `flushes`, else of the task.
llvm::BasicBlock *Emitter::stop_block() const {
    const auto flushes = std::find_if(regions_.rbegin(), regions_.rend(), [](const Region &r) { return r.stop; });
    return flushes == regions_.rend() ? code_.leave : flushes->stop;
}

/// Leaves a loop with `flushes` early.
void Emitter::leave_with(const Region &region, llvm::ArrayRef<llvm::PHINode *> values) {
    outside_.leave();
    for (size_t i = 0; i < region.leave.phis.size(); ++i)
        region.leave.phis[i]->addIncoming(values[i], b_.GetInsertBlock());
    b_.CreateBr(region.leave.block);
}

/// Leaves a loop at the end of an iteration if `reason` is true.
void Emitter::stop_after_iteration(Value loop, const Region &region, llvm::Value *reason) {
    const bool flushes = fn_.loops.at(fn_[loop].imm).flushes;
    llvm::BasicBlock *next = code_.new_block("go_on"), *stop = flushes ? code_.new_block("stop") : stop_block();
    b_.CreateCondBr(reason, stop, next);
    if (flushes) {
        b_.SetInsertPoint(stop);
        leave_with(region, region.yield.phis);
    }
    b_.SetInsertPoint(next);
}

} // namespace qd::codegen
