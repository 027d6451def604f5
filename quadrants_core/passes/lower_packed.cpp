// Packed numbers become word accesses. A load extracts the number's bits from the word. A store or an update replaces them with a
// compare-and-swap, because threads may change neighbours in the same word, and retries with the word found until it succeeds. A store of
// all bits of a word is a plain store.
#include "passes/packed_bits.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

#include "ir/packing.h"

namespace qd::passes {

using namespace ir;

namespace {

/// Expands one instruction.
class Expansion {
  public:
    Expansion(Builder &b, Value v)
        : b_(b), op_(b.fn[v].op), packing_(b.fn.packings[b.fn[v].imm]), pointer_(b.fn.args(v)[0]),
          operands_(b.fn.args(v).begin() + 2, b.fn.args(v).end()), word_(b.fn.type(pointer_).elem),
          type_(op_ == Op::packed_store ? b.fn.type(operands_[0]).elem : b.fn.type(v).elem) {
        shift_ = shift_of(b.fn.args(v)[1]);
    }

    Value result() {
        if (op_ == Op::packed_load) return number(b_, b_.load(pointer_));
        if (op_ == Op::packed_volatile) return number(b_, b_.volatile_load(pointer_));
        if (op_ == Op::packed_store) return store();
        const Value loop = change([&](Builder &b, Value word) {
            const Value before = number(b, word);
            return with(b, word, updated(b, before));
        });
        return number(b_, b_.fn.results(loop)[0]);
    }

  private:
    /// The position of the number's lowest bit, as a shift count in the word's type.
    Value shift_of(Value which) {
        if (b_.fn[which].op == Op::constant)
            return b_.integer(word_, packing_.shift + int64_t(int32_t(b_.fn[which].imm)) * packing_.bits);
        const Value bits = b_.i32(packing_.bits);
        const Value before = b_.mul(which, bits);
        const Value first = b_.i32(packing_.shift);
        const Value shift = b_.add(before, first);
        return converted(b_, shift, word_);
    }

    Value number(Builder &b, Value word) { return unpacked_number(b, packing_, word, shift_, type_); }

    /// The word with the number replaced by `number`.
    Value with(Builder &b, Value word, Value number) {
        if (packing_.kind == Packing::Kind::shared) return word_with_shared(b, packing_, word, number);
        const Value bits = packed_bits(b, packing_, word_, number);
        return word_with_bits(b, word, shift_, packing_.bits, bits);
    }

    Value updated(Builder &b, Value before) {
        if (op_ == Op::packed_xchg) return operands_[0];
        if (op_ == Op::packed_cas) {
            const Value same = b.eq(before, operands_[0]);
            return b.select(same, operands_[1], before);
        }
        return b.emit(plain_op(op_), {before, operands_[0]});
    }

    Value store() {
        if (packing_.kind == Packing::Kind::shared)
            return change([&](Builder &b, Value word) { return with(b, word, operands_[0]); });
        const Value bits = packed_bits(b_, packing_, word_, operands_[0]);
        if (packing_.bits == bits_of(word_)) return b_.store(pointer_, bits);
        return change([&](Builder &b, Value word) { return word_with_bits(b, word, shift_, packing_.bits, bits); });
    }

    /// Emits a compare-and-swap loop that replaces the word by next(word); its result is the old word.
    template <class Next> Value change(const Next &next) {
        Function &fn = b_.fn;
        const Value first = b_.load(pointer_);
        const Value loop = b_.loop(std::array{first}, {});
        Builder body(fn, fn[loop].blocks[0]);
        body.span = b_.span;
        const Value expected = fn[body.block].params[0];
        const Value wanted = next(body, expected);
        const Value seen = body.atomic_cas(pointer_, expected, wanted);
        const Value done = body.eq(seen, expected);
        const Value branch = body.if_(done);
        Builder(fn, fn[branch].blocks[0]).break_(std::array{seen});
        Builder(fn, fn[branch].blocks[1]).yield();
        body.yield(std::array{seen});
        return loop;
    }

    Builder &b_;
    const Op op_;
    const Packing packing_;
    const Value pointer_;
    const std::vector<Value> operands_; ///< operands after the pointer and the number's index
    const Scalar word_, type_;
    Value shift_;
};

} // namespace

bool lower_packed(Function &fn, const Config &) {
    if (fn.packings.empty()) return false;
    const auto is_packed = [&](Value v) { return family(fn[v].op) == Family::packed; };
    return expand_each(fn, is_packed, [](Builder &b, Value v) { return Expansion(b, v).result(); });
}

} // namespace qd::passes
