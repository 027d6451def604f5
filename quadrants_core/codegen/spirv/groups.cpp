#include "codegen/spirv/groups.h"

namespace qd::codegen::spirv {

using ir::GroupOp;

Id GroupCode::group(Value v) {
    const GroupOp op = GroupOp(fn_[v].op);
    if (!lanes_ && op != GroupOp::thread_in_block && op != GroupOp::block_index && op != GroupOp::block_threads)
        code_.refuse("the device has no subgroups");
    switch (op) {
    case GroupOp::lane: return frame_.lane();
    case GroupOp::lanes: return code_.whole(32, lanes_);
    case GroupOp::thread_in_block: return frame_.thread_in_block();
    case GroupOp::block_index: return frame_.block_index();
    case GroupOp::block_threads: return frame_.block_threads();
    case GroupOp::shuffle:
    case GroupOp::shuffle_xor:
    case GroupOp::shuffle_up:
    case GroupOp::shuffle_down: return shuffle(v);
    case GroupOp::ballot: return ballot(code_.arg(v, 0));
    case GroupOp::group_any: return any(code_.arg(v, 0));
    }
    code_.refuse("has no instructions");
}

Id GroupCode::shuffle_word(Op op, Id word, Id by) {
    code_.need(Capability::GroupNonUniform);
    const bool relative = op == Op::shuffle_up || op == Op::shuffle_down;
    code_.need(relative ? Capability::GroupNonUniformShuffleRelative : Capability::GroupNonUniformShuffle);
    const spv::Op code = op == Op::shuffle       ? spv::Op::OpGroupNonUniformShuffle
                         : op == Op::shuffle_xor ? spv::Op::OpGroupNonUniformShuffleXor
                         : op == Op::shuffle_up  ? spv::Op::OpGroupNonUniformShuffleUp
                                                 : spv::Op::OpGroupNonUniformShuffleDown;
    return code_.op(code, code_.integer(32), {subgroup(), word, by});
}

/// Shuffles a number of any type as one or two words of 32 bits: other sizes need one more feature of the device.
Id GroupCode::shuffle(Value v) {
    const Op op = fn_[v].op;
    const Scalar t = fn_[v].type.elem;
    const Id x = code_.arg(v, 0), by = code_.arg(v, 1);
    if (t == Scalar::u1) {
        const Id word = shuffle_word(op, arithmetic_.cast(t, Scalar::u32, x), by);
        return arithmetic_.cast(Scalar::u32, t, word);
    }
    const unsigned bits = bits_in_memory(t);
    const Id type = code_.scalar(t), whole = code_.integer(bits), u32 = code_.integer(32);
    const Id word = code_.bitcast(whole, type, x);
    if (bits < 32) {
        const Id wide = code_.op(spv::Op::OpUConvert, u32, {word});
        return code_.bitcast(type, whole, code_.op(spv::Op::OpUConvert, whole, {shuffle_word(op, wide, by)}));
    }
    if (bits == 32) return code_.bitcast(type, whole, shuffle_word(op, word, by));
    const Id distance = code_.whole(64, 32);
    const Id low = shuffle_word(op, code_.op(spv::Op::OpUConvert, u32, {word}), by);
    const Id shifted = code_.op(spv::Op::OpShiftRightLogical, whole, {word, distance});
    const Id high = shuffle_word(op, code_.op(spv::Op::OpUConvert, u32, {shifted}), by);
    const Id upper =
        code_.op(spv::Op::OpShiftLeftLogical, whole, {code_.op(spv::Op::OpUConvert, whole, {high}), distance});
    const Id both = code_.op(spv::Op::OpBitwiseOr, whole, {upper, code_.op(spv::Op::OpUConvert, whole, {low})});
    return code_.bitcast(type, whole, both);
}

Id GroupCode::ballot(Id condition) {
    code_.need(Capability::GroupNonUniform);
    code_.need(Capability::GroupNonUniformBallot);
    const Id u32 = code_.integer(32), u64 = code_.integer(64);
    const Id mask =
        code_.op(spv::Op::OpGroupNonUniformBallot, code_.module.type_vector(u32, 4), {subgroup(), condition});
    const auto part = [&](uint32_t index) {
        const Id word = code_.op(spv::Op::OpCompositeExtract, u32, {mask, index});
        return code_.op(spv::Op::OpUConvert, u64, {word});
    };
    const Id low = part(0), high = part(1);
    const Id upper = code_.op(spv::Op::OpShiftLeftLogical, u64, {high, code_.whole(64, 32)});
    return code_.op(spv::Op::OpBitwiseOr, u64, {upper, low});
}

Id GroupCode::any(Id condition) {
    code_.need(Capability::GroupNonUniform);
    code_.need(Capability::GroupNonUniformVote);
    return code_.boolean(spv::Op::OpGroupNonUniformAny, {subgroup(), condition});
}

} // namespace qd::codegen::spirv
