#pragma once
// The instruction table (ops.def) as enums, one of all ops and one per family, and as rows that can be queried.
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
    group,
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

// The ops of each family, for exhaustive switches: switch (RealOp(op)).
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
enum class GroupOp : uint8_t {
#define OP(...)
#define GROUP(id, ...) id = uint8_t(Op::id),
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
/// True if the result type must be given because it does not follow from the operands.
constexpr bool is_stated(Result r) { return r >= Result::number && r <= Result::member; }
/// The space of a pointer result. Invalid for `same_space`, where it is the space of operand 0.
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
    table,
    scope
};
/// The threads for which a fence orders memory accesses.
enum class FenceScope : uint8_t { group, block, device };
inline constexpr const char *scope_names[] = {"group", "block", "device"}; ///< in the text form
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
    indices, ///< variadic from here on
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
    slow = 8,          ///< costs about five additions
    routine = 16,      ///< a libm function on scalar floats: costs about a dozen additions
    integral = 32,     ///< the result is a whole number
    cells = 64,        ///< reads the structure of a tree; with effect write: changes it
    updates = 128,     ///< reads and writes the memory that operand 0 points to
    leaves = 256,      ///< may leave the task
    jumps = 512,       ///< leaves or continues a loop
    endless = 1024,    ///< may not terminate
    lane_form = 2048,  ///< a routine that under fast_math is expanded to SIMD instructions on f32 lanes
    observes = 4096,   ///< with effect write: executes each time and in program order, but writes nothing
    convergent = 8192, ///< depends on which threads execute it together: see is_movable
    fences = 16384,    ///< full fence on shared and global memory
};

/// The kinds of an op's operands.
struct Signature {
    static constexpr int most = 4;
    Operand kinds[most] = {};
    uint8_t written = 0; ///< number of `kinds` given in the row

    constexpr bool open() const { return written && kinds[written - 1] >= Operand::indices; }
    /// The kind of operand `i`; if the signature is open, the last kind applies to all further operands.
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
    Op plain; ///< the op that an atomic, a reduction or a packed update applies, or Op::param
};

namespace table {

/// The C++ name of an op without the underscore that avoids a keyword.
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
/// True if the instruction may be merged with an equal one, executed wherever its operands are available, any number of times, and by
/// threads that would not have reached it. Code that moves, merges, duplicates or speculates an instruction must check this, and only this.
constexpr bool is_movable(Op op) { return info(op).effect == Effect::pure && !(info(op).traits & convergent); }
/// Pure scalar functions of operands of one type.
inline bool is_arithmetic(Op op) { return family(op) >= Family::arithmetic && family(op) <= Family::real; }
/// Cost of a pure instruction, in additions.
inline int cost_of(Op op) { return info(op).traits & routine ? 12 : info(op).traits & slow ? 5 : 1; }
/// The op that an atomic, a reduction or a packed update applies, or Op::param.
inline Op plain_op(Op op) { return info(op).plain; }
/// The atomic that applies an op, or Op::param.
Op atomic_op(Op plain);
/// The op that does the same as an atomic on a packed number.
Op packed_op(Op atomic);

} // namespace qd::ir
