// Emits the steps through sparse trees (abi/tree.h describes the layout of their levels). The frequent cases are inline:
// finding a cell, and making one that exists already. Only a cell that has no memory yet costs a call.
//
// Masks, addresses and lengths are read as monotonic atomics: other threads may change them, and memory is complete before its
// address is published.
#include "abi/tree.h"
#include "codegen/llvm/cells.h"
#include "layout/containers.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <bit>
#include <cstddef>

namespace qd::codegen {

using ir::LevelKind;
using ir::StepOp;

const ir::PlaceLevel &CellCode::level(Value v) const { return fn_.places[place_of(fn_[v])].levels[level_of(fn_[v])]; }

uint32_t CellCode::alias_scope(Value v) {
    return code_.alias_scopes.number(AliasScope::tree, fn_.places[place_of(fn_[v])].tree);
}

llvm::Value *CellCode::bytes_from(llvm::Value *base, llvm::Value *bytes) {
    return b_.CreateGEP(b_.getInt8Ty(), base, bytes);
}
llvm::Value *CellCode::bytes_from(llvm::Value *base, uint64_t bytes) {
    return bytes ? b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, bytes) : base;
}

llvm::Value *CellCode::read_word(llvm::Value *at, llvm::Type *t, Value v) {
    code_.apart();
    llvm::LoadInst *load = b_.CreateAlignedLoad(t, at, llvm::Align(t == b_.getInt32Ty() ? 4 : 8));
    load->setAtomic(llvm::AtomicOrdering::Monotonic);
    code_.alias_scopes.note(load, alias_scope(v));
    return load;
}

/// Returns the address of the mask word of the cell in operand 1, and its bit.
llvm::Value *CellCode::mask_word(Value v, llvm::Value *&bit) {
    llvm::Value *number = code_.arg(v, 1);
    bit = b_.CreateShl(b_.getInt64(1), b_.CreateAnd(number, 63));
    return b_.CreateGEP(b_.getInt64Ty(), code_.arg(v, 0), b_.CreateLShr(number, 6));
}

llvm::Value *CellCode::cell_at(Value v, llvm::Value *number, llvm::Value *first) {
    return bytes_from(first, b_.CreateMul(number, b_.getInt64(level(v).cell_bytes)));
}

/// Dynamic levels: returns the address of the chunk's address, and the cell's number in the chunk. The cell must be within the
/// declared chunks.
llvm::Value *CellCode::chunk_at(Value v, llvm::Value *number, llvm::Value *&within) {
    const uint32_t first = level(v).chunk;
    llvm::Value *chunks = bytes_from(code_.arg(v, 0), 8);
    within = number;
    if (layout::chunks_for(layout::cells_of(level(v)), first) == 1) return chunks;
    llvm::Type *i64 = b_.getInt64Ty();
    llvm::Value *q = std::has_single_bit(first) ? b_.CreateLShr(number, uint64_t(std::countr_zero(first)))
                                                : b_.CreateUDiv(number, b_.getInt64(first));
    q = b_.CreateAdd(q, b_.getInt64(1));
    llvm::Value *zeros = b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {i64}, {q, b_.getTrue()});
    llvm::Value *chunk = b_.CreateSub(b_.getInt64(63), zeros);
    llvm::Value *before = b_.CreateSub(b_.CreateShl(b_.getInt64(1), chunk), b_.getInt64(1));
    within = b_.CreateSub(number, b_.CreateMul(before, b_.getInt64(first)));
    return b_.CreateGEP(i64, chunks, chunk);
}

/// Returns `quick` if `fast`, else the result of `slow`, which is emitted in an unlikely branch.
llvm::Value *CellCode::either(llvm::Value *fast, llvm::Value *quick, const std::function<llvm::Value *()> &slow) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *other = code_.new_block("slow"), *next = code_.new_block("found");
    b_.CreateCondBr(fast, next, other, llvm::MDBuilder(code_.context).createBranchWeights(1000, 1));
    b_.SetInsertPoint(other);
    llvm::Value *result = slow();
    llvm::BasicBlock *after = b_.GetInsertBlock();
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    if (!quick) return nullptr;
    llvm::PHINode *phi = b_.CreatePHI(quick->getType(), 2);
    phi->addIncoming(quick, before);
    phi->addIncoming(result, after);
    return phi;
}

/// Calls make_cell, find_cell, drop_cell or list of abi::SparseCalls.
llvm::Value *CellCode::call_runtime(Value v, size_t routine, llvm::Value *number) {
    llvm::Type *ptr = b_.getPtrTy(), *i32 = b_.getInt32Ty();
    const ir::Place &place = fn_.places[place_of(fn_[v])];
    std::vector<llvm::Type *> types{ptr, i32, i32};
    std::vector<llvm::Value *> operands{code_.out->getArg(0), b_.getInt32(place.tree), b_.getInt32(level(v).node)};
    llvm::Type *result = ptr;
    if (routine == offsetof(abi::SparseCalls, list)) {
        result = i32;
    } else {
        types.insert(types.end(), {ptr, b_.getInt64Ty()});
        operands.insert(operands.end(), {code_.arg(v, 0), number});
        if (routine == offsetof(abi::SparseCalls, drop_cell)) result = b_.getVoidTy();
    }
    llvm::CallInst *call =
        b_.CreateCall(llvm::FunctionType::get(result, types, false),
                      code_.words.pointer_through(offsetof(abi::Launch, stream.sparse_calls), routine), operands);
    call->setDoesNotThrow();
    code_.alias_scopes.note(call, alias_scope(v));
    return call;
}

llvm::Value *CellCode::find_cell(Value v) {
    const ir::PlaceLevel &l = level(v);
    llvm::Type *i64 = b_.getInt64Ty();
    llvm::Value *container = code_.arg(v, 0), *number = code_.arg(v, 1);
    const uint64_t mask = layout::mask_bytes(l);
    switch (l.kind) {
    case LevelKind::dense: return cell_at(v, number, container);
    case LevelKind::bitmasked: return cell_at(v, number, bytes_from(container, mask));
    case LevelKind::pointer: {
        llvm::Value *at = b_.CreateGEP(i64, bytes_from(container, mask), number);
        llvm::Value *found = read_word(at, b_.getPtrTy(), v);
        return b_.CreateSelect(
            b_.CreateIsNull(found),
            code_.words.pointer_through(offsetof(abi::Launch, stream.sparse), offsetof(abi::SparseData, zeros)), found);
    }
    case LevelKind::dynamic: {
        // A number beyond the declared chunks, or a negative one, is left to the runtime.
        const uint64_t cells = ((uint64_t(1) << layout::chunks_for(layout::cells_of(l), l.chunk)) - 1) * l.chunk;
        llvm::Value *declared = b_.CreateICmpULT(number, b_.getInt64(cells));
        llvm::Value *inside = b_.CreateSelect(declared, number, b_.getInt64(0));
        llvm::Value *length = b_.CreateZExt(read_word(container, b_.getInt32Ty(), v), i64);
        llvm::Value *exists = b_.CreateICmpULT(inside, length);
        llvm::Value *within = nullptr;
        llvm::Value *at = chunk_at(v, inside, within);
        llvm::Value *chunk = read_word(at, b_.getPtrTy(), v); // null while another thread allocates it
        exists = b_.CreateAnd(exists, b_.CreateIsNotNull(chunk));
        llvm::Value *cell = b_.CreateSelect(
            exists, cell_at(v, within, chunk),
            code_.words.pointer_through(offsetof(abi::Launch, stream.sparse), offsetof(abi::SparseData, zeros)));
        return either(declared, cell, [&] { return call_runtime(v, offsetof(abi::SparseCalls, find_cell), number); });
    }
    }
    code_.refuse(v, "unknown level");
}

llvm::Value *CellCode::make_cell(Value v, llvm::Value *number) {
    const ir::PlaceLevel &l = level(v);
    llvm::Type *i64 = b_.getInt64Ty();
    llvm::Value *container = code_.arg(v, 0);
    const uint64_t mask = layout::mask_bytes(l);
    switch (l.kind) {
    case LevelKind::dense: return cell_at(v, number, container);
    case LevelKind::bitmasked: {
        llvm::Value *bit = nullptr;
        llvm::Value *at = mask_word(v, bit);
        llvm::Value *on = b_.CreateICmpNE(b_.CreateAnd(read_word(at, i64, v), bit), b_.getInt64(0));
        either(on, nullptr, [&] {
            code_.alias_scopes.note(
                b_.CreateAtomicRMW(llvm::AtomicRMWInst::Or, at, bit, llvm::Align(8), llvm::AtomicOrdering::Monotonic),
                alias_scope(v));
            return nullptr;
        });
        return cell_at(v, number, bytes_from(container, mask));
    }
    case LevelKind::pointer: {
        llvm::Value *at = b_.CreateGEP(i64, bytes_from(container, mask), number);
        llvm::Value *found = read_word(at, b_.getPtrTy(), v);
        return either(b_.CreateIsNotNull(found), found,
                      [&] { return call_runtime(v, offsetof(abi::SparseCalls, make_cell), number); });
    }
    case LevelKind::dynamic: {
        const uint64_t cells = ((uint64_t(1) << layout::chunks_for(layout::cells_of(l), l.chunk)) - 1) * l.chunk;
        llvm::Value *length = b_.CreateZExt(read_word(container, b_.getInt32Ty(), v), i64);
        llvm::Value *exists = b_.CreateICmpULT(number, length);
        exists = b_.CreateAnd(exists, b_.CreateICmpULT(number, b_.getInt64(cells)));
        llvm::Value *inside = b_.CreateSelect(exists, number, b_.getInt64(0));
        llvm::Value *within = nullptr;
        llvm::Value *at = chunk_at(v, inside, within);
        llvm::Value *chunk = read_word(at, b_.getPtrTy(), v);
        exists = b_.CreateAnd(exists, b_.CreateIsNotNull(chunk));
        return either(exists, cell_at(v, within, chunk),
                      [&] { return call_runtime(v, offsetof(abi::SparseCalls, make_cell), number); });
    }
    }
    code_.refuse(v, "unknown level");
}

llvm::Value *CellCode::has_cell(Value v) {
    const ir::PlaceLevel &l = level(v);
    llvm::Type *i64 = b_.getInt64Ty();
    switch (l.kind) {
    case LevelKind::dense: return b_.getTrue();
    case LevelKind::bitmasked: {
        llvm::Value *bit = nullptr;
        llvm::Value *at = mask_word(v, bit);
        return b_.CreateICmpNE(b_.CreateAnd(read_word(at, i64, v), bit), b_.getInt64(0));
    }
    case LevelKind::pointer: {
        llvm::Value *at = b_.CreateGEP(i64, bytes_from(code_.arg(v, 0), layout::mask_bytes(l)), code_.arg(v, 1));
        return b_.CreateIsNotNull(read_word(at, b_.getPtrTy(), v));
    }
    case LevelKind::dynamic:
        return b_.CreateICmpULT(code_.arg(v, 1), b_.CreateZExt(read_word(code_.arg(v, 0), b_.getInt32Ty(), v), i64));
    }
    code_.refuse(v, "unknown level");
}

/// Dynamic levels: claims the next index and allocates memory for its cell.
llvm::Value *CellCode::new_cell(Value v) {
    llvm::Value *length = code_.arg(v, 0);
    code_.apart();
    llvm::AtomicRMWInst *index = b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, length, b_.getInt32(1), llvm::Align(4),
                                                    llvm::AtomicOrdering::AcquireRelease);
    code_.alias_scopes.note(index, alias_scope(v));
    make_cell(v, b_.CreateZExt(index, b_.getInt64Ty()));
    return index;
}

llvm::Value *CellCode::list_element(Value v) {
    const ir::Place &place = fn_.places[place_of(fn_[v])];
    llvm::Value *&list = lists_[{place.tree, place.levels.back().node}];
    if (!list) {
        llvm::Value *at =
            code_.words.pointer_through(offsetof(abi::Launch, stream.sparse), offsetof(abi::SparseData, lists));
        for (uint32_t number : {place.tree, place.levels.back().node}) at = code_.words.element(at, number);
        list = at;
    }
    llvm::Value *index = b_.CreateSExt(code_.arg(v, 0), b_.getInt64Ty());
    return bytes_from(list, b_.CreateMul(index, b_.getInt64(abi::list_element_bytes(place.shape.size()))));
}

void CellCode::step(Value v) {
    const auto of_list = [&](llvm::Type *t, uint64_t offset) {
        return LaunchWords::load(b_, t, bytes_from(list_element(v), offset), 4);
    };
    switch (StepOp(fn_[v].op)) {
    case StepOp::find_cell: code_.set(v, find_cell(v)); break;
    case StepOp::make_cell: code_.set(v, make_cell(v, code_.arg(v, 1))); break;
    case StepOp::drop_cell: call_runtime(v, offsetof(abi::SparseCalls, drop_cell), code_.arg(v, 1)); return;
    case StepOp::has_cell: return code_.set(v, has_cell(v));
    case StepOp::new_cell: return code_.set(v, new_cell(v));
    case StepOp::count_cells: return code_.set(v, read_word(code_.arg(v, 0), b_.getInt32Ty(), v));
    case StepOp::list: return code_.set(v, call_runtime(v, offsetof(abi::SparseCalls, list), nullptr));
    case StepOp::list_cell: code_.set(v, of_list(b_.getPtrTy(), offsetof(abi::ListElement, base))); break;
    case StepOp::list_value:
        return code_.set(v, of_list(b_.getInt32Ty(), offsetof(abi::ListElement, begin) + 4 * level_of(fn_[v])));
    case StepOp::own_index: code_.refuse(v, "must be lowered to steps first");
    }
    code_.base[v.id] = alias_scope(v);
}

} // namespace qd::codegen
