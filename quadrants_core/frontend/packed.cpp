// Numbers of quant types: some bits of a word that other numbers share. A load takes them out of the word; a store or
// an update replaces them by compare-and-swap, so that threads may write neighbours in one word.
//
//   integer   the low bits, two's complement if signed
//   fixed     an integer times `scale`; rounded to the nearest, clamped to the range
//   floating  exponent (0: the number 0), then sign if signed, then the digits after a leading 1; rounded to the
//             nearest; numbers too small become 0, numbers too large the largest
//   shared    see shared_exponent.cpp
#include "frontend/packed.h"

#include "frontend/control.h"
#include "frontend/objects.h"
#include "frontend/types.h"

#include <cmath>

namespace qd::frontend {

using ir::Scalar;

namespace {

Scalar signed_like(Scalar word) {
    switch (ir::bits_of(word)) {
    case 8: return Scalar::i8;
    case 16: return Scalar::i16;
    case 32: return Scalar::i32;
    default: return Scalar::i64;
    }
}

} // namespace

uint64_t low_bits(int count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }

FloatForm form_of(Scalar type) {
    return type == Scalar::f64 ? FloatForm{Scalar::i64, 52, 1023} : FloatForm{Scalar::i32, 23, 127};
}

namespace {

void read_list(PyObject *list, std::vector<int> &out) {
    PyRef fast = PyRef::steal(PySequence_Fast(list, "a list of integers"));
    for (Py_ssize_t i = 0; fast && i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
        out.push_back(int(PyLong_AsLong(PySequence_Fast_GET_ITEM(fast.get(), i))));
}

/// False with an error set if it is malformed.
bool read_packing(PyObject *answer, Packing &packing) {
    int kind = 0, word = 0, is_signed = 0, compute = 0;
    PyObject *cells = nullptr, *outer = nullptr, *shape = nullptr, *others = nullptr;
    if (!PyArg_ParseTuple(answer, "iiiipdiiOOOiO", &kind, &word, &packing.bits, &packing.exponent_bits, &is_signed,
                          &packing.scale, &compute, &packing.shift, &cells, &outer, &shape, &packing.exponent_shift,
                          &others))
        return false;
    packing.kind = Packing::Kind(kind);
    packing.word = Scalar(word);
    packing.compute = Scalar(compute);
    packing.is_signed = is_signed != 0;
    read_list(cells, packing.cells);
    read_list(outer, packing.outer);
    read_list(shape, packing.shape);
    PyRef list = PyRef::steal(PySequence_Fast(others, "a list of pairs"));
    for (Py_ssize_t i = 0; list && i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
        Packing::Sharer other;
        if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(list.get(), i), "ii", &other.shift, &other.digits)) return false;
        packing.others.push_back(other);
    }
    return !PyErr_Occurred();
}

} // namespace

/// `_qd_packing_()` of a field: None, or for each component (kind, word, bits, exponent bits, signed, scale, compute
/// type, shift, cells, outer, shape, shift of the exponent, [(shift, digits)] of those that share it).
std::vector<Packing> PackedNumbers::packing_of(const Node *node, PyObject *field) {
    PyRef answer = PyRef::steal(PyObject_CallMethodNoArgs(field, names()._qd_packing_));
    if (!answer) w_.python_failed(node);
    std::vector<Packing> out;
    if (answer.get() == Py_None) return out;
    PyRef list = PyRef::steal(PySequence_Fast(answer.get(), "_qd_packing_ gives a list"));
    if (!list) w_.python_failed(node);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i)
        if (!read_packing(PySequence_Fast_GET_ITEM(list.get(), i), out.emplace_back())) w_.python_failed(node);
    return out;
}

static const Packing &packing_at(const Ref &ref, int k) { return ref.field->packing[size_t(ref.comps[size_t(k)])]; }

PackedNumbers::PackedPlace PackedNumbers::packed_place(const Ref &ref, int k) {
    const Packing &packing = packing_at(ref, k);
    const size_t comp = size_t(ref.comps[size_t(k)]);
    std::vector<ir::Value> indices; // of the word
    ir::Value position;             // of the element among those of its word
    for (size_t axis = 0; axis < packing.cells.size(); ++axis) {
        const ir::Value index = ref.indices[axis], cells = b_.i32(packing.cells[axis]);
        const auto known = in_word_.find(index.id);
        const bool own = known != in_word_.end() && known->second.cells == packing.cells[axis];
        if (packing.outer[axis]) indices.push_back(own ? known->second.word : b_.div(index, cells));
        const ir::Value inner = own ? known->second.inner : b_.rem(index, cells);
        if (!position) {
            position = inner;
            continue;
        }
        const ir::Value rows = b_.mul(position, cells);
        position = b_.add(rows, inner);
    }
    if (packing.cells.empty()) indices = ref.indices;
    ir::Value shift = b_.i32(packing.shift);
    if (position) {
        const ir::Value bits = b_.i32(packing.bits);
        const ir::Value first = b_.mul(position, bits);
        shift = b_.add(shift, first);
    }
    const ir::Value word = b_.place(ref.field->places[comp], indices);
    return {word, convert(w_, shift, packing.word)};
}

/// Loops over the elements of one word, given its indices: `body` once with the `indices` of each.
Flow PackedNumbers::each_in_word(const Packing &array, std::span<const ir::Value> word, std::vector<ir::Value> &indices,
                                 const std::function<Flow()> &body) {
    const size_t axis = indices.size();
    if (axis == array.cells.size()) return body();
    const bool outer = array.outer[axis] != 0;
    const std::span<const ir::Value> rest = word.subspan(outer ? 1 : 0);
    const ir::Value zero = b_.i32(0), cells = b_.i32(array.cells[axis]);
    if (array.cells[axis] == 1) {
        indices.push_back(outer ? word[0] : zero);
        const Flow flow = each_in_word(array, rest, indices, body);
        indices.pop_back();
        return flow;
    }
    const ir::Value loop = b_.for_(zero, cells, {}, {});
    const ir::BlockId inside = fn_[loop].blocks[0];
    body_in(w_, inside, [&] {
        const ir::Value number = fn_[inside].params[0];
        ir::Value index = number;
        if (outer) {
            const ir::Value first = b_.mul(word[0], cells);
            index = b_.add(first, number);
        }
        in_word_[index.id] = {outer ? word[0] : zero, number, array.cells[axis]};
        indices.push_back(index);
        const Flow flow = each_in_word(array, rest, indices, body);
        indices.pop_back();
        return flow;
    });
    return Flow::next;
}

ir::Value PackedNumbers::unpacked_number(const Packing &packing, ir::Value word, ir::Value shift) {
    if (packing.kind == Packing::Kind::shared) return shared_number(packing, word);
    const int width = ir::bits_of(packing.word);
    const ir::Value room = b_.integer(packing.word, width - packing.bits);
    const ir::Value up = b_.sub(room, shift);
    const ir::Value lifted = b_.shl(word, up); // the number's top bit is the word's
    if (packing.kind != Packing::Kind::floating) {
        const Scalar type = packing.is_signed ? signed_like(packing.word) : packing.word;
        const ir::Value top = packing.is_signed ? b_.bitcast(lifted, type) : lifted;
        const ir::Value down = b_.integer(type, width - packing.bits);
        const ir::Value number = packing.is_signed ? b_.shr(top, down) : b_.ushr(top, down);
        const ir::Value value = convert(w_, number, packing.compute);
        if (packing.kind == Packing::Kind::integer) return value;
        const ir::Value scale = b_.number(packing.compute, packing.scale);
        return b_.mul(value, scale);
    }
    const FloatForm form = form_of(packing.compute);
    const ir::Value narrow = b_.ushr(lifted, room);
    const ir::Value raw = convert(w_, narrow, form.bits);
    const int fraction = packing.bits - packing.exponent_bits, digits = fraction - int(packing.is_signed);
    const ir::Value fraction_bits = b_.integer(form.bits, fraction);
    const ir::Value exponent = b_.ushr(raw, fraction_bits);
    const ir::Value offset = b_.integer(form.bits, form.bias - ((1 << (packing.exponent_bits - 1)) - 1));
    const ir::Value rebased = b_.add(exponent, offset);
    const ir::Value digit_count = b_.integer(form.bits, form.digits);
    const ir::Value high = b_.shl(rebased, digit_count);
    const ir::Value mask = b_.integer(form.bits, int64_t(low_bits(digits)));
    const ir::Value low = b_.band(raw, mask);
    const ir::Value widen = b_.integer(form.bits, form.digits - digits);
    const ir::Value mantissa = b_.shl(low, widen);
    ir::Value joined = b_.bor(high, mantissa);
    if (packing.is_signed) {
        const ir::Value sign_at = b_.integer(form.bits, digits);
        const ir::Value from_sign = b_.ushr(raw, sign_at);
        const ir::Value top = b_.integer(form.bits, ir::bits_of(form.bits) - 1);
        const ir::Value sign = b_.shl(from_sign, top);
        joined = b_.bor(joined, sign);
    }
    const ir::Value zero = b_.integer(form.bits, 0);
    const ir::Value is_zero = b_.eq(exponent, zero);
    const ir::Value chosen = b_.select(is_zero, zero, joined);
    return b_.bitcast(chosen, packing.compute);
}

/// A number's bits, the lowest at bit 0 of a word.
ir::Value PackedNumbers::packed_bits(const Packing &packing, ir::Value value) {
    const Scalar type = fn_.type(value).elem;
    if (packing.kind == Packing::Kind::integer) return convert(w_, value, packing.word);
    if (packing.kind == Packing::Kind::fixed) {
        const double least = packing.is_signed ? -std::ldexp(1, packing.bits - 1) : 0;
        const double most = std::ldexp(1, packing.bits - int(packing.is_signed)) - 1;
        const Scalar wide = ir::bits_of(packing.word) == 64 ? Scalar::i64 : Scalar::i32;
        const ir::Value steps = b_.number(type, 1 / packing.scale);
        const ir::Value exact = b_.mul(value, steps);
        const ir::Value rounded = b_.round(exact);
        const ir::Value lower = b_.number(type, least);
        const ir::Value bounded = b_.max(rounded, lower);
        const ir::Value upper = b_.number(type, most);
        const ir::Value inside = b_.min(bounded, upper);
        return convert(w_, b_.cast(inside, packing.word == Scalar::u32 ? Scalar::i64 : wide), packing.word);
    }
    const FloatForm form = form_of(type);
    const int fraction = packing.bits - packing.exponent_bits, digits = fraction - int(packing.is_signed);
    const int64_t bias = (1 << (packing.exponent_bits - 1)) - 1;
    const ir::Value raw = b_.bitcast(value, form.bits);
    const ir::Value all_but_sign = b_.integer(form.bits, int64_t(low_bits(ir::bits_of(form.bits) - 1)));
    const ir::Value size = b_.band(raw, all_but_sign);
    const int drop = form.digits - digits;
    const ir::Value half = b_.integer(form.bits, drop > 0 ? int64_t(1) << (drop - 1) : 0);
    const ir::Value lifted = b_.add(size, half);
    const ir::Value dropped = b_.integer(form.bits, drop);
    const ir::Value kept = b_.shr(lifted, dropped); // exponent and digits; a carry goes into the exponent
    const ir::Value offset = b_.integer(form.bits, (int64_t(form.bias) - bias) << digits);
    const ir::Value rebased = b_.sub(kept, offset);
    const ir::Value one = b_.integer(form.bits, int64_t(1) << digits);
    const ir::Value too_small = b_.lt(rebased, one);
    const ir::Value largest = b_.integer(form.bits, int64_t(low_bits(packing.exponent_bits + digits)));
    const ir::Value bounded = b_.min(rebased, largest);
    const ir::Value zero = b_.integer(form.bits, 0);
    const ir::Value number = b_.select(too_small, zero, bounded);
    // a NaN has a sign, but nothing says which
    const ir::Value endless = b_.integer(form.bits, (2 * int64_t(form.bias) + 1) << form.digits);
    const ir::Value below_zero = b_.lt(raw, zero), is_number = b_.le(size, endless);
    const ir::Value negative = b_.band(below_zero, is_number);
    if (!packing.is_signed) return convert(w_, b_.select(negative, zero, number), packing.word);
    // exponent, sign, digits
    const ir::Value mask = b_.integer(form.bits, int64_t(low_bits(digits)));
    const ir::Value low = b_.band(number, mask);
    const ir::Value digit_count = b_.integer(form.bits, digits);
    const ir::Value exponent = b_.ushr(number, digit_count);
    const ir::Value fraction_bits = b_.integer(form.bits, fraction);
    const ir::Value high = b_.shl(exponent, fraction_bits);
    const ir::Value sign = b_.select(negative, one, zero);
    const ir::Value upper = b_.bor(high, sign);
    return convert(w_, b_.bor(upper, low), packing.word);
}

/// The word with these bits in place of those at `shift`.
ir::Value PackedNumbers::word_with_bits(const Packing &packing, ir::Value word, ir::Value shift, ir::Value bits) {
    const ir::Value mask = b_.integer(packing.word, int64_t(low_bits(packing.bits)));
    const ir::Value low = b_.band(bits, mask);
    const ir::Value placed = b_.shl(low, shift);
    const ir::Value hole = b_.shl(mask, shift);
    const ir::Value others = b_.bnot(hole);
    const ir::Value kept = b_.band(word, others);
    return b_.bor(kept, placed);
}

/// Replaces the word by next(word) until no other thread has come between; the old word.
ir::Value PackedNumbers::change_word(ir::Value pointer, const std::function<ir::Value(ir::Value)> &next) {
    const ir::Value variable = b_.local(fn_.type(pointer).elem, 1);
    const ir::Value first = b_.load(pointer);
    b_.store(variable, first);
    const ir::Value loop = b_.loop({}, {});
    const ir::BlockId outer = b_.block;
    b_.block = fn_[loop].blocks[0];
    const ir::Value expected = b_.load(variable);
    const ir::Value wanted = next(expected);
    const ir::Value seen = b_.atomic_cas(pointer, expected, wanted);
    const ir::Value done = b_.eq(seen, expected);
    const ir::Value branch = b_.if_(done);
    const ir::BlockId body = b_.block;
    b_.block = fn_[branch].blocks[0];
    b_.break_();
    b_.block = fn_[branch].blocks[1];
    b_.store(variable, seen);
    b_.yield();
    b_.block = body;
    b_.yield();
    b_.block = outer;
    return b_.load(variable);
}

/// The word with `value` in place of the number at `shift`.
ir::Value PackedNumbers::word_with(const Packing &packing, ir::Value word, ir::Value shift, ir::Value value) {
    if (packing.kind == Packing::Kind::shared) return word_with_shared(packing, word, value);
    const ir::Value bits = packed_bits(packing, value);
    return word_with_bits(packing, word, shift, bits);
}

ir::Value PackedNumbers::load_packed(const Ref &ref, int k) {
    const PackedPlace place = packed_place(ref, k);
    const ir::Value word = b_.load(place.word);
    return unpacked_number(packing_at(ref, k), word, place.shift);
}

void PackedNumbers::store_packed(const Ref &ref, int k, ir::Value value) {
    const Packing &packing = packing_at(ref, k);
    const PackedPlace place = packed_place(ref, k);
    if (packing.kind == Packing::Kind::shared) {
        change_word(place.word, [&](ir::Value word) { return word_with_shared(packing, word, value); });
        return;
    }
    const ir::Value bits = packed_bits(packing, value);
    if (packing.bits == ir::bits_of(packing.word)) {
        b_.store(place.word, bits);
        return;
    }
    change_word(place.word, [&](ir::Value word) { return word_with_bits(packing, word, place.shift, bits); });
}

/// next(number) in place of the number; the old number.
ir::Value PackedNumbers::update_packed(const Ref &ref, int k, const std::function<ir::Value(ir::Value)> &next) {
    const Packing &packing = packing_at(ref, k);
    const PackedPlace place = packed_place(ref, k);
    const ir::Value old = change_word(place.word, [&](ir::Value word) {
        const ir::Value number = unpacked_number(packing, word, place.shift);
        return word_with(packing, word, place.shift, next(number));
    });
    return unpacked_number(packing, old, place.shift);
}

} // namespace qd::frontend
