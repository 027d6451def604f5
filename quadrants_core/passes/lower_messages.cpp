// Messages are passed in words of 8 bytes: values that are printed or reported become f64, i64 or u64. An assertion becomes a branch whose
// failure side reports it and leaves the task, so that the values are converted only there.
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace qd::passes {

using namespace ir;

namespace {

Scalar word_of(Scalar type) { return is_float(type) ? Scalar::f64 : is_signed(type) ? Scalar::i64 : Scalar::u64; }

/// Converts `values` to operands of a message.
std::vector<Value> words(Builder &b, std::span<const Value> values) {
    std::vector<Value> list(values.begin(), values.end());
    for (Value &value : list)
        if (const Scalar type = b.fn.type(value).elem; type != word_of(type)) value = b.cast(value, word_of(type));
    return list;
}

Value print(Builder &b, Value v) { return b.emit(Op::print, words(b, b.fn.args(v)), {}, b.fn[v].imm); }

Value assertion(Builder &b, Value v) {
    Function &fn = b.fn;
    const uint64_t message = fn[v].imm;
    const Value branch = b.if_(fn.args(v)[0]);
    Builder(fn, fn[branch].blocks[0]).yield();
    Builder broken(fn, fn[branch].blocks[1]);
    broken.span = b.span;
    broken.emit(Op::fail, words(broken, fn.args(v).subspan(1)), {}, message);
    broken.exit();
    return branch;
}

} // namespace

bool lower_messages(Function &fn, const Config &) {
    const auto narrow = [&](Value value) { return fn.type(value).elem != word_of(fn.type(value).elem); };
    const auto is_wanted = [&](Value v) {
        if (fn[v].op == Op::assert_) return true;
        return fn[v].op == Op::print && std::any_of(fn.args(v).begin(), fn.args(v).end(), narrow);
    };
    return expand_each(fn, is_wanted,
                       [&](Builder &b, Value v) { return fn[v].op == Op::print ? print(b, v) : assertion(b, v); });
}

} // namespace qd::passes
