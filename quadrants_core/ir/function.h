#pragma once
// The IR: one Inst type, values are 32-bit ids into vectors owned by Function, control flow is structured.
//
//   fn @axpy(%0: f32, %1: array<f32, 1>, %2: array<f32, 1>)
//       %3: i32 = dim %1 !0
//       %4: i32 = constant 0
//       parallel %4, %3 !0 (%5: i32)
//           %6: i32 = constant 0
//           %7: ptr<f32> = element %1, %5, %6
//           ...
//           yield
//       ret
//
// The table of instructions (ops.def) holds their meaning; the rules that every function obeys stand atop verify.cpp.
#include "base/span.h"
#include "ir/op.h"
#include "ir/types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qd::ir {

/// A value: the index of the instruction that defines it. 0 is no value.
struct Value {
    uint32_t id = 0;
    explicit operator bool() const { return id != 0; }
    friend bool operator==(Value, Value) = default;
    friend auto operator<=>(Value, Value) = default;
};
/// A block; 0 is no block.
struct BlockId {
    uint32_t id = 0;
    explicit operator bool() const { return id != 0; }
    friend bool operator==(BlockId, BlockId) = default;
};

/// A run of values in Function::pool.
struct List {
    uint32_t begin = 0, size = 0;
};

struct Inst {
    Op op = Op::param;
    Type type;    ///< of its first value; Kind::none if it has no value
    List args;    ///< operands
    List results; ///< control instructions: all their results (`result` instructions); empty otherwise
    uint64_t imm = 0;
    BlockId blocks[2]; ///< if: then, else; loops: body
    SpanId span = no_span;
};

struct Block {
    std::vector<Value> params;
    std::vector<Value> insts; ///< in order; the last one is a terminator
};

/// Addressing of one scalar member of a field, as data. Level after level from the root of its tree:
/// address = base; per level: cell = sum over axes of ((index[axis] - index_offset[axis]) / divide % extent) * stride;
/// address += cell * cell_bytes. The last level's cell then holds the member at `byte_offset`. Levels that are not
/// dense stand in their parent's cell as a container, described in layout/containers.h.
struct PlaceAxis {
    uint8_t axis = 0;    ///< which index
    uint32_t extent = 1; ///< cells along it on this level
    uint32_t divide = 1; ///< product of the extents of this axis on deeper levels
    uint32_t stride = 1; ///< in cells of this level
    friend bool operator==(const PlaceAxis &, const PlaceAxis &) = default;
};
enum class LevelKind : uint8_t { dense, pointer, bitmasked, dynamic };
struct PlaceLevel {
    LevelKind kind = LevelKind::dense;
    uint64_t start = 0; ///< byte in the parent's cell where this level begins
    uint64_t cell_bytes = 0;
    uint32_t node = 0;  ///< number of the level in its tree
    uint32_t chunk = 0; ///< dynamic: cells of the first chunk
    std::vector<PlaceAxis> axes;
    friend bool operator==(const PlaceLevel &, const PlaceLevel &) = default;
};
struct Place {
    std::string name; ///< for messages: "x", "v[1]"
    Scalar elem = Scalar::none;
    uint32_t tree = 0;  ///< slot of the tree in the launch context
    uint32_t id = 0;    ///< identity within the program; not part of the content hash
    bool level = false; ///< names a whole cell of its last level, not a member: `elem` is u8
    std::vector<PlaceLevel> levels;
    uint64_t byte_offset = 0;          ///< in the innermost cell
    std::vector<int32_t> index_offset; ///< user index minus this = storage index, per axis
    std::vector<int32_t> shape;        ///< user-visible extents, per axis
    friend bool operator==(const Place &, const Place &) = default;
};

/// A number of a quant type: which bits of an unsigned word it is, and what they mean. The word is what the pointer of a
/// packed op points to; what it is computed in is the type of the op's value.
///   integer   the low bits, two's complement if signed
///   fixed     an integer times `scale`; rounded to the nearest, clamped to the range
///   floating  exponent (0: the number 0), then sign if signed, then the digits after a leading 1; rounded to the
///             nearest; numbers too small become 0, numbers too large the largest
///   shared    sign if signed, then digits; several such numbers have one exponent, which stands elsewhere in the word.
///             The digits below the sign are a size: the number is size * 2^(exponent - bias - (digits - 1)), and
///             exponent 0 says that all of them are 0. The exponent is the smallest that holds the largest of them; a
///             store moves the digits of the others if it changes, and rounds to the nearest
struct Packing {
    enum class Kind : uint8_t { integer, fixed, floating, shared };
    /// Another number that has the same exponent; its sign is left alone.
    struct Sharer {
        uint8_t shift = 0, digits = 0;
        friend bool operator==(const Sharer &, const Sharer &) = default;
    };
    Kind kind = Kind::integer;
    bool is_signed = false;
    uint8_t bits = 0;           ///< all of them; floating: exponent_bits above the fraction
    uint8_t shift = 0;          ///< the lowest bit, of the first of those side by side
    uint8_t exponent_bits = 0;  ///< floating, shared
    uint8_t exponent_shift = 0; ///< shared
    double scale = 1;           ///< fixed: value of one step
    std::vector<Sharer> others; ///< shared
    friend bool operator==(const Packing &, const Packing &) = default;

    /// floating, shared: bits of the size
    int digits() const { return bits - (kind == Kind::floating ? exponent_bits : 0) - int(is_signed); }
    int64_t bias() const { return (int64_t(1) << (exponent_bits - 1)) - 1; }
};

/// Constants that code reads from memory, by an index that is known when it runs.
struct Table {
    Scalar elem = Scalar::none;
    std::vector<uint64_t> values; ///< as Constant::bits
    friend bool operator==(const Table &, const Table &) = default;
};

/// What the user said of a loop (qd.loop_config) and what passes found out.
struct Loop {
    std::string name;
    uint32_t block_dim = 0; ///< 0: chosen by the launcher
    bool serialize = false;
    bool reversed = false;      ///< run from hi-1 down to lo
    bool vectorize = false;     ///< every iteration may run at once: taken from a parallel loop
    bool interruptible = false; ///< poll for Stop on the back edge
    bool keeps_room = false;    ///< what `reserve` takes in an iteration lasts until the one around the loop ends
    bool ordered = false;       ///< Wish::ordered of this loop alone
    /// Behind it stands what brings its sums to memory. Stop, or an assertion that fails, leaves this loop, not the task: it
    /// has as results what the round that is left began with. No other loop of the kind begins then.
    bool flushes = false;
    /// A parallel loop over the cells in the `list` that is its upper bound, one index for each axis of its place. Lowered: a loop
    /// over those of a piece.
    bool cells = false;
    friend bool operator==(const Loop &, const Loop &) = default;
};

/// Text of a print or an assertion: literal pieces and where values go.
struct Message {
    struct Piece {
        std::string text; ///< literal, or printf-like spec ("" = default) if `value` >= 0
        int value = -1;   ///< index among the instruction's values
        friend bool operator==(const Piece &, const Piece &) = default;
    };
    std::vector<Piece> pieces;
    bool limited = false; ///< a remark on the program, not what it prints: told a limited number of times a launch
    friend bool operator==(const Message &, const Message &) = default;
};

/// A coverage counter: which source range it counts. Filled by the frontend; several may share one count.
struct Counter {
    /// finished: a serial loop was left at its end or by `break`, and the function goes on. endless: the same of a loop
    /// whose condition is always true.
    enum class What : uint8_t { line, taken, not_taken, entered, zero_trips, broken, finished, endless };
    What what = What::line;
    SpanId span = no_span;
    uint32_t copy = 0; ///< among the counters of this place: one for each inlined call and unrolled iteration
    static constexpr uint32_t own = UINT32_MAX;
    uint32_t count_of = own; ///< the counter whose count is this one's too; that one has its own
    bool shares() const { return count_of != own; }
    friend bool operator==(const Counter &, const Counter &) = default;
};

enum class Role : uint8_t { kernel, serial_task, range_task };

/// What a program may wish of the optimiser; without wishes it does whatever pays.
enum class Wish : uint8_t {
    plain,       ///< nothing that is for speed alone
    as_stored,   ///< values go through memory wherever the program has them go there
    no_algebra,  ///< constants are evaluated, and no laws applied
    shared_sums, ///< threads do not add up for themselves
    reload,      ///< loops read and write memory in every round
    flat,        ///< branches become selects wherever they can
    ordered,     ///< the order of sums follows from lengths alone, whatever threads there are
    locked,      ///< threads may update the same memory in loops; otherwise the code of a task says where it may run
};
/// As the text of a function has them.
inline constexpr std::string_view wish_names[] = {"plain",  "as_stored", "no_algebra", "shared_sums",
                                                  "reload", "flat",      "ordered",    "locked"};

/// A stretch of a kernel's top level that is one thing in its graph: from its `graph_begin` to its `graph_end`.
struct Subgraph {
    /// do_while: runs again and again. checkpoint: where a launch may end early and go on later. region: its sections may
    /// run side by side.
    enum class Kind : uint8_t { do_while, checkpoint, region, section };
    Kind kind = Kind::do_while;
    static constexpr uint32_t no_flag = UINT32_MAX;
    /// Number of the parameter, an i32 array, whose first element is looked at when the stretch has run: a do_while goes on,
    /// a checkpoint ends the launch, if it is not 0. no_flag: a checkpoint that never does.
    uint32_t flag = no_flag;
    friend bool operator==(const Subgraph &, const Subgraph &) = default;
};
/// Where a task stands in the graph of its kernel: the innermost do_while and the others around it; -1: none. Each kind is
/// numbered in the order in which its stretches begin, the sections of each region anew.
struct GraphPosition {
    int32_t level = -1; ///< do_while
    int32_t checkpoint = -1, region = -1, section = -1;
    friend bool operator==(const GraphPosition &, const GraphPosition &) = default;
};

struct Function {
    std::string name;
    Role role = Role::kernel;
    bool fast_math = false;
    bool debug = false;
    uint8_t wishes = 0;          ///< one bit a Wish
    bool distinct_arrays = true; ///< array parameters overlap neither each other (checked at launch) nor a field
    std::vector<Value> params;
    std::vector<Type> returns;
    BlockId body;
    BlockId bounds; ///< range tasks: computes and yields lo, hi (i64), run before the body
    static constexpr uint64_t none = UINT64_MAX;
    /// Range tasks: byte of the tmp buffer where an earlier task leaves lo and hi (i64), which the bounds block loads; none:
    /// the bounds block computes them.
    uint64_t range_at = none;
    GraphPosition graph; ///< of a task

    std::vector<Inst> insts = std::vector<Inst>(1);    ///< [0] unused
    std::vector<Block> blocks = std::vector<Block>(1); ///< [0] unused
    std::vector<Value> pool;
    std::vector<Loop> loops;
    std::vector<Place> places;
    std::vector<Packing> packings;
    std::vector<Table> tables;
    std::vector<Message> messages;
    std::vector<Counter> counters;
    std::vector<Subgraph> subgraphs;                ///< of a kernel
    std::vector<Span> spans = std::vector<Span>(1); ///< [0] = unknown
    std::vector<std::string> files = {""};
    std::vector<std::string> scopes = {""};
    uint64_t tmp_bytes = 0; ///< size of the inter-task buffer
    uint64_t ret_bytes = 0;

    bool wishes_for(Wish wish) const { return wishes >> uint8_t(wish) & 1; }
    void wish(Wish wish) { wishes |= uint8_t(1u << uint8_t(wish)); }

    Inst &operator[](Value v) { return insts[v.id]; }
    const Inst &operator[](Value v) const { return insts[v.id]; }
    Block &operator[](BlockId b) { return blocks[b.id]; }
    const Block &operator[](BlockId b) const { return blocks[b.id]; }
    Type type(Value v) const { return insts[v.id].type; }
    std::span<Value> args(Value v) { return list(insts[v.id].args); }
    std::span<const Value> args(Value v) const { return list(insts[v.id].args); }
    std::span<Value> results(Value v) { return list(insts[v.id].results); }
    std::span<const Value> results(Value v) const { return list(insts[v.id].results); }
    std::span<Value> list(List l) { return {pool.data() + l.begin, l.size}; }
    std::span<const Value> list(List l) const { return {pool.data() + l.begin, l.size}; }

    List make_list(std::span<const Value> values); ///< appends to the pool; `values` may point into it
    Value make(Inst inst);                         ///< adds to the table, not to a block
    BlockId make_block();
    Value add_param(BlockId b, Type t, SpanId span = no_span);
    Value add_result(Value control, Type t); ///< one more result of an if, for or loop
    void set_args(Value v, std::span<const Value> values);
    void push_arg(Value v, Value extra); ///< one more operand
    SpanId intern_span(const Span &s);
    std::vector<Location> trace(SpanId s) const; ///< outermost call first
};

/// Imm::level, part and place_axis are place * max_levels + the number of the level, part or axis.
inline constexpr uint64_t max_levels = 64;
inline bool names_level(Op op) {
    return info(op).imm == Imm::level || info(op).imm == Imm::part || info(op).imm == Imm::place_axis;
}
inline bool names_place(Op op) { return info(op).imm == Imm::place || names_level(op); }
inline uint64_t place_of(const Inst &in) { return names_level(in.op) ? in.imm / max_levels : in.imm; }
inline uint64_t level_of(const Inst &in) { return in.imm % max_levels; }
inline void set_place(Inst &in, uint64_t place) {
    in.imm = names_level(in.op) ? place * max_levels + level_of(in) : place;
}
/// An `external` instruction: imm = id of the function * external_arguments + number of its arguments.
inline constexpr uint64_t external_arguments = 32;

/// An `offset` instruction that is the address of a number in a field: imm = 1 + its place. 0: nothing is said.
inline constexpr uint64_t origin_of(uint64_t place) { return 1 + place; }

/// A `reserve` instruction: imm = lanes that share the room * 2^56 + number of the stack * 2^32 + bytes of an entry, of all
/// lanes. Lanes 0: one, and so many entries that lanes share it only where that is little.
inline uint32_t stack_of(const Inst &in) {
    return in.op == Op::reserve ? uint32_t(in.imm >> 32) & 0xffffff : uint32_t(in.imm);
}
inline uint32_t entry_bytes(const Inst &reserve) { return uint32_t(reserve.imm); }
inline uint32_t room_lanes(const Inst &reserve) { return uint32_t(reserve.imm >> 56); }
inline uint64_t reserve_imm(uint64_t stack, uint64_t entry_bytes, uint64_t lanes = 0) {
    return lanes << 56 | stack << 32 | entry_bytes;
}

/// Some level of the place's path is not dense.
bool is_sparse(const Place &place);

/// Named views of the structured instructions.
struct IfView {
    Function &fn;
    Value v;
    Value condition() const { return fn.args(v)[0]; }
    BlockId then_block() const { return fn[v].blocks[0]; }
    BlockId else_block() const { return fn[v].blocks[1]; }
};
struct ForView {
    Function &fn;
    Value v;
    Value lower() const { return fn.args(v)[0]; }
    Value upper() const { return fn.args(v)[1]; }
    std::span<Value> inits() const { return fn.args(v).subspan(2); }
    BlockId body() const { return fn[v].blocks[0]; }
    Value index() const { return fn[body()].params[0]; }
    std::span<Value> carried() const { return std::span<Value>(fn[body()].params).subspan(1); }
    Loop &loop() const { return fn.loops[fn[v].imm]; }
};

} // namespace qd::ir
