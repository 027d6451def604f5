#pragma once
// The table of instructions (ops.def) as enums, one of all ops and one per family, and as rows to ask.
#include "ir/types.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace qd::ir {

enum class Op : uint8_t {
#define OP(family, id, ...) id,
#include "ir/ops.def"
};
inline constexpr int op_count = 0
#define OP(...) +1
#include "ir/ops.def"
    ;

enum class Family : uint8_t {
    meta,
    plain,
    arithmetic,
    bits,
    real,
    comparison,
    reduction,
    address,
    memory,
    atomic,
    packed,
    cell,
    step,
    outside,
    control,
    terminator
};

// The ops of each family, for switches that hold all of them: switch (RealOp(op)).
enum class PlainOp : uint8_t {
#define OP(...)
#define PLAIN(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class ArithmeticOp : uint8_t {
#define OP(...)
#define ARITHMETIC(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class BitsOp : uint8_t {
#define OP(...)
#define BITS(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class RealOp : uint8_t {
#define OP(...)
#define REAL(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class ComparisonOp : uint8_t {
#define OP(...)
#define COMPARISON(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class ReductionOp : uint8_t {
#define OP(...)
#define REDUCTION(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class AddressOp : uint8_t {
#define OP(...)
#define ADDRESS(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class MemoryOp : uint8_t {
#define OP(...)
#define MEMORY(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class AtomicOp : uint8_t {
#define OP(...)
#define ATOMIC(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class PackedOp : uint8_t {
#define OP(...)
#define PACKED(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class CellOp : uint8_t {
#define OP(...)
#define CELL(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class StepOp : uint8_t {
#define OP(...)
#define STEP(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class OutsideOp : uint8_t {
#define OP(...)
#define OUTSIDE(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class ControlOp : uint8_t {
#define OP(...)
#define CONTROL(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};
enum class TerminatorOp : uint8_t {
#define OP(...)
#define TERMINATOR(id, ...) id = uint8_t(Op::id),
#include "ir/ops.def"
};

enum class Result : uint8_t {
    same,
    boolean,
    second,
    pointee,
    lane,
    u1,
    i32,
    i64,
    u64,
    number,
    wide,
    lanes,
    loaded,
    gathered,
    pointer,
    private_pointer,
    shared_pointer,
    constant_pointer,
    same_space,
    element,
    member,
    nothing
};
/// The result type must be given: it does not follow from the operands.
constexpr bool is_stated(Result r) { return r >= Result::number && r <= Result::member; }
/// The space of the pointer that an op of this result makes; that of operand 0, if it is `same_space`.
constexpr Space space_of(Result r) {
    return r == Result::private_pointer    ? Space::private_
           : r == Result::shared_pointer   ? Space::shared
           : r == Result::constant_pointer ? Space::constant
                                           : Space::global;
}
enum class Effect : uint8_t { pure, read, write, control, meta };
enum class Imm : uint8_t {
    none,
    bits,
    number,
    axis,
    place,
    level,
    part,
    place_axis,
    loop,
    message,
    counter,
    tree,
    slot,
    packing,
    external,
    subgraph,
    table
};
enum class Operand : uint8_t {
    alike,
    like_result,
    lane,
    per_lane,
    many,
    condition,
    choice,
    i32,
    i64,
    bound,
    pointer,
    stored,
    value,
    moved,
    mask,
    offsets,
    slots,
    number,
    array,
    level,
    indices, ///< from here on: any number
    axes,
    bounds,
    numbers,
    values
};
enum Trait : uint16_t {
    none = 0,
    commutative = 1,
    float_only = 2,
    int_only = 4,
    slow = 8,          ///< takes the time of about five additions
    routine = 16,      ///< of libm, on scalar floats: about a dozen additions
    integral = 32,     ///< gives whole numbers
    cells = 64,        ///< looks at the structure of a tree; with effect write: changes it
    updates = 128,     ///< reads and writes what operand 0 points to
    leaves = 256,      ///< may leave the task
    jumps = 512,       ///< leaves or goes on with a loop
    endless = 1024,    ///< its end is not certain
    lane_form = 2048,  ///< a routine that is instructions on lanes of f32 under fast_math
    observes = 4096,   ///< with effect write: happens each time and in its place, but changes nothing
    convergent = 8192, ///< what it means depends on which threads reach it together: see is_movable
    fences = 16384, ///< memory that is not private: what was stored before is seen by others, and theirs from here on
};

/// The kinds of an op's operands.
struct Signature {
    static constexpr int most = 4;
    Operand kinds[most] = {};
    uint8_t written = 0; ///< kinds in the row

    constexpr bool open() const { return written && kinds[written - 1] >= Operand::indices; }
    /// Of operand `i`; the last kind stands for all that follow if it is open.
    constexpr Operand kind(size_t i) const { return kinds[i < written ? i : written - 1u]; }
};
template <class... Kinds> constexpr Signature signature(Kinds... kinds) {
    static_assert(sizeof...(kinds) <= Signature::most);
    return {{kinds...}, uint8_t(sizeof...(kinds))};
}

struct OpInfo {
    const char *name; ///< text form; a trailing underscore of the C++ name is dropped
    Family family;
    int8_t operands; ///< -1: any number
    Signature signature;
    Result result;
    Effect effect;
    Imm imm;
    uint16_t traits;
    Op plain; ///< what an atomic, a reduction or a packed update applies; Op::param: nothing
};

namespace table {

/// The C++ name of an op without the underscore that keeps it apart from a keyword.
struct Name {
    char text[16] = {};
    constexpr Name(std::string_view s) {
        if (s.ends_with('_')) s.remove_suffix(1);
        for (size_t i = 0; i < s.size(); ++i) text[i] = s[i];
    }
};
inline constexpr Name names[] = {
#define OP(family, id, ...) Name(#id),
#include "ir/ops.def"
};
constexpr OpInfo row(Op op, Family family, Signature s, Result r, Effect e, Imm i, int traits, Op plain = Op::param) {
    return {names[int(op)].text, family, int8_t(s.open() ? -1 : s.written), s, r, e, i, uint16_t(traits), plain};
}
constexpr std::array<OpInfo, op_count> make() {
    using enum Operand;
    return {
#define OP(family, id, operands, result, effect, imm, traits, ...)                                                     \
    row(Op::id, Family::family, signature operands, Result::result, Effect::effect, Imm::imm,                          \
        traits __VA_OPT__(, Op::) __VA_ARGS__),
#include "ir/ops.def"
    };
}

} // namespace table

inline constexpr std::array<OpInfo, op_count> op_table = table::make();
constexpr const OpInfo &info(Op op) { return op_table[size_t(op)]; }
inline Family family(Op op) { return info(op).family; }
inline bool is_terminator(Op op) { return family(op) == Family::terminator; }
inline bool is_atomic(Op op) { return family(op) == Family::atomic; }
inline bool owns_block(Op op) { return family(op) == Family::control; }
/// May be merged with an equal one, done wherever its operands are at hand, as often as anybody likes, and by threads that
/// would not have come to it. What moves, merges, repeats or speculates an instruction asks this, and nothing else.
constexpr bool is_movable(Op op) { return info(op).effect == Effect::pure && !(info(op).traits & convergent); }
/// Pure scalar functions of operands of one type.
inline bool is_arithmetic(Op op) { return family(op) >= Family::arithmetic && family(op) <= Family::real; }
/// Of a pure instruction, in additions.
inline int cost_of(Op op) { return info(op).traits & routine ? 12 : info(op).traits & slow ? 5 : 1; }
/// The op that an atomic, a reduction or a packed update applies; Op::param: none.
inline Op plain_op(Op op) { return info(op).plain; }
/// The atomic that applies an op; Op::param: none.
Op atomic_op(Op plain);
/// The same as an atomic, on a packed number.
Op packed_op(Op atomic);

} // namespace qd::ir
