#pragma once
// Plain data shared by code generation and runtime: how a task is called and what a compiled task is. No code.
#include "abi/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qd::abi {

/// Bump on any change of this file: part of every cache key.
inline constexpr uint32_t version = 11;

struct Thread;
struct Launch;
struct SparseData;
struct SparseCalls;

/// One launch in words that a device can read: addresses of memory that tasks reach, and words that they look at.
/// `args` has one 8-byte slot per scalar parameter (value in the low bytes) and several per array parameter: see
/// `argument_slots`. Slots follow the order of the parameters.
struct LaunchData {
    uint64_t *args;
    char *tmp;                     ///< values that cross tasks
    char *ret;                     ///< return buffer
    char *const *trees;            ///< root address of each field tree, by slot
    uint64_t *counters;            ///< coverage counters of this task
    const volatile uint32_t *stop; ///< non-zero: the user pressed Stop, leave soon
    uint32_t *failed;              ///< non-zero: an assertion failed, leave soon
    /// Non-zero: somebody wants to see the counts so far; each question has another number. A task that can tell adds them to
    /// `counters`. It clears the word, unless it runs in chunks, which may not.
    uint32_t *asked;
    const SparseData *sparse; ///< abi/tree.h; null if there is no sparse tree
};

/// What tasks that run on the host may call.
struct HostServices {
    /// A print or a failed assertion: message index within the task, values as 8-byte slots (floats as f64 bits, signed
    /// integers sign-extended, unsigned zero-extended). Thread-safe.
    void (*print)(const Launch *, const Thread *, uint32_t message, const uint64_t *values);
    void (*fail)(const Launch *, const Thread *, uint32_t message, const uint64_t *values);
    /// The function of a library outside, by the id that a task has for it; never null.
    void *(*external)(uint64_t id);
    /// Room for a stack on the thread's heap where its chunk has none left; null: there is none, and the launch has failed.
    char *(*reserve)(const Launch *, Thread *, uint64_t bytes, uint32_t stack);
    const SparseCalls *sparse; ///< abi/tree.h; null if there is no sparse tree
    const void *task;          ///< the runtime's own record of the running task
};

/// What the code of a task on the host is called with. A device of its own is given `data` alone.
struct Launch {
    LaunchData data;
    HostServices host;
};

/// Slots of LaunchData::args that a parameter takes: a scalar one; an array its address, then its extents (i64).
constexpr uint32_t argument_slots(bool is_array, uint32_t ndim) { return is_array ? 1 + ndim : 1; }
/// Where an extent of the array is whose first slot is `array`.
constexpr uint32_t extent_slot(uint32_t array, uint32_t axis) { return array + 1 + axis; }

/// Memory that the code of a task takes on one thread and gives back in the opposite order, 8 bytes at a time.
struct Heap {
    char *top, *end;     ///< what is free of the chunk at hand
    uint64_t used, peak; ///< bytes that are taken, and the most so far
    uint64_t *
        entries; ///< by number of the stack, `counted_stacks` of them: the most entries that were asked for, lanes * 2^32 + entries
    void *owner; ///< the runtime's
};
inline constexpr uint32_t counted_stacks = 256;
/// From this size on a line lies behind a room of whole lines, so that those which are written in turn are never whole
/// pages apart: all would fall into one set of the first cache.
inline constexpr uint64_t spaced_from = 4096, line_between = 64;
inline constexpr uint64_t heap_step(uint64_t bytes) { return bytes >= spaced_from ? bytes | line_between : bytes; }

inline constexpr uint32_t most_accumulations = 16; ///< of a task: abi/accumulation.h

/// State of one worker thread.
struct Thread {
    uint64_t random[2]; ///< state of the generator, never all zero
    uint32_t index;     ///< 0 = the thread that launched
    uint32_t alone;     ///< non-zero: no other thread works on the task at hand, whose atomics need no lock
    Heap heap;
    /// By number of the accumulation: from there to this thread's copy of it, in bytes; 0: it has none.
    int64_t to_copy[most_accumulations];
};

/// What launches took of the heaps of their threads.
struct HeapUse {
    uint64_t peak = 0;             ///< bytes, of the thread that took most
    uint64_t total = 0;            ///< the same of all threads, added up
    std::vector<uint64_t> entries; ///< by number of the stack, lanes * 2^32 + entries
};

/// Code of one chunk of a task: indices [begin, end) of its range; a serial task is called once with [0, 1).
using Body = void (*)(const Launch *, Thread *, int64_t begin, int64_t end);
/// Range of a range task: out[0] = begin, out[1] = end.
using Bounds = void (*)(const Launch *, Thread *, int64_t *out);
inline constexpr const char *body_symbol = "qd_body";
inline constexpr const char *bounds_symbol = "qd_bounds";

enum class TaskKind : uint8_t { serial, range };

/// Type codes of message values, so that a binary can print without its IR: same order as ir::Scalar.
using ScalarCode = uint8_t;

inline constexpr uint32_t next_level = 1 << 24;
/// A stack of a task (ir::Op::reserve): what a serial loop keeps for its way back.
struct Stack {
    uint32_t number = 0; ///< in its kernel
    uint32_t entry_bytes = 0;
    ScalarCode type = 0; ///< of the elements of an entry
    /// The loop around, one that is run backward and has it anew in each iteration: its number in the task, and how many such loops
    /// are around. 0: none. The stacks of one loop stand side by side.
    /// Plus `next_level` for each loop inside whose iterations all take room that lasts as long as that of the loop.
    uint32_t frame = 0, depth = 0;
    uint32_t loop_line = 0;
    std::string loop; ///< where the loop stands, as in Message::trace
    std::string file; ///< of what is kept, as are the other places
    uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

struct MessagePiece {
    std::string text;
    int32_t value = -1;
    ScalarCode type = 0;
};
struct Message {
    std::vector<MessagePiece> pieces;
    std::string file, scope; ///< source position of the print or assert
    uint32_t line = 0, column = 0, end_column = 0;
    std::string trace;    ///< further call levels, one "line column end-column scope file" a line, outermost first
    bool limited = false; ///< printed a limited number of times a launch
};

/// Estimated work, in simple operations.
struct Weight {
    float index = 1; ///< of one index
    float chunk = 0; ///< of what each chunk does besides
    Weight() = default;
    Weight(float index, float chunk = 0) : index(index), chunk(chunk) {}
    bool operator==(const Weight &) const = default;
};

struct Task {
    std::string name; ///< kernel.k, or the loop's name
    TaskKind kind = TaskKind::serial;
    Weight weight;
    uint32_t block_dim = 0;    ///< indices per chunk asked for by the user; 0 = launcher's choice
    uint64_t hash[2] = {0, 0}; ///< content of the task's IR before code generation
    std::vector<Message> messages;
    uint32_t line = 0; ///< where the loop stands
    /// It does what is seen elsewhere than in memory of the device: it prints, asserts, or calls a library.
    bool speaks = false;
    /// In a section: runs when the sections before it have ended, for it draws random numbers or shares a local with them.
    bool in_turn = false;
    static constexpr uint64_t computed = UINT64_MAX;
    /// Range tasks: byte of LaunchData::tmp where an earlier task of the launch leaves begin and end (i64); computed: they
    /// follow from the arguments.
    uint64_t range_at = computed;
    GraphPosition graph;
    std::vector<Stack> stacks;
};

/// A compiled task: machine code of one object file (or the serialised form that its backend loads).
struct Binary {
    std::string target; ///< "cpu-x86_64-znver5 ..." ; part of the cache key
    std::vector<uint8_t> code;
};

enum class ParamKind : uint8_t { scalar, array };
struct Param {
    ParamKind kind = ParamKind::scalar;
    ScalarCode type = 0;
    uint8_t ndim = 0, rows = 1, cols = 1;
    uint32_t slot = 0; ///< first slot in LaunchData::args
};

/// What a launch needs to know about a kernel, beside the code of its tasks.
struct Kernel {
    std::string name;
    std::vector<Param> params;
    uint32_t slots = 0;
    uint64_t tmp_bytes = 0, ret_bytes = 0;
    uint32_t counters = 0;
    std::vector<Task> tasks;
    Graph graph;
};

} // namespace qd::abi
