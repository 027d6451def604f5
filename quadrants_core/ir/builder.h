#pragma once
// Emits instructions at an insertion point. One method per row of ops.def; the result type follows from the table. Emit one instruction per
// statement: the evaluation order of arguments is unspecified, so nested emits number values differently under different compilers.
#include "ir/function.h"

#include <array>
#include <bit>
#include <cstring>

namespace qd::ir {

struct Builder {
    Function &fn;
    BlockId block;          ///< block to insert into
    size_t at = size_t(-1); ///< position in the block; -1 = at the end
    SpanId span = no_span;

    explicit Builder(Function &f, BlockId b = {}) : fn(f), block(b) {}

    /// The general form. `type` is used only if the row's result is stated.
    Value emit(Op op, std::span<const Value> args, Type type = {}, uint64_t imm = 0);
    Value emit(Op op, std::initializer_list<Value> args, Type type = {}, uint64_t imm = 0) {
        return emit(op, std::span<const Value>(args.begin(), args.size()), type, imm);
    }

    Value constant(Type t, uint64_t bits) { return emit(Op::constant, {}, t, bits); }
    Value i32(int32_t v) { return constant(Scalar::i32, uint32_t(v)); }
    Value i64(int64_t v) { return constant(Scalar::i64, uint64_t(v)); }
    Value u1(bool v) { return constant(Scalar::u1, v); }
    /// A constant of numeric value v in any scalar type (rounded or wrapped to it), splat if t has lanes.
    Value number(Type t, double v);
    Value integer(Type t, int64_t v);

    // Fixed-arity ops whose type follows from their operands: b.add(x, y), b.store(p, v), b.atomic_add(p, v) ...
#define OP(family, id, ...)                                                                                            \
    template <class... V>                                                                                              \
        requires(int(sizeof...(V)) == info(Op::id).operands && sizeof...(V) > 0 && !is_stated(info(Op::id).result) &&  \
                 info(Op::id).effect != Effect::control && info(Op::id).imm == Imm::none)                              \
    Value id(V... v) {                                                                                                 \
        return emit(Op::id, {v...});                                                                                   \
    }
#include "ir/ops.def"

    Value cast(Value v, Type to) { return emit(Op::cast, {v}, to); }
    Value bitcast(Value v, Type to) { return emit(Op::bitcast, {v}, to); }
    Value load(Value p) { return emit(Op::load, {p}, Type(fn.type(p).elem)); }
    Value volatile_load(Value p) { return emit(Op::volatile_load, {p}, Type(fn.type(p).elem)); }
    Value dim(Value array, int axis) { return emit(Op::dim, {array}, Scalar::i32, uint64_t(axis)); }
    Value local(Scalar elem, uint64_t n) { return emit(Op::local, {}, Type::pointer(elem), n); }
    Value element(Value array, std::span<const Value> indices, Value component);
    Value place(uint32_t place, std::span<const Value> indices);
    Value offset(Value p, Value bytes, Scalar pointee) { return emit(Op::offset, {p, bytes}, Type::pointer(pointee)); }
    Value random(Scalar t) { return emit(Op::random, {}, t); }
    /// The trip count of a serial loop over [lo, hi), in i64.
    Value trips(Value lo, Value hi);
    Value count(uint32_t counter, Value n) { return emit(Op::count, {n}, {}, counter); }

    // Structured control. Each creates the blocks and leaves the insertion point after the instruction.
    Value if_(Value condition);                                                     ///< two empty blocks
    Value for_(Value lo, Value hi, std::span<const Value> inits, const Loop &loop); ///< body: index, carried values
    Value loop(std::span<const Value> inits, const Loop &loop);
    Value parallel(std::span<const Value> bounds, const Loop &loop); ///< body: i32 indices
    void yield(std::span<const Value> v = {}) { emit(Op::yield, v); }
    void break_(std::span<const Value> v = {}) { emit(Op::break_, v); }
    void continue_(std::span<const Value> v = {}) { emit(Op::continue_, v); }
    void ret(std::span<const Value> v = {}) { emit(Op::ret, v); }
    void exit() { emit(Op::exit, {}); }
};

} // namespace qd::ir
