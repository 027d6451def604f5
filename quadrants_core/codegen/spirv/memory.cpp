#include "codegen/spirv/memory.h"

#include "abi/abi.h"
#include "analysis/elements.h"
#include "analysis/walk.h"

#include <bit>
#include <cstddef>

namespace qd::codegen::spirv {

using ir::AddressOp;
using spv::StorageClass;
using Access = spv::MemoryAccessMask;
using Semantics = spv::MemorySemanticsMask;

MemoryCode::MemoryCode(TaskCode &code, Frame &frame) : code_(code), fn_(code.fn), frame_(frame) {
    find_float_updates();
}

/// An object is a float only if instructions update it as one. Otherwise atomics on it work on its bits.
void MemoryCode::find_float_updates() {
    float_updates_.resize(fn_.insts.size());
    analysis::walk(fn_, fn_.body, [&](Value v) {
        const Op op = fn_[v].op;
        if (!ir::is_atomic(op) || op == Op::atomic_xchg || op == Op::atomic_cas || !fn_[v].type.is_float()) return;
        Value root = fn_.args(v)[0];
        while (fn_[root].op == Op::offset) root = fn_.args(root)[0];
        float_updates_[root.id] = true;
    });
}

void MemoryCode::address(Value v) {
    const ir::Inst &in = fn_[v];
    switch (AddressOp(in.op)) {
    case AddressOp::array_base: return code_.set(v, frame_.slot(frame_.slot_of(fn_.args(v)[0])));
    case AddressOp::tree_base:
        return code_.set(v, frame_.word_through(offsetof(abi::Launch, stream.trees), sizeof(char *) * in.imm));
    case AddressOp::tmp: return code_.set(v, in_buffer(offsetof(abi::Launch, stream.tmp), in.imm));
    case AddressOp::ret_slot: return code_.set(v, in_buffer(offsetof(abi::Launch, ret), in.imm));
    case AddressOp::count_slot: return code_.set(v, in_buffer(offsetof(abi::Launch, counters), 8 * in.imm));
    case AddressOp::offset: return offset(v);
    case AddressOp::local: return make_object(v, StorageClass::Function, in.type.elem, in.imm);
    case AddressOp::shared: return make_object(v, StorageClass::Workgroup, in.type.elem, in.imm);
    case AddressOp::table: return make_table(v);
    case AddressOp::random_state: code_.refuse("a launch has no seed for the threads of a device");
    case AddressOp::reserve:
    case AddressOp::stack: code_.refuse("a device has no heap for the stacks of derivatives");
    case AddressOp::element:
    case AddressOp::place:
        if (in.op == Op::place && ir::is_sparse(fn_.places[in.imm])) code_.refuse("a device has no sparse trees");
        code_.refuse("must be lowered to pointer arithmetic first");
    }
}

Id MemoryCode::in_buffer(size_t word, uint64_t bytes) {
    const Id base = frame_.word(word);
    return bytes ? code_.op(spv::Op::OpIAdd, code_.integer(64), {base, code_.whole(64, bytes)}) : base;
}

void MemoryCode::offset(Value v) {
    const Value base = fn_.args(v)[0], bytes = fn_.args(v)[1];
    const auto found = inside_.find(base.id);
    if (found == inside_.end())
        return code_.set(v, code_.op(spv::Op::OpIAdd, code_.integer(64), {code_.get(base), code_.get(bytes)}));
    const Inside &from = found->second;
    if (const auto element = analysis::element_address(fn_, v)) {
        inside_[v.id] = {element->object, element->index ? code_.get(element->index) : 0, false};
        return;
    }
    const Id distance = to_u32(code_.get(bytes));
    if (!from.index) {
        inside_[v.id] = {from.object, distance, true};
        return;
    }
    Id start = from.index;
    if (!from.in_bytes) {
        const Id size = code_.whole(32, uint64_t(ir::size_of(objects_[from.object.id].elem)));
        start = code_.op(spv::Op::OpIMul, code_.integer(32), {start, size});
    }
    inside_[v.id] = {from.object, code_.op(spv::Op::OpIAdd, code_.integer(32), {start, distance}), true};
}

/// u1 takes a word; the bits of other numbers are integers, unless atomics update floats.
Id MemoryCode::element_type(const Object &object) {
    if (object.elem == Scalar::u1) return code_.integer(32);
    return object.as_integer ? code_.integer(bits_in_memory(object.elem)) : code_.scalar(object.elem);
}

void MemoryCode::make_object(Value v, StorageClass where, Scalar elem, uint64_t size) {
    Object &object = objects_[v.id];
    inside_[v.id] = {v};
    const bool again = object.variable != 0;
    object.elem = elem;
    object.where = where;
    object.as_integer = !float_updates_[v.id];
    const Id type = code_.module.type_array(element_type(object), uint32_t(std::max<uint64_t>(size, 1)));
    if (!again)
        object.variable = where == StorageClass::Function ? code_.module.local(type) : code_.module.global(where, type);
    if (where == StorageClass::Function) code_.put(spv::Op::OpStore, {object.variable, code_.module.null(type)});
}

/// A table is a variable of the module with an initial value that stays as it is.
void MemoryCode::make_table(Value v) {
    const ir::Table &table = fn_.tables[fn_[v].imm];
    Object &object = objects_[v.id];
    object = {0, table.elem, true, StorageClass::Private};
    inside_[v.id] = {v};
    Id &variable = tables_[fn_[v].imm];
    if (!variable) {
        const Id element = element_type(object);
        const unsigned bits = table.elem == Scalar::u1 ? 32 : bits_in_memory(table.elem);
        std::vector<Id> values;
        for (const uint64_t value : table.values) values.push_back(code_.module.constant(element, bits, value));
        const Id type = code_.module.type_array(element, uint32_t(values.size()));
        variable = code_.module.global(StorageClass::Private, type, code_.module.composite(type, values));
    }
    object.variable = variable;
}

/// Returns the number of the element that a pointer points to.
Id MemoryCode::index_of(const Inside &inside, Scalar elem) {
    const Object &object = objects_[inside.object.id];
    if (ir::size_of(elem) != ir::size_of(object.elem) || (elem == Scalar::u1) != (object.elem == Scalar::u1))
        code_.refuse("memory of a thread or of a block is accessed in elements of several sizes");
    if (!inside.index) return code_.whole(32, 0);
    const auto shift = unsigned(std::countr_zero(unsigned(ir::size_of(elem))));
    if (!inside.in_bytes || !shift) return inside.index;
    return code_.op(spv::Op::OpShiftRightLogical, code_.integer(32), {inside.index, code_.whole(32, shift)});
}

MemoryCode::Place MemoryCode::global_place(Value pointer, Scalar elem, bool as_integer) {
    const unsigned bits = bits_in_memory(elem);
    if (bits == 8) code_.need(Capability::StorageBuffer8BitAccess);
    if (bits == 16) code_.need(Capability::StorageBuffer16BitAccess);
    as_integer |= !ir::is_float(elem) || elem == Scalar::f16;
    const Id type = as_integer ? code_.integer(bits) : code_.scalar(elem);
    const Id to = code_.module.type_pointer(StorageClass::PhysicalStorageBuffer, type);
    return {code_.op(spv::Op::OpConvertUToPtr, to, {code_.get(pointer)}), type, as_integer,
            StorageClass::PhysicalStorageBuffer};
}

MemoryCode::Place MemoryCode::place(Value pointer, Scalar elem, bool as_integer) {
    const auto found = inside_.find(pointer.id);
    if (found == inside_.end()) {
        if (fn_.type(pointer).space != ir::Space::global)
            code_.refuse("a pointer into memory of a thread, of a block or to constants is passed on");
        return global_place(pointer, elem, as_integer);
    }
    const Object &object = objects_[found->second.object.id];
    const Id index = index_of(found->second, elem), type = element_type(object);
    const Id at =
        code_.op(spv::Op::OpAccessChain, code_.module.type_pointer(object.where, type), {object.variable, index});
    return {at, type, object.as_integer, object.where};
}

/// Accesses to memory that threads share are ordered by fences only if they say so.
std::vector<uint32_t> MemoryCode::operands(const Place &place, Scalar elem, bool reads, bool is_volatile) {
    const bool is_global = place.where == StorageClass::PhysicalStorageBuffer;
    const bool is_shared = is_global || place.where == StorageClass::Workgroup;
    uint32_t mask = is_volatile ? uint32_t(Access::Volatile) : 0;
    std::vector<uint32_t> more;
    if (is_global) {
        mask |= uint32_t(Access::Aligned);
        more.push_back(uint32_t(ir::size_of(elem)));
    }
    if (is_shared && code_.communicates && code_.has.has(Capability::VulkanMemoryModel)) {
        mask |= uint32_t(Access::NonPrivatePointer);
        if (is_volatile) {
            mask |= uint32_t(reads ? Access::MakePointerVisible : Access::MakePointerAvailable);
            more.push_back(scope(is_global ? spv::Scope::Device : spv::Scope::Workgroup));
        }
    }
    if (mask) more.insert(more.begin(), mask);
    return more;
}

Id MemoryCode::load_plain(const Place &place, Scalar elem, bool is_volatile) {
    std::vector<uint32_t> all = {place.pointer};
    const std::vector<uint32_t> more = operands(place, elem, true, is_volatile);
    all.insert(all.end(), more.begin(), more.end());
    return code_.module.op(TaskCode::Part::code, spv::Op::OpLoad, place.type, all);
}

Id MemoryCode::load_from(const Place &place, Scalar elem) {
    const Id word = load_plain(place, elem, false);
    if (elem == Scalar::u1) {
        const unsigned bits = place.where == StorageClass::PhysicalStorageBuffer ? 8 : 32;
        return code_.boolean(spv::Op::OpINotEqual, {word, code_.whole(bits, 0)});
    }
    return code_.bitcast(code_.scalar(elem), place.type, word);
}

void MemoryCode::store_to(const Place &place, Scalar elem, Id value) {
    Id word;
    if (elem == Scalar::u1) {
        const unsigned bits = place.where == StorageClass::PhysicalStorageBuffer ? 8 : 32;
        word = code_.select(place.type, value, code_.whole(bits, 1), code_.whole(bits, 0));
    } else {
        word = code_.bitcast(place.type, code_.scalar(elem), value);
    }
    std::vector<uint32_t> all = {place.pointer, word};
    const std::vector<uint32_t> more = operands(place, elem, false, false);
    all.insert(all.end(), more.begin(), more.end());
    code_.module.put(TaskCode::Part::code, spv::Op::OpStore, all);
}

void MemoryCode::load(Value v) {
    const Type t = fn_[v].type;
    if (t.lanes > 1) code_.refuse("a device has no vectors");
    code_.set(v, load_from(place(fn_.args(v)[0], t.elem, false), t.elem));
}

void MemoryCode::store(Value v) {
    const Type t = code_.arg_type(v, 1);
    if (t.lanes > 1) code_.refuse("a device has no vectors");
    store_to(place(fn_.args(v)[0], t.elem, false), t.elem, code_.arg(v, 1));
}

/// A word of 32 bits, or of 64 where such atomics exist, is loaded by an atomic; other numbers by a volatile load and a fence.
void MemoryCode::volatile_load(Value v) {
    const Scalar elem = fn_[v].type.elem;
    const Value pointer = fn_.args(v)[0];
    if (is_private(pointer)) return load(v);
    const Place at = place(pointer, elem, true);
    const unsigned bits = bits_in_memory(elem);
    const bool atomic = at.as_integer && (bits == 32 || (bits == 64 && code_.has.has(Capability::Int64Atomics)));
    Id word;
    if (atomic) {
        if (bits == 64) code_.need(Capability::Int64Atomics);
        const Id order = atomic_semantics(Semantics::Acquire);
        word = code_.op(spv::Op::OpAtomicLoad, at.type, {at.pointer, scope_of(pointer), order});
    } else {
        word = load_plain(at, elem, true);
        if (code_.has.has(Capability::FencesInBranches))
            code_.put(spv::Op::OpMemoryBarrier, {scope_of(pointer), semantics(Semantics::Acquire)});
    }
    if (elem == Scalar::u1) {
        const unsigned width = at.where == StorageClass::PhysicalStorageBuffer ? 8 : 32;
        return code_.set(v, code_.boolean(spv::Op::OpINotEqual, {word, code_.whole(width, 0)}));
    }
    code_.set(v, code_.bitcast(code_.scalar(elem), at.type, word));
}

/// Vulkan's memory model has a scope of the device only with a capability.
Id MemoryCode::scope(spv::Scope scope) {
    if (scope == spv::Scope::Device && code_.has.has(Capability::VulkanMemoryModel)) {
        if (code_.has.has(Capability::VulkanMemoryModelDeviceScope))
            code_.need(Capability::VulkanMemoryModelDeviceScope);
        else
            scope = spv::Scope::QueueFamily;
    }
    return code_.whole(32, uint32_t(scope));
}

Id MemoryCode::scope_of(Value pointer) {
    return scope(fn_.type(pointer).space == ir::Space::shared ? spv::Scope::Workgroup : spv::Scope::Device);
}

Id MemoryCode::semantics(Semantics order) {
    uint32_t mask = uint32_t(order);
    const auto has = [&](Semantics s) { return (uint32_t(order) & uint32_t(s)) != 0; };
    if (mask) mask |= uint32_t(Semantics::UniformMemory) | uint32_t(Semantics::WorkgroupMemory);
    if (mask && code_.has.has(Capability::VulkanMemoryModel)) {
        if (has(Semantics::Acquire) || has(Semantics::AcquireRelease)) mask |= uint32_t(Semantics::MakeVisible);
        if (has(Semantics::AcquireRelease)) mask |= uint32_t(Semantics::MakeAvailable);
    }
    return code_.whole(32, mask);
}

Id MemoryCode::atomic_semantics(Semantics order) {
    return semantics(code_.has.has(Capability::FencesInBranches) ? order : Semantics::MaskNone);
}

void MemoryCode::fence(ir::FenceScope which) {
    if (!code_.has.has(Capability::FencesInBranches)) return;
    const spv::Scope threads = which == ir::FenceScope::group   ? spv::Scope::Subgroup
                               : which == ir::FenceScope::block ? spv::Scope::Workgroup
                                                                : spv::Scope::Device;
    code_.put(spv::Op::OpMemoryBarrier, {scope(threads), semantics(Semantics::AcquireRelease)});
}

void MemoryCode::barrier(spv::Scope which) {
    const Id threads = scope(which);
    code_.put(spv::Op::OpControlBarrier, {threads, threads, semantics(Semantics::AcquireRelease)});
}

} // namespace qd::codegen::spirv
