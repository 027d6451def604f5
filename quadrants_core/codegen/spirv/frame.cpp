#include "codegen/spirv/frame.h"

#include "abi/abi.h"
#include "analysis/launch_range.h"

#include <cstddef>

namespace qd::codegen::spirv {

using Part = Module::Part;

void Frame::begin() {
    const Id u32 = module_.type_int(32), vector = module_.type_vector(u32, 3), one = module_.u32(1);
    if (!is_range()) {
        threads_ = one;
        module_.put(Part::modes, spv::Op::OpExecutionMode,
                    {module_.main(), uint32_t(spv::ExecutionMode::LocalSize), 1, 1, 1});
        return;
    }
    threads_ = module_.op(Part::globals, spv::Op::OpSpecConstant, u32, {usual_block});
    module_.decorate(threads_, spv::Decoration::SpecId, {block_constant});
    const Id size = module_.op(Part::globals, spv::Op::OpSpecConstantComposite, vector, {threads_, one, one});
    module_.decorate(size, spv::Decoration::BuiltIn, {uint32_t(spv::BuiltIn::WorkgroupSize)});
}

Id Frame::pushed(uint32_t member) {
    const Id u64 = module_.type_int(64);
    if (!push_constants_) {
        const Id record = module_.type_struct(std::array{u64, u64, u64});
        module_.decorate(record, spv::Decoration::Block);
        for (const auto &[index, byte] : {std::pair{0u, offsetof(Pushed, record)},
                                          std::pair{1u, offsetof(Pushed, begin)}, std::pair{2u, offsetof(Pushed, end)}})
            module_.decorate_member(record, index, spv::Decoration::Offset, {uint32_t(byte)});
        push_constants_ = module_.global(spv::StorageClass::PushConstant, record);
    }
    Id &known = pushed_[member];
    if (known) return known;
    const Id pointer = module_.type_pointer(spv::StorageClass::PushConstant, u64);
    const Id at = module_.op(Part::entry, spv::Op::OpAccessChain, pointer, {push_constants_, module_.u32(member)});
    return known = module_.op(Part::entry, spv::Op::OpLoad, u64, {at});
}

Id Frame::at_byte(Id address, size_t byte) {
    if (!byte) return address;
    const Id u64 = module_.type_int(64), distance = module_.constant(u64, 64, byte);
    return module_.op(Part::entry, spv::Op::OpIAdd, u64, {address, distance});
}

Id Frame::load_word(Id address) {
    const Id u64 = module_.type_int(64), to = module_.type_pointer(spv::StorageClass::PhysicalStorageBuffer, u64);
    const Id pointer = module_.op(Part::entry, spv::Op::OpConvertUToPtr, to, {address});
    return module_.op(Part::entry, spv::Op::OpLoad, u64,
                      {pointer, uint32_t(spv::MemoryAccessMask::Aligned), sizeof(uint64_t)});
}

Id Frame::word(size_t offset) {
    Id &known = words_[offset];
    if (!known) known = load_word(at_byte(pushed(0), offset));
    return known;
}

Id Frame::word_through(size_t offset, size_t inner) {
    Id &known = inner_words_[{offset, inner}];
    if (!known) known = load_word(at_byte(word(offset), inner));
    return known;
}

Id Frame::slot(uint32_t index) {
    Id &known = slots_[index];
    if (!known) known = load_word(at_byte(pushed(0), sizeof(abi::Launch) + sizeof(uint64_t) * index));
    return known;
}

uint32_t Frame::slot_of(Value param) const {
    if (const auto slot = analysis::slot_of(code_.fn, param)) return *slot;
    code_.refuse("not a parameter of the task");
}

/// The value is in the low bytes of its slot.
Id Frame::argument(Value param) {
    const Scalar s = code_.fn.type(param).elem;
    const Id word = slot(slot_of(param));
    if (s == Scalar::u1) {
        const Id u64 = module_.type_int(64);
        const Id low = module_.op(Part::entry, spv::Op::OpBitwiseAnd, u64, {word, module_.constant(u64, 64, 0xff)});
        return module_.op(Part::entry, spv::Op::OpINotEqual, module_.type_bool(), {low, module_.constant(u64, 64, 0)});
    }
    const Id type = code_.scalar(s), bits = code_.integer(bits_in_memory(s));
    const Id narrow = bits == module_.type_int(64) ? word : module_.op(Part::entry, spv::Op::OpUConvert, bits, {word});
    return bits == type ? narrow : module_.op(Part::entry, spv::Op::OpBitcast, type, {narrow});
}

Id Frame::extent(Value array, uint32_t axis) {
    const Id word = slot(abi::extent_slot(slot_of(array), axis));
    return module_.op(Part::entry, spv::Op::OpUConvert, module_.type_int(32), {word});
}

Id Frame::first(spv::BuiltIn builtin) {
    Id &known = builtins_[uint32_t(builtin)];
    if (known) return known;
    const Id u32 = module_.type_int(32), vector = module_.type_vector(u32, 3);
    const Id variable = module_.global(spv::StorageClass::Input, vector);
    module_.decorate(variable, spv::Decoration::BuiltIn, {uint32_t(builtin)});
    const Id all = module_.op(Part::entry, spv::Op::OpLoad, vector, {variable});
    return known = module_.op(Part::entry, spv::Op::OpCompositeExtract, u32, {all, 0});
}

Id Frame::lane() {
    code_.need(Capability::GroupNonUniform);
    const spv::BuiltIn builtin = spv::BuiltIn::SubgroupLocalInvocationId;
    Id &known = builtins_[uint32_t(builtin)];
    if (known) return known;
    const Id u32 = module_.type_int(32), variable = module_.global(spv::StorageClass::Input, u32);
    module_.decorate(variable, spv::Decoration::BuiltIn, {uint32_t(builtin)});
    return known = module_.op(Part::entry, spv::Op::OpLoad, u32, {variable});
}

Id Frame::index_in_grid() {
    if (!is_range()) return module_.u32(0);
    return first(spv::BuiltIn::GlobalInvocationId);
}

Id Frame::range(Op op) {
    const Id u64 = module_.type_int(64);
    const auto wide = [&](Id x) { return module_.op(Part::entry, spv::Op::OpUConvert, u64, {x}); };
    if (op == Op::chunk_end) return pushed(2);
    if (op == Op::chunk_begin) return module_.op(Part::entry, spv::Op::OpIAdd, u64, {pushed(1), wide(index_in_grid())});
    return module_.op(Part::entry, spv::Op::OpIMul, u64, {wide(first(spv::BuiltIn::NumWorkgroups)), wide(threads_)});
}

} // namespace qd::codegen::spirv
