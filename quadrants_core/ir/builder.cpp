#include "ir/builder.h"
#include "ir/eval.h"

namespace qd::ir {

Value Builder::emit(Op op, std::span<const Value> args, Type type, uint64_t imm) {
    switch (info(op).result) {
    case Result::same: type = fn.type(args[0]); break;
    case Result::boolean: type = Type(Scalar::u1, fn.type(args[0]).lanes); break;
    case Result::second: type = fn.type(args[1]); break;
    case Result::pointee: type = Type(fn.type(args[0]).elem); break;
    case Result::lane: type = Type(fn.type(args[0]).elem); break;
    case Result::u1: type = Scalar::u1; break;
    case Result::i32: type = Scalar::i32; break;
    case Result::i64: type = Scalar::i64; break;
    case Result::u64: type = Scalar::u64; break;
    case Result::number:
    case Result::wide:
    case Result::lanes:
    case Result::loaded:
    case Result::gathered:
    case Result::element:
    case Result::member: break;
    case Result::pointer:
    case Result::private_pointer:
    case Result::shared_pointer:
    case Result::constant_pointer: type.space = space_of(info(op).result); break;
    case Result::same_space: type.space = fn.type(args[0]).space; break;
    case Result::nothing: type = {}; break;
    }
    const List operands = fn.make_list(args);
    const Value v{uint32_t(fn.insts.size())};
    Inst &inst = fn.insts.emplace_back();
    inst.op = op;
    inst.type = type;
    inst.args = operands;
    inst.imm = imm;
    inst.span = span;
    std::vector<Value> &list = fn[block].insts;
    if (at >= list.size())
        list.push_back(v);
    else
        list.insert(list.begin() + ptrdiff_t(at), v);
    if (at != size_t(-1)) ++at;
    return v;
}

Value Builder::number(Type t, double v) {
    Value scalar = constant(Type(t.elem), flushed_if_fast(fn, from_double(t.elem, v)).bits);
    return t.lanes > 1 ? emit(Op::splat, {scalar}, t) : scalar;
}

Value Builder::integer(Type t, int64_t v) {
    Value scalar = constant(Type(t.elem), from_int(t.elem, v).bits);
    return t.lanes > 1 ? emit(Op::splat, {scalar}, t) : scalar;
}

Value Builder::trips(Value lo, Value hi) {
    const Value from = cast(lo, Scalar::i64);
    const Value to = cast(hi, Scalar::i64);
    const Value span = sub(to, from);
    const Value zero = i64(0);
    return max(span, zero);
}

Value Builder::element(Value array, std::span<const Value> indices, Value component) {
    std::vector<Value> args{array};
    args.insert(args.end(), indices.begin(), indices.end());
    args.push_back(component);
    return emit(Op::element, args, Type::pointer(fn.type(array).elem));
}

Value Builder::place(uint32_t place, std::span<const Value> indices) {
    return emit(Op::place, indices, Type::pointer(fn.places[place].elem), place);
}

Value Builder::if_(Value condition) {
    Value v = emit(Op::if_, {condition});
    BlockId then_block = fn.make_block();
    BlockId else_block = fn.make_block();
    fn[v].blocks[0] = then_block;
    fn[v].blocks[1] = else_block;
    return v;
}

namespace {

/// Creates the body of a loop and one result for each carried value.
void finish_loop(Builder &b, Value v, std::span<const Type> indices, std::span<const Value> inits) {
    BlockId body = b.fn.make_block();
    b.fn[v].blocks[0] = body;
    for (Type t : indices) b.fn.add_param(body, t, b.span);
    for (Value init : inits) b.fn.add_param(body, b.fn.type(init), b.span);
    for (Value init : inits) b.fn.add_result(v, b.fn.type(init));
}

} // namespace

Value Builder::for_(Value lo, Value hi, std::span<const Value> inits, const Loop &loop) {
    std::vector<Value> carried(inits.begin(), inits.end());
    std::vector<Value> args{lo, hi};
    args.insert(args.end(), carried.begin(), carried.end());
    fn.loops.push_back(loop);
    Value v = emit(Op::for_, args, {}, fn.loops.size() - 1);
    Type index = fn.type(lo);
    finish_loop(*this, v, {&index, 1}, carried);
    return v;
}

Value Builder::loop(std::span<const Value> inits, const Loop &loop) {
    std::vector<Value> carried(inits.begin(), inits.end());
    fn.loops.push_back(loop);
    Value v = emit(Op::loop, carried, {}, fn.loops.size() - 1);
    finish_loop(*this, v, {}, carried);
    return v;
}

Value Builder::parallel(std::span<const Value> bounds, const Loop &loop) {
    std::vector<Value> args(bounds.begin(), bounds.end());
    fn.loops.push_back(loop);
    Value v = emit(Op::parallel, args, {}, fn.loops.size() - 1);
    const size_t count = loop.cells ? fn.places[place_of(fn[args.at(1)])].shape.size() : args.size() / 2;
    std::vector<Type> indices(count, Type(Scalar::i32));
    finish_loop(*this, v, indices, {});
    return v;
}

} // namespace qd::ir
