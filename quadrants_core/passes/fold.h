#pragma once
// The walk of fold: fold.cpp walks the blocks and tracks facts, fold_algebra.cpp implements the rules of single ops.
#include "ir/builder.h"
#include "ir/eval.h"
#include "passes/fold_laws.h"
#include "passes/rename.h"

#include <optional>

namespace qd::passes::folding {

using ir::BlockId;
using ir::Constant;
using ir::Function;
using ir::Op;
using ir::Scalar;
using ir::Type;
using ir::Value;

struct Fold {
    Function &fn;
    Rename rename;
    BlockId block; ///< being rebuilt
    bool changed = false;
    std::vector<uint8_t> nonnegative; ///< by value: an integer known not to be negative
    std::vector<uint8_t> truth;       ///< by value: 0 unknown here, 1 false, 2 true
    struct Fact {
        Value v, renamed; ///< the previous renaming of `v`
        uint8_t truth;
    };
    std::vector<Fact> facts; ///< to undo

    explicit Fold(Function &f) : fn(f), rename(f), nonnegative(f.insts.size()), truth(f.insts.size()) {}

    // ---- values
    Value arg(Value v, int i) const { return fn.args(v)[size_t(i)]; }
    std::optional<Constant> constant(Value v) const;
    Value emit(Op op, std::initializer_list<Value> args, Type type, SpanId span);
    Value emit_constant(Type type, uint64_t value, SpanId span);
    Value emit_constant(Value like, Constant c);

    Value become(Value v, Op op, std::initializer_list<Value> args);
    Value become_constant(Value v, uint64_t value);
    Value become_constant(Value v, Constant c) { return become_constant(v, c.bits); }

    // ---- rules. Each returns the value to use instead of `v`: `v` itself, possibly rewritten, or another.
    Value evaluate(Value v);

    bool order(Value v);

    Value identity(Value v);
    Value give(Value v, Gives gives, Value left, Value right);

    Value regroup(Value v);

    Value twice(Value v, Value x);
    Value add(Value v);
    Value sub(Value v);

    Value divide(Value v);
    Value multiply_instead(Value v, Constant c);

    Value power(Value v);

    Value compare(Value v);
    Value equality(Value v, Value x, Constant c);

    Value negate(Value v);
    Value absolute(Value v);
    Value complement(Value v);
    Value rounding(Value v);

    Value cast(Value v);
    Value bitcast(Value v);

    Value select(Value v);
    Value extremum(Value v, Value c, Value x, Value y);

    Value offset(Value v);

    Value special(Value v);
    Value of_numbers(Value v);
    Value of_bits(Value v);

    Value simplify(Value v);

    // ---- signs
    bool is_nonnegative(Value v) const;
    bool finds_nonnegative(Value v) const;
    void note_nonnegative(Value v);

    // ---- facts
    void learn(Value c, bool holds);
    void forget(size_t mark);

    // ---- walk
    void resolve(Value v);

    bool holds(Value v) const;

    void run(BlockId b);

    bool falls_through(BlockId b) const { return fn[fn[b].insts.back()].op == Op::yield; }
    void branches(Value v);
    void loop(Value v);
};

} // namespace qd::passes::folding
