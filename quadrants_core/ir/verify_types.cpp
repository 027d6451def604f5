#include "ir/verify_types.h"
#include "ir/packing.h"

#include <cmath>

namespace qd::ir {

namespace {

struct Checker {
    const Function &fn;
    const Value v;
    std::vector<Problem> &problems;
    const Inst &in = fn[v];
    const OpInfo &row = info(in.op);
    const std::span<const Value> args = fn.args(v);

    void report(std::string message) { problems.push_back({v, std::move(message)}); }
    Type type(size_t operand) const { return fn.type(args[operand]); }
    void want(size_t operand, Type t) {
        if (type(operand) != t) must_be(operand, to_string(t) + ", not " + to_string(type(operand)));
    }
    void must_be(size_t operand, const std::string &what) {
        report("operand " + std::to_string(operand) + " must be " + what);
    }
    void want_result(Type t) {
        if (in.type != t) report("the result must be " + to_string(t) + ", not " + to_string(in.type));
    }

    void check();
    bool count();
    void result();
    void loaded(unsigned least);
    void pointer(Space space);
    void space(size_t i);
    void operand(size_t i, Operand kind);
    void moves(size_t i, unsigned least);
    void immediate();
    void place(size_t limit);
    void message();
    void packing();
    void table(const Table &t);
    Type moved() const;
};

void Checker::check() {
    const size_t before = problems.size();
    if (!count()) return;
    immediate();
    result();
    for (size_t i = 0; i < args.size() && problems.size() == before; ++i) operand(i, row.signature.kind(i));
    if (problems.size() != before) return;
    if ((row.traits & float_only) && !in.type.is_float()) report("needs a float");
    if ((row.traits & int_only) && !in.type.is_int()) report("needs an integer");
    if (in.op == Op::bitcast && bits_of(type(0).elem) != bits_of(in.type.elem))
        report("bitcast cannot change the number of bits");
}

bool Checker::count() {
    const size_t written = row.signature.written, least = row.signature.open() ? written - 1 : written;
    if (args.size() < least || (args.size() > least && !row.signature.open())) {
        report((row.signature.open() ? "needs at least " : "needs ") + std::to_string(least) +
               (least == 1 ? " operand" : " operands"));
        return false;
    }
    if (!row.signature.open()) return true;
    const Operand last = row.signature.kinds[written - 1];
    if (last == Operand::indices && type(0).is_array() && args.size() != size_t(type(0).ndim) + 2)
        report("needs the array, an index per axis, and the component");
    else if (last == Operand::axes && in.imm < fn.places.size() && args.size() != fn.places[in.imm].shape.size())
        report("needs an index per axis of the place");
    else if (last == Operand::bounds && (args.empty() || args.size() % 2))
        report("needs lo and hi for each index");
    else
        return true;
    return false;
}

void Checker::result() {
    const auto stated = [&](unsigned least, unsigned most) {
        if (!in.type.is_scalar())
            report("the result must be a scalar");
        else if (in.type.lanes > most)
            report("the result must have one lane");
        else if (in.type.lanes < least)
            report("the result must have at least two lanes");
    };
    switch (row.result) {
    case Result::same: return want_result(type(0));
    case Result::boolean: return want_result(Type(Scalar::u1, type(0).lanes));
    case Result::second: return want_result(type(1));
    case Result::pointee:
        if (!type(0).is_pointer()) return must_be(0, "a pointer");
        return want_result(Type(type(0).elem));
    case Result::lane: return want_result(Type(type(0).elem));
    case Result::u1: return want_result(Scalar::u1);
    case Result::i32: return want_result(Scalar::i32);
    case Result::i64: return want_result(Scalar::i64);
    case Result::u64: return want_result(Scalar::u64);
    case Result::number: return stated(1, 1);
    case Result::wide: return stated(1, UINT8_MAX);
    case Result::lanes: return stated(2, UINT8_MAX);
    case Result::loaded: return loaded(1);
    case Result::gathered: return loaded(2);
    case Result::pointer:
    case Result::private_pointer:
    case Result::shared_pointer:
    case Result::constant_pointer: return pointer(space_of(row.result));
    case Result::same_space:
        if (!type(0).is_pointer()) return must_be(0, "a pointer");
        return pointer(type(0).space);
    case Result::element:
        if (!type(0).is_array()) return must_be(0, "an array");
        return want_result(Type::pointer(type(0).elem));
    case Result::member:
        if (in.imm < fn.places.size()) want_result(Type::pointer(fn.places[in.imm].elem));
        return;
    case Result::nothing: return want_result({});
    }
}

void Checker::pointer(Space space) {
    if (!in.type.is_pointer() || in.type.elem == Scalar::none) return report("the result must be a pointer");
    want_result(Type::pointer(in.type.elem, space));
}

void Checker::loaded(unsigned least) {
    if (!type(0).is_pointer()) return must_be(0, "a pointer");
    if (!in.type.is_scalar() || in.type.elem != type(0).elem || in.type.lanes < least)
        report(std::string("the result must be ") + (least > 1 ? "a vector of " : "") + to_string(type(0).elem) +
               ", not " + to_string(in.type));
}

/// The type of the value that a load or store transfers.
Type Checker::moved() const {
    for (size_t i = 0; i < args.size(); ++i)
        if (row.signature.kind(i) == Operand::moved) return type(i);
    return in.type;
}

/// Checks that operand `i` can be stored where operand 0 points.
void Checker::moves(size_t i, unsigned least) {
    if (!type(0).is_pointer()) return must_be(0, "a pointer");
    const Type t = type(i);
    if (!t.is_scalar() || t.elem != type(0).elem || t.lanes < least)
        must_be(i, std::string(least > 1 ? "a vector of " : "") + to_string(type(0).elem) + ", not " + to_string(t));
}

void Checker::operand(size_t i, Operand kind) {
    const Type t = type(i);
    switch (kind) {
    case Operand::alike:
        if (!t.is_scalar()) return report("operands must be scalars");
        if (t != type(0)) report("operands must have the same type");
        return;
    case Operand::like_result:
        if (!t.is_scalar()) return report("operands must be scalars");
        return want(i, in.type);
    case Operand::lane: return want(i, Type(in.type.elem));
    case Operand::per_lane:
        if (!t.is_scalar()) return must_be(i, "a scalar");
        if (t.lanes != in.type.lanes) report("the number of lanes cannot change");
        return;
    case Operand::many:
        if (!t.is_scalar() || t.lanes < 2) must_be(i, "a vector of at least two lanes");
        return;
    case Operand::condition: return want(i, Scalar::u1);
    case Operand::choice:
        if (!t.is_bool() || (t.lanes != 1 && t.lanes != in.type.lanes)) report("the condition must be u1");
        return;
    case Operand::i32: return want(i, Scalar::i32);
    case Operand::i64: return want(i, Scalar::i64);
    case Operand::bound:
        if (i > 0) return want(i, type(0));
        if (t != Type(Scalar::i32) && t != Type(Scalar::i64)) report("bounds must be i32 or i64");
        return;
    case Operand::pointer:
        if (!t.is_pointer()) return must_be(i, "a pointer");
        return space(i);
    case Operand::stored: return moves(i, 1);
    case Operand::value: return want(i, Type(type(0).elem));
    case Operand::moved: return moves(i, 2);
    case Operand::mask: return want(i, Type(Scalar::u1, moved().lanes));
    case Operand::offsets: return want(i, Type(Scalar::i64, moved().lanes));
    case Operand::slots:
        if (t != Type::pointer(Scalar::u64, Space::private_)) want(i, Type::pointer(Scalar::u64));
        return;
    case Operand::number:
        if (!t.is_scalar() || t.lanes != 1) must_be(i, "a scalar of one lane");
        return;
    case Operand::array:
        if (!t.is_array()) must_be(i, "an array");
        return;
    case Operand::level: {
        const Inst &named = fn[args[i]];
        if (named.op != Op::place || named.imm >= fn.places.size() || !fn.places[named.imm].level)
            must_be(i, "a place of a level");
        return;
    }
    case Operand::indices:
    case Operand::axes:
    case Operand::bounds: return want(i, Scalar::i32);
    case Operand::numbers:
        if (!t.is_scalar() || t.lanes != 1) report("values must be scalars");
        return;
    case Operand::values:
        if (!t.is_scalar() && !t.is_pointer()) must_be(i, "a scalar or a pointer");
        return;
    }
}

/// Constant memory must not be written; only global addresses are valid in ops on cells.
void Checker::space(size_t i) {
    const Space own = type(i).space;
    if (own == Space::constant && row.effect == Effect::write && !(row.traits & observes))
        must_be(i, "a pointer to writable memory, not to constant memory");
    if ((row.family == Family::cell || row.family == Family::step) && own != Space::global)
        must_be(i, "a pointer to global memory");
}

void Checker::place(size_t limit) {
    if (level_of(in) >= limit) report("the place has no such level or index");
}

void Checker::message() {
    const size_t values = args.size() - (row.signature.written - 1u);
    for (const Message::Piece &piece : fn.messages[in.imm].pieces)
        if (piece.value >= int(values)) return report("the message refers to a value that does not exist");
}

void Checker::table(const Table &t) {
    if (t.values.empty()) report("a table must have at least one value");
    if (in.type.is_pointer() && in.type.elem != t.elem) report("the elements of the table are " + to_string(t.elem));
    const int bits = bits_of(t.elem);
    for (uint64_t value : t.values)
        if (bits < 64 && value >> bits) return report("a value has more bits than its type");
}

/// Checks that the number fits its word, and its value type the number.
void Checker::packing() {
    const Packing &p = fn.packings[in.imm];
    if (!type(0).is_pointer() || is_signed(type(0).elem) || type(0).elem == Scalar::u1)
        return must_be(0, "a pointer to an unsigned word");
    const int width = bits_of(type(0).elem);
    const auto fits = [&](int shift, int bits) { return bits > 0 && shift + bits <= width; };
    if (!fits(p.shift, p.bits)) return report("the number does not fit the word");
    const Type value = row.result == Result::nothing ? type(args.size() - 1) : in.type;
    if (p.kind == Packing::Kind::integer) {
        if (!value.is_int()) report("the value of a packed integer must be an integer");
        return;
    }
    if (value != Type(Scalar::f32) && value != Type(Scalar::f64))
        return report("the value of a packed real number must be f32 or f64");
    if (p.kind == Packing::Kind::fixed) {
        if (!std::isfinite(p.scale) || p.scale == 0) report("the scale must be finite and not zero");
        return;
    }
    const FloatForm form = form_of(value.elem);
    const int exponent_bits = value.elem == Scalar::f64 ? 11 : 8;
    const auto holds = [&](int digits) { return digits > 0 && digits <= form.digits; };
    if (p.exponent_bits < 2 || p.exponent_bits > exponent_bits || !holds(p.digits()))
        return report("the packed number does not fit its value type");
    if (p.kind == Packing::Kind::floating) return;
    if (!fits(p.exponent_shift, p.exponent_bits)) return report("the exponent does not fit the word");
    for (const Packing::Sharer &other : p.others)
        if (!holds(other.digits) || !fits(other.shift, other.digits))
            return report("a number with the same exponent does not fit the word");
}

void Checker::immediate() {
    if (names_place(in.op) && place_of(in) >= fn.places.size()) return report("there is no such place");
    switch (row.imm) {
    case Imm::bits:
        if (bits_of(in.type.elem) < 64 && in.imm >> bits_of(in.type.elem))
            report("the constant has more bits than its type");
        return;
    case Imm::number:
        if (in.imm == 0 && in.op != Op::stack) report("needs at least one element");
        if (in.op == Op::reserve && entry_bytes(in) == 0) report("an entry must have at least one byte");
        return;
    case Imm::axis:
        if (type(0).is_array() && in.imm >= type(0).ndim) report("the array has no such axis");
        return;
    case Imm::level: return place(fn.places[place_of(in)].levels.size());
    case Imm::part: return place(2 + fn.places[place_of(in)].shape.size());
    case Imm::place_axis: return place(fn.places[place_of(in)].shape.size());
    case Imm::loop:
        if (in.imm >= fn.loops.size()) report("there is no such entry in the table of loops");
        return;
    case Imm::message:
        if (in.imm >= fn.messages.size()) return report("there is no such message");
        return message();
    case Imm::packing:
        if (in.imm >= fn.packings.size()) return report("there is no such packing");
        return packing();
    case Imm::counter:
        if (in.imm >= fn.counters.size()) return report("there is no such counter");
        if (fn.counters[in.imm].shares()) report("the counter shares the count of another counter");
        return;
    case Imm::scope:
        if (in.imm >= std::size(scope_names)) report("there is no such scope");
        return;
    case Imm::table:
        if (in.imm >= fn.tables.size()) return report("there is no such table");
        return table(fn.tables[in.imm]);
    case Imm::subgraph:
        if (in.imm >= fn.subgraphs.size()) report("there is no such subgraph");
        return;
    case Imm::none:
    case Imm::place:
    case Imm::tree:
    case Imm::slot:
    case Imm::external: return;
    }
}

} // namespace

void verify_types(const Function &fn, Value v, std::vector<Problem> &problems) { Checker{fn, v, problems}.check(); }

} // namespace qd::ir
