// An atomic that the target lacks becomes a loop that exchanges the word which contains the number:
//
//   first = volatile_load word
//   loop expected = first:
//       wanted = expected with the number replaced by op(number, operand)
//       if wanted == expected: leave           min and max that change nothing, a compare that fails
//       seen = atomic_cas word, expected, wanted
//       if seen == expected: leave; else repeat with seen
//
// The word is the number itself, as u32 or u64, or the aligned u32 that contains a number of 8 or 16 bits: other threads may change the
// rest of it. All memory of numbers that small must therefore end at a multiple of 4 bytes. The first read sees stores of other threads, so
// that a thread can wait by an atomic that changes nothing.
//
// An atomic stays if the target has no compare-and-exchange of that word, if it is on a sparse place, whose cell it must create, or if it
// is on a small number of memory that is neither global nor derived from a `shared`.
#include "passes/atomics.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace qd::passes {

using namespace ir;

namespace {

constexpr int word_bytes = 4;

bool is_small(Scalar type) { return size_of(type) < word_bytes; }
Scalar word_of(Scalar type) { return is_small(type) ? Scalar::u32 : unsigned_of(type); }

Value root_of(const Function &fn, Value pointer) {
    while (fn[pointer].op == Op::offset) pointer = fn.args(pointer)[0];
    return pointer;
}

bool is_lowered(const Function &fn, const Atomics &atomics, Value v) {
    const Op op = fn[v].op;
    if (!is_atomic(op)) return false;
    const Scalar type = fn.type(v).elem, word = word_of(type);
    if (atomics.has(op, type) || !atomics.has(Op::atomic_cas, word)) return false;
    const Value pointer = fn.args(v)[0], root = root_of(fn, pointer);
    if (fn[root].op == Op::place && is_sparse(fn.places[fn[root].imm])) return false;
    return !is_small(type) || fn.type(pointer).space == Space::global || fn[root].op == Op::shared;
}

class Expansion {
  public:
    Expansion(Builder &b, Value v)
        : b_(b), op_(b.fn[v].op), args_(b.fn.args(v).begin(), b.fn.args(v).end()), type_(b.fn.type(v).elem),
          bits_(unsigned_of(type_)), word_(word_of(type_)) {
        find_word();
    }

    Value result() {
        const Value first = b_.volatile_load(pointer_);
        const Value loop = b_.loop(std::array{first}, {});
        Builder body(b_.fn, b_.fn[loop].blocks[0]);
        body.span = b_.span;
        const Value expected = b_.fn[body.block].params[0];
        const Value number = number_in(body, expected);
        const Value wanted = with(body, expected, updated(body, op_, args_, number));
        const Value same = body.eq(wanted, expected);
        leave_if(body, same, expected);
        const Value seen = body.atomic_cas(pointer_, expected, wanted);
        const Value done = body.eq(seen, expected);
        leave_if(body, done, seen);
        body.yield(std::array{seen});
        return number_in(b_, b_.fn.results(loop)[0]);
    }

  private:
    /// Finds the address of the word, and the position in it of a small number.
    void find_word() {
        if (!is_small(type_)) {
            pointer_ = type_ == word_ ? args_[0] : pointer_to_word(b_.i64(0));
            return;
        }
        const Value low = b_.i64(word_bytes - 1);
        const Value byte = b_.band(address(), low);
        const Value back = b_.neg(byte);
        pointer_ = pointer_to_word(back);
        const Value eight = b_.integer(word_, 8);
        const Value narrow = b_.cast(byte, word_);
        shift_ = b_.mul(narrow, eight);
        const Value ones = b_.integer(word_, (int64_t(1) << 8 * size_of(type_)) - 1);
        const Value place = b_.shl(ones, shift_);
        others_ = b_.bnot(place);
    }

    Value pointer_to_word(Value bytes) { return b_.offset(args_[0], bytes, word_); }

    /// The number's address, or its offset in memory of a block, which is aligned.
    Value address() {
        if (b_.fn.type(args_[0]).space == Space::global) {
            const Value at = b_.emit(Op::address, {args_[0]}, Scalar::u64);
            return b_.cast(at, Scalar::i64);
        }
        Value at = b_.i64(0);
        for (Value p = args_[0]; b_.fn[p].op == Op::offset; p = b_.fn.args(p)[0]) at = b_.add(at, b_.fn.args(p)[1]);
        return at;
    }

    Value number_in(Builder &b, Value word) const {
        Value bits = word;
        if (shift_) {
            bits = b.ushr(bits, shift_);
            bits = b.cast(bits, bits_);
        }
        if (type_ == bits_) return bits;
        return type_ == Scalar::u1 ? b.cast(bits, type_) : b.bitcast(bits, type_);
    }

    Value with(Builder &b, Value word, Value number) const {
        Value bits = number;
        if (type_ != bits_) bits = type_ == Scalar::u1 ? b.cast(bits, bits_) : b.bitcast(bits, bits_);
        if (!shift_) return bits;
        bits = b.cast(bits, word_);
        bits = b.shl(bits, shift_);
        const Value rest = b.band(word, others_);
        return b.bor(rest, bits);
    }

    static void leave_if(Builder &b, Value condition, Value result) {
        const Value branch = b.if_(condition);
        Builder(b.fn, b.fn[branch].blocks[0]).break_(std::array{result});
        Builder(b.fn, b.fn[branch].blocks[1]).yield();
    }

    Builder &b_;
    const Op op_;
    const std::vector<Value> args_;
    const Scalar type_, bits_, word_; ///< of the number, of its bits, of the word
    Value pointer_;                   ///< to the word
    Value shift_, others_;            ///< small numbers: position in the word, and a mask of the other bits
};

/// Makes memory of a block that holds small numbers end at a multiple of a word.
void round_up_shared(Function &fn) {
    for (Inst &in : fn.insts)
        if (in.op == Op::shared && is_small(in.type.elem)) {
            const auto each = uint64_t(word_bytes / size_of(in.type.elem));
            in.imm = (in.imm + each - 1) / each * each;
        }
}

} // namespace

bool lower_atomics(Function &fn, const Config &config) {
    const auto is_wanted = [&](Value v) { return is_lowered(fn, config.atomics, v); };
    const bool changed = expand_each(fn, is_wanted, [](Builder &b, Value v) { return Expansion(b, v).result(); });
    if (changed) round_up_shared(fn);
    return changed;
}

} // namespace qd::passes
