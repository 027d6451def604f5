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
// ops.def defines the instructions; the rules that every function obeys are listed at the top of verify.cpp.
#include "base/span.h"
#include "ir/op.h"
#include "ir/types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qd::ir {

/// A value: the index of the instruction that defines it. 0 means no value.
struct Value {
    uint32_t id = 0;
    explicit operator bool() const { return id != 0; }
    friend bool operator==(Value, Value) = default;
    friend auto operator<=>(Value, Value) = default;
};
/// A block; 0 means no block.
struct BlockId {
    uint32_t id = 0;
    explicit operator bool() const { return id != 0; }
    friend bool operator==(BlockId, BlockId) = default;
};

/// A range of values in Function::pool.
struct List {
    uint32_t begin = 0, size = 0;
};

struct Inst {
    Op op = Op::param;
    Type type;    ///< type of its value; Kind::none if it has none
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

/// Addressing of one scalar member of a field, as data. For each level from the root of its tree downwards:
///     cell = sum over axes of ((index[axis] - index_offset[axis]) / divide % extent) * stride
///     address += start + cell * cell_bytes
/// The member is at `byte_offset` in the cell of the last level. A level that is not dense is a container in its parent's cell;
/// layout/containers.h describes it.
struct PlaceAxis {
    uint8_t axis = 0;    ///< index that it applies to
    uint32_t extent = 1; ///< cells of this level along the axis
    uint32_t divide = 1; ///< product of the axis's extents on deeper levels
    uint32_t stride = 1; ///< in cells of this level
    friend bool operator==(const PlaceAxis &, const PlaceAxis &) = default;
};
enum class LevelKind : uint8_t { dense, pointer, bitmasked, dynamic };
struct PlaceLevel {
    LevelKind kind = LevelKind::dense;
    uint64_t start = 0; ///< byte offset in the parent's cell
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
    bool level = false; ///< denotes a whole cell of its last level, not a member: `elem` is u8
    std::vector<PlaceLevel> levels;
    uint64_t byte_offset = 0;          ///< in the innermost cell
    std::vector<int32_t> index_offset; ///< user index minus this = storage index, per axis
    std::vector<int32_t> shape;        ///< user-visible extents, per axis
    friend bool operator==(const Place &, const Place &) = default;
};

/// A number of a quant type: which bits of an unsigned word it occupies and how they encode it. The pointer of a packed op
/// points to the word; arithmetic uses the type of the op's value.
///   integer   the low bits, two's complement if signed
///   fixed     an integer times `scale`; rounded to nearest, clamped to the range
///   floating  exponent (0: the number 0), then sign if signed, then the fraction after an implicit leading 1; rounded to
///             nearest; underflow gives 0, overflow the largest number
///   shared    sign if signed, then digits; several such numbers share one exponent, stored elsewhere in the word.
///             The digits below the sign are the magnitude: the number is magnitude * 2^(exponent - bias - (digits - 1)),
///             and exponent 0 means that all of them are 0. The exponent is the smallest that can represent the largest of
///             them; if a store changes it, the digits of the others are shifted and rounded to nearest
struct Packing {
    enum class Kind : uint8_t { integer, fixed, floating, shared };
    /// Another number with the same exponent; its sign is not changed.
    struct Sharer {
        uint8_t shift = 0, digits = 0;
        friend bool operator==(const Sharer &, const Sharer &) = default;
    };
    Kind kind = Kind::integer;
    bool is_signed = false;
    uint8_t bits = 0;           ///< total width; floating: exponent_bits above the fraction
    uint8_t shift = 0;          ///< lowest bit of the number; in a row of equal numbers, of the first
    uint8_t exponent_bits = 0;  ///< floating, shared
    uint8_t exponent_shift = 0; ///< shared
    double scale = 1;           ///< fixed: value of one step
    std::vector<Sharer> others; ///< shared
    friend bool operator==(const Packing &, const Packing &) = default;

    /// floating, shared: bits of the magnitude
    int digits() const { return bits - (kind == Kind::floating ? exponent_bits : 0) - int(is_signed); }
    int64_t bias() const { return (int64_t(1) << (exponent_bits - 1)) - 1; }
};

/// Constants that are read from memory with an index known at run time.
struct Table {
    Scalar elem = Scalar::none;
    std::vector<uint64_t> values; ///< bit patterns, as Constant::bits
    friend bool operator==(const Table &, const Table &) = default;
};

/// Loop settings by the user (qd.loop_config) and loop properties found by passes.
struct Loop {
    std::string name;
    uint32_t block_dim = 0; ///< 0: chosen by the launcher
    bool serialize = false;
    bool reversed = false;      ///< run from hi-1 down to lo
    bool vectorize = false;     ///< iterations are independent: the loop comes from a parallel loop
    bool interruptible = false; ///< polls for Stop on the back edge
    bool heap_persists = false; ///< `reserve`d room outlives the iteration, until that of the loop around ends
    bool ordered = false;       ///< CompileFlag::ordered for this loop only
    /// Code after the loop writes its reductions to memory. Stop or a failed assertion leaves this loop, not the task; its results are then
    /// the values with which the current iteration began. No other loop with `flushes` is entered after that.
    bool flushes = false;
    /// A parallel loop over the cells in the `list` that is its upper bound, with one index per axis of the list's place. Lowered: a loop
    /// over the cells of one piece.
    bool cells = false;
    friend bool operator==(const Loop &, const Loop &) = default;
};

/// Text of a print or an assertion: literal pieces and placeholders for values.
struct Message {
    struct Piece {
        std::string text; ///< literal, or a printf-like format if `value` >= 0 ("" = default)
        int value = -1;   ///< index of one of the instruction's values
        friend bool operator==(const Piece &, const Piece &) = default;
    };
    std::vector<Piece> pieces;
    bool limited = false; ///< a diagnostic, not output of the program: reported a limited number of times per launch
    friend bool operator==(const Message &, const Message &) = default;
};

/// A coverage counter and the source range that it counts. Filled by the frontend; several counters may share one count.
struct Counter {
    /// finished: a serial loop ended or was left by `break`, and the function continues. endless: the same for a loop whose condition is
    /// always true.
    enum class What : uint8_t { line, taken, not_taken, entered, zero_trips, broken, finished, endless };
    What what = What::line;
    SpanId span = no_span;
    uint32_t copy = 0; ///< number among the counters of this range: one per inlined call and unrolled iteration
    static constexpr uint32_t own = UINT32_MAX;
    uint32_t count_of = own; ///< the counter whose count this one shares; that counter has its own count
    bool shares() const { return count_of != own; }
    friend bool operator==(const Counter &, const Counter &) = default;
};

enum class Role : uint8_t { kernel, serial_task, range_task };

/// Compile flags that restrict the optimiser. Without any, it does whatever pays off.
enum class CompileFlag : uint8_t {
    plain,             ///< no transformations that only improve speed
    as_stored,         ///< values go through memory wherever the program stores and loads them: no store forwarding
    no_algebra,        ///< constant folding only, no algebraic identities
    shared_reductions, ///< no reductions in registers or private copies of a thread
    reload,            ///< loops load and store in every iteration: nothing is kept in registers
    flat,              ///< if-conversion: branches become selects wherever possible
    ordered,           ///< the order of reductions depends on lengths only, not on the number of threads
    locked, ///< several threads may update the same memory in loops; without it, the code of a task states where it may run
};
/// Their names in the text form.
inline constexpr std::string_view flag_names[] = {"plain",  "as_stored", "no_algebra", "shared_reductions",
                                                  "reload", "flat",      "ordered",    "locked"};

/// A range of a kernel's top level that is one node of its graph: from its `graph_begin` to its `graph_end`.
struct Subgraph {
    /// do_while: repeated while its flag is set. checkpoint: a launch may end here early and be resumed later. region: its sections may run
    /// concurrently.
    enum class Kind : uint8_t { do_while, checkpoint, region, section };
    Kind kind = Kind::do_while;
    static constexpr uint32_t no_flag = UINT32_MAX;
    /// Number of the i32 array parameter whose first element is read after the subgraph has run: if it is not 0, a do_while repeats and a
    /// checkpoint ends the launch. no_flag: a checkpoint that never ends the launch.
    uint32_t flag = no_flag;
    friend bool operator==(const Subgraph &, const Subgraph &) = default;
};
/// Position of a task in the graph of its kernel: the innermost subgraph of each kind, or -1. Each kind is numbered in the order in which
/// its subgraphs begin; section numbers start again in each region.
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
    uint8_t compile_flags = 0;   ///< one bit per CompileFlag
    bool distinct_arrays = true; ///< array parameters overlap neither each other (checked at launch) nor a field
    std::vector<Value> params;
    std::vector<Type> returns;
    BlockId body;
    BlockId bounds; ///< range tasks: computes and yields lo and hi (i64), runs before the body
    static constexpr uint64_t none = UINT64_MAX;
    /// Range tasks: byte offset in the tmp buffer at which an earlier task stores lo and hi (i64), which the bounds block loads. none: the
    /// bounds block computes them.
    uint64_t range_at = none;
    GraphPosition graph; ///< tasks only

    std::vector<Inst> insts = std::vector<Inst>(1);    ///< [0] unused
    std::vector<Block> blocks = std::vector<Block>(1); ///< [0] unused
    std::vector<Value> pool;
    std::vector<Loop> loops;
    std::vector<Place> places;
    std::vector<Packing> packings;
    std::vector<Table> tables;
    std::vector<Message> messages;
    std::vector<Counter> counters;
    std::vector<Subgraph> subgraphs;                ///< kernels only
    std::vector<Span> spans = std::vector<Span>(1); ///< [0] = unknown
    std::vector<std::string> files = {""};
    std::vector<std::string> scopes = {""};
    uint64_t tmp_bytes = 0; ///< size of the buffer that carries values between tasks
    uint64_t ret_bytes = 0;

    bool has_flag(CompileFlag set_flag) const { return compile_flags >> uint8_t(set_flag) & 1; }
    void set_flag(CompileFlag set_flag) { compile_flags |= uint8_t(1u << uint8_t(set_flag)); }

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
    Value make(Inst inst);                         ///< adds to `insts`, not to a block
    BlockId make_block();
    Value add_param(BlockId b, Type t, SpanId span = no_span);
    Value add_result(Value control, Type t); ///< adds a result to an if, for or loop
    void set_args(Value v, std::span<const Value> values);
    void push_arg(Value v, Value extra); ///< adds an operand
    SpanId intern_span(const Span &s);
    std::vector<Location> trace(SpanId s) const; ///< outermost call first
};

/// Imm::level, part and place_axis hold place * max_levels + the number of the level, part or axis.
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
/// imm of an `external` instruction: id of the function * external_arguments + number of its arguments.
inline constexpr uint64_t external_arguments = 32;

/// imm of an `offset` that is the address of an element of a field: 1 + its place. 0: unknown.
inline constexpr uint64_t origin_of(uint64_t place) { return 1 + place; }

/// imm of a `reserve` instruction: lanes that share the room * 2^56 + stack number * 2^32 + bytes of an entry, for all lanes together. 0
/// lanes: one lane, but the entries may be so many that lanes may share the room only where they are few.
inline uint32_t stack_of(const Inst &in) {
    return in.op == Op::reserve ? uint32_t(in.imm >> 32) & 0xffffff : uint32_t(in.imm);
}
inline uint32_t entry_bytes(const Inst &reserve) { return uint32_t(reserve.imm); }
inline uint32_t reserve_lanes(const Inst &reserve) { return uint32_t(reserve.imm >> 56); }
inline uint64_t reserve_imm(uint64_t stack, uint64_t entry_bytes, uint64_t lanes = 0) {
    return lanes << 56 | stack << 32 | entry_bytes;
}

/// True if some level on the place's path is not dense.
bool is_sparse(const Place &place);

/// Named accessors for structured instructions.
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
