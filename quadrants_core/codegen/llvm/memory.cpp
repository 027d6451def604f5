// Emits addresses, loads and stores.
#include "codegen/llvm/memory.h"

#include "analysis/effects.h"
#include "codegen/llvm/task_frame.h"

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>

namespace qd::codegen {

using ir::AddressOp;
using ir::MemoryOp;

llvm::Value *MemoryCode::address(Value v) {
    const ir::Inst &in = fn_[v];
    uint32_t &base = code_.base[v.id];
    llvm::Type *byte = b_.getInt8Ty();
    const auto in_buffer = [&](AliasScope scope, size_t buffer, uint64_t bytes) {
        base = code_.alias_scopes.number(scope, 0);
        return b_.CreateConstInBoundsGEP1_64(byte, code_.words.pointer(buffer), bytes);
    };
    switch (AddressOp(in.op)) {
    case AddressOp::array_base: {
        uint32_t first = code_.slot_of(fn_.args(v)[0]);
        base = code_.alias_scopes.number(AliasScope::array, first);
        return code_.words.slot(first, code_.type(in.type));
    }
    case AddressOp::tree_base: {
        base = code_.alias_scopes.number(AliasScope::tree, in.imm);
        llvm::Value *trees = code_.words.pointer(offsetof(abi::Launch, stream.trees));
        return code_.words.element(trees, uint32_t(in.imm));
    }
    case AddressOp::tmp: return in_buffer(AliasScope::tmp, offsetof(abi::Launch, stream.tmp), in.imm);
    case AddressOp::ret_slot: return in_buffer(AliasScope::ret, offsetof(abi::Launch, ret), in.imm);
    case AddressOp::count_slot: return in_buffer(AliasScope::counters, offsetof(abi::Launch, counters), 8 * in.imm);
    case AddressOp::random_state:
        static_assert(offsetof(abi::Thread, random) == 0);
        base = code_.alias_scopes.number(AliasScope::thread, 0);
        return code_.frame->thread();
    case AddressOp::reserve:
        return heap_.reserve(in, code_.arg(v, 0), code_.words.service(offsetof(abi::HostServices, reserve)),
                             code_.leave);
    case AddressOp::stack:
        base = code_.alias_scopes.number(AliasScope::stacks, 0);
        return b_.CreateIntToPtr(code_.arg(v, 0), code_.type(in.type));
    case AddressOp::offset: base = code_.alias_scope_of(v); return b_.CreateGEP(byte, code_.arg(v, 0), code_.arg(v, 1));
    case AddressOp::local: {
        base = code_.alias_scopes.number(AliasScope::local, v.id);
        llvm::Type *element = code_.memory_type(Type(in.type.elem));
        llvm::AllocaInst *room = code_.entry.CreateAlloca(llvm::ArrayType::get(element, in.imm ? in.imm : 1));
        room->setAlignment(llvm::Align(16));
        uint64_t bytes = in.imm * uint64_t(ir::size_of(in.type.elem));
        code_.alias_scopes.note(b_.CreateMemSet(room, b_.getInt8(0), bytes, llvm::MaybeAlign(16)), base);
        return room;
    }
    case AddressOp::table:
        base = code_.alias_scopes.number(AliasScope::table, in.imm);
        return table(fn_.tables[in.imm]);
    case AddressOp::shared: return shared(v);
    case AddressOp::element:
    case AddressOp::place: code_.refuse(v, "must be lowered to pointer arithmetic first");
    }
    code_.refuse(v, "has no machine code");
}

/// Emits memory of the block; a target without such memory has only private memory, which locals are.
llvm::Value *MemoryCode::shared(Value v) {
    const ir::Inst &in = fn_[v];
    if (code_.target.spaces.shared == code_.target.spaces.private_) code_.refuse(v, "must be lowered to a local first");
    code_.base[v.id] = code_.alias_scopes.number(AliasScope::local, v.id);
    auto *room = llvm::ArrayType::get(code_.memory_type(Type(in.type.elem)), in.imm ? in.imm : 1);
    auto *place = new llvm::GlobalVariable(code_.module, room, false, llvm::GlobalValue::InternalLinkage,
                                           llvm::PoisonValue::get(room), "shared", nullptr,
                                           llvm::GlobalValue::NotThreadLocal, code_.target.spaces.shared);
    place->setAlignment(llvm::Align(16));
    return place;
}

llvm::Value *MemoryCode::table(const ir::Table &table) {
    std::vector<llvm::Constant *> values;
    llvm::Type *element = code_.memory_type(Type(table.elem));
    for (uint64_t bits : table.values) {
        llvm::Constant *value = code_.constant(Type(table.elem), bits);
        values.push_back(table.elem == Scalar::u1 ? llvm::ConstantInt::get(element, bits) : value);
    }
    auto *content = llvm::ConstantArray::get(llvm::ArrayType::get(element, values.size()), values);
    auto *place =
        new llvm::GlobalVariable(code_.module, content->getType(), true, llvm::GlobalValue::PrivateLinkage, content, "",
                                 nullptr, llvm::GlobalValue::NotThreadLocal, code_.target.spaces.constant);
    place->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    place->setAlignment(llvm::Align(16));
    return place;
}

void MemoryCode::load(Value v) {
    Type t = fn_[v].type;
    llvm::LoadInst *load =
        b_.CreateAlignedLoad(code_.memory_type(t), code_.arg(v, 0), llvm::Align(uint64_t(ir::size_of(t.elem))));
    if (fn_[v].op == Op::volatile_load) {
        const llvm::SyncScope::ID scope = code_.scope(code_.arg_type(v, 0).space);
        load->setVolatile(scope == llvm::SyncScope::System); // a volatile access of a device ignores the scope
        load->setAtomic(llvm::AtomicOrdering::Acquire, scope);
    }
    code_.alias_scopes.note(load, code_.alias_scope_of(v));
    code_.set(v, t.is_bool() ? b_.CreateICmpNE(load, llvm::Constant::getNullValue(load->getType())) : load);
}

void MemoryCode::store(Value v) {
    Type t = code_.arg_type(v, 1);
    llvm::Value *value = code_.arg(v, 1);
    if (t.is_bool()) value = b_.CreateZExt(value, code_.memory_type(t));
    llvm::StoreInst *store = b_.CreateAlignedStore(value, code_.arg(v, 0), llvm::Align(uint64_t(ir::size_of(t.elem))));
    code_.alias_scopes.note(store, code_.alias_scope_of(v));
}

namespace {

/// Returns the stride of a gather in elements if it is so small that loading everything between the lanes is cheaper, else 0.
/// The loads touch no page that the lanes do not touch.
unsigned small_element_step(llvm::Value *offsets, llvm::Value *mask, Type t) {
    constexpr unsigned most = 4;
    const auto *all = llvm::dyn_cast<llvm::Constant>(mask), *list = llvm::dyn_cast<llvm::Constant>(offsets);
    if (!all || !all->isAllOnesValue() || !list || ir::size_of(t.elem) < 4) return 0;
    const auto at = [&](unsigned lane) -> int64_t {
        const auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(list->getAggregateElement(lane));
        return number ? number->getSExtValue() : INT64_MIN;
    };
    const int64_t step = at(1);
    for (unsigned lane = 0; lane < unsigned(t.lanes); ++lane)
        if (at(lane) != int64_t(lane) * step) return 0;
    const int64_t elements = step / ir::size_of(t.elem);
    return step % ir::size_of(t.elem) == 0 && elements > 1 && elements <= most ? unsigned(elements) : 0;
}

/// Emits a gather with stride `apart`: contiguous loads from the first to the last lane, and shuffles.
llvm::Value *load_strided(llvm::IRBuilderBase &b, llvm::Value *pointer, llvm::Type *memory, Type t, unsigned apart,
                          llvm::function_ref<void(llvm::Instruction *)> note) {
    const unsigned lanes = unsigned(t.lanes), last = (lanes - 1) * apart;
    llvm::Value *found = nullptr;
    for (unsigned k = 0; k < apart; ++k) {
        const unsigned begin = std::min(k * lanes, last + 1 - lanes);
        llvm::Value *at = b.CreateConstInBoundsGEP1_64(memory->getScalarType(), pointer, begin);
        llvm::LoadInst *part = b.CreateAlignedLoad(memory, at, llvm::Align(uint64_t(ir::size_of(t.elem))));
        note(part);
        std::vector<int> from;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const unsigned element = lane * apart;
            const bool is_here = element / lanes == k;
            from.push_back(is_here ? int((k ? lanes : 0) + element - begin) : int(lane));
        }
        found = k ? b.CreateShuffleVector(found, part, from) : b.CreateShuffleVector(part, from);
    }
    return found;
}

} // namespace

/// LLVM 22 turns `select mask, (masked load, mask), x` into a load with x in the other lanes, and places it at the select,
/// after intervening writes. It does not touch a load that has a second use.
void MemoryCode::find_overtaken() {
    const auto reads = [](Op op) { return op == Op::masked_load || op == Op::gather; };
    if (code_.target.plain || std::ranges::none_of(fn_.insts, [&](const ir::Inst &in) { return reads(in.op); })) return;
    overtaken_.assign(fn_.insts.size(), false);
    const std::vector<uint8_t> effects = analysis::effects(fn_);
    std::vector<uint32_t> written_before(
        fn_.insts.size()); // for a read: 1 + the number of writes before it in its block
    for (const ir::Block &block : fn_.blocks) {
        uint32_t writes = 1;
        for (Value v : block.insts) {
            if (fn_[v].op == Op::select)
                for (Value a : fn_.args(v))
                    if (reads(fn_[a].op) && written_before[a.id] != writes) overtaken_[a.id] = true;
            if (effects[v.id] & ~analysis::reads) ++writes;
            if (reads(fn_[v].op)) written_before[v.id] = writes;
        }
        for (Value v : block.insts) written_before[v.id] = 0; // a select in another block always counts as late
    }
}

/// Emits masked_load, masked_store, gather and scatter.
void MemoryCode::masked(Value v) {
    Op op = fn_[v].op;
    bool far = op == Op::gather || op == Op::scatter, reads = op == Op::masked_load || op == Op::gather;
    uint32_t value_at = far ? 2 : 1;
    Type t = reads ? fn_[v].type : code_.arg_type(v, value_at);
    llvm::Align align(uint64_t(ir::size_of(t.elem)));
    llvm::Type *memory = code_.memory_type(t);
    llvm::Value *mask = code_.arg(v, op == Op::masked_load ? 1 : op == Op::scatter ? 3 : 2);
    llvm::Value *pointer = code_.arg(v, 0);
    if (op == Op::gather && !t.is_bool())
        if (const unsigned apart = small_element_step(code_.arg(v, 1), mask, t))
            return code_.set(v, load_strided(b_, pointer, memory, t, apart, [&](llvm::Instruction *part) {
                                 code_.alias_scopes.note(part, code_.alias_scope_of(v));
                             }));
    if (far) pointer = b_.CreateGEP(b_.getInt8Ty(), pointer, code_.arg(v, 1));
    llvm::CallInst *access;
    if (reads) {
        llvm::Value *off = far ? llvm::Constant::getNullValue(memory) : code_.arg(v, 2);
        if (!far && t.is_bool()) off = b_.CreateZExt(off, memory);
        access = far ? b_.CreateMaskedGather(memory, pointer, align, mask, off)
                     : b_.CreateMaskedLoad(memory, pointer, align, mask, off);
        code_.set(v, t.is_bool() ? b_.CreateICmpNE(access, llvm::Constant::getNullValue(memory)) : access);
        if (!overtaken_.empty() && overtaken_[v.id])
            b_.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&code_.module, llvm::Intrinsic::fake_use), {access});
    } else {
        llvm::Value *value = code_.arg(v, value_at);
        if (t.is_bool()) value = b_.CreateZExt(value, memory);
        access = far ? b_.CreateMaskedScatter(value, pointer, align, mask)
                     : b_.CreateMaskedStore(value, pointer, align, mask);
    }
    code_.alias_scopes.note(access, code_.alias_scope_of(v));
}

void MemoryCode::fence(ir::FenceScope scope) {
    const TargetFacts &target = code_.target;
    const char *name = scope == ir::FenceScope::group   ? target.group_scope
                       : scope == ir::FenceScope::block ? target.block_scope
                                                        : target.device_scope;
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease, code_.scope(name));
}

void MemoryCode::access(Value v) {
    switch (MemoryOp(fn_[v].op)) {
    case MemoryOp::load:
    case MemoryOp::volatile_load: return load(v);
    case MemoryOp::store: return store(v);
    case MemoryOp::masked_load:
    case MemoryOp::masked_store:
    case MemoryOp::gather:
    case MemoryOp::scatter: return code_.forms->access(v) ? void() : masked(v);
    case MemoryOp::fence: return fence(ir::FenceScope(fn_[v].imm));
    case MemoryOp::block_sync: return code_.frame->block_sync(v);
    case MemoryOp::group_sync: return code_.frame->group_sync(v);
    }
}

} // namespace qd::codegen
