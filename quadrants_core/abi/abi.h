#pragma once
// Plain data shared by code generation and runtime: how a task is called, and what a compiled task consists of. No code except constexpr
// helpers that compute a layout.
#include "abi/plan.h"
#include "abi/range.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qd::abi {

/// Part of every cache key: increment it on any change of this file.
inline constexpr uint32_t version = 12;

struct Thread;
struct Launch;
struct SparseData;
struct SparseCalls;

/// Functions that tasks on the host may call.
struct HostServices {
    /// Handles a print or a failed assertion: message index within the task, values as 8-byte slots (floats as f64 bits, signed integers
    /// sign-extended, unsigned zero-extended). Thread-safe.
    void (*print)(const Launch *, const Thread *, uint32_t message, const uint64_t *values);
    void (*fail)(const Launch *, const Thread *, uint32_t message, const uint64_t *values);
    /// Returns the external library function with the id that a task uses for it; never null.
    void *(*external)(uint64_t id);
    /// Reserves room for a stack on the thread's heap when the current chunk has none left. Null if out of memory; the launch has then
    /// failed.
    char *(*reserve)(const Launch *, Thread *, uint64_t bytes, uint32_t stack);
};

/// The words that the launches of a stream share: addresses of memory that tasks access, and of words that they poll.
struct StreamWords {
    char *tmp;                     ///< values that cross tasks
    char *const *trees;            ///< root address of each field tree, by slot
    const volatile uint32_t *stop; ///< non-zero: the user pressed Stop, so the task must return soon
    uint32_t *failed;              ///< non-zero: an assertion failed, so the task must return soon
    /// Non-zero: the host wants to read the counts so far; each request has a different number. A task that can report adds them to
    /// `counters`. It clears the word, unless it runs in chunks, which must not clear it.
    uint32_t *counts_requested;
    const SparseData *sparse; ///< abi/tree.h; null if there is no sparse tree
    // Only tasks that run as code of the host use these.
    const SparseCalls *sparse_calls; ///< abi/tree.h; null if there is no sparse tree
    const HostServices *host;
};

/// The record of one launch, the argument of every task: docs/design/launches.md. The arguments follow this head, one 8-byte slot per scalar
/// parameter (value in the low bytes) and several per array parameter: see `argument_slots`. Slots follow the order of the parameters.
struct Launch {
    StreamWords stream;
    char *ret;          ///< return buffer
    uint64_t *counters; ///< coverage counters of this task
    const void *task;   ///< the runtime's own object for the running task

    uint64_t *args() { return reinterpret_cast<uint64_t *>(this + 1); }
    const uint64_t *args() const { return reinterpret_cast<const uint64_t *>(this + 1); }
};
static_assert(sizeof(Launch) % sizeof(uint64_t) == 0);

/// Slots of a launch record that a parameter takes: one for a scalar; for an array one for its address and one per extent (i64).
constexpr uint32_t argument_slots(bool is_array, uint32_t ndim) { return is_array ? 1 + ndim : 1; }
/// The slot of an extent of the array whose first slot is `array`.
constexpr uint32_t extent_slot(uint32_t array, uint32_t axis) { return array + 1 + axis; }

/// Memory that the code of a task allocates on one thread and frees in the opposite order, in units of 8 bytes.
struct Heap {
    char *top, *end;     ///< the free part of the current chunk
    uint64_t used, peak; ///< bytes allocated, and their maximum so far
    /// By stack number, `counted_stacks` of them: the most entries requested, as lanes * 2^32 + entries.
    uint64_t *entries;
    void *owner; ///< owned by the runtime
};
inline constexpr uint32_t counted_stacks = 256;
/// Blocks of at least this size are an odd number of cache lines apart. Otherwise blocks could be whole pages apart, where equal offsets
/// map to the same set of the L1 cache.
inline constexpr uint64_t min_spaced_bytes = 4096, spacing_bit = 64;
inline constexpr uint64_t heap_step(uint64_t bytes) { return bytes >= min_spaced_bytes ? bytes | spacing_bit : bytes; }

inline constexpr uint32_t max_accumulations = 16; ///< per task: abi/accumulation.h

/// State of one worker thread.
struct Thread {
    uint64_t random[2]; ///< state of the generator, never all zero
    uint32_t index;     ///< 0 = the thread that launched
    uint32_t alone;     ///< non-zero: no other thread works on the current task, so its atomics need no lock
    Heap heap;
    /// By accumulation number: the offset in bytes from the shared memory to this thread's privatised copy; 0: there is no copy.
    int64_t copy_offset[max_accumulations];
};

/// The use of the thread heaps by launches.
struct HeapUse {
    uint64_t peak = 0;             ///< bytes, on the thread that used most
    uint64_t total = 0;            ///< the sum of the peaks of all threads
    std::vector<uint64_t> entries; ///< by stack number, lanes * 2^32 + entries
};

/// The code of one chunk of a task: indices [begin, end) of its range. A serial task is called once with [0, 1).
using Body = void (*)(const Launch *, Thread *, int64_t begin, int64_t end);
/// Computes the range of a range task: out[0] = begin, out[1] = end.
using Bounds = void (*)(const Launch *, Thread *, int64_t *out);
inline constexpr const char *body_symbol = "qd_body";
inline constexpr const char *bounds_symbol = "qd_bounds";

enum class TaskKind : uint8_t { serial, range };

/// Type codes of message values, so that a binary can print without its IR; same order as ir::Scalar.
using ScalarCode = uint8_t;

inline constexpr uint32_t next_level = 1 << 24; ///< see Stack::frame
/// A stack of a task (ir::Op::reserve): the values that a serial loop stores for the reverse pass.
struct Stack {
    uint32_t number = 0; ///< unique in its kernel
    uint32_t entry_bytes = 0;
    ScalarCode type = 0; ///< of the elements of an entry
    /// The innermost enclosing loop that runs backward and allocates the stack again in each iteration: its number in the task, and the
    /// count of such enclosing loops. 0: none. The stacks of one loop are adjacent. `frame` also contains `next_level` times the number of
    /// loops with ir::Loop::heap_persists between that loop and the stack: their stacks live as long as those of that loop.
    uint32_t frame = 0, depth = 0;
    uint32_t loop_line = 0;
    std::string loop; ///< location of the loop, as in Message::trace
    std::string file; ///< location of the stored value, together with the next fields
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
    std::string trace;    ///< outer call levels, one "line column end-column scope file" per line, outermost first
    bool limited = false; ///< printed a limited number of times per launch
};

/// Estimated work, in simple operations.
struct Weight {
    float index = 1; ///< of one index
    float chunk = 0; ///< additional work per chunk
    Weight() = default;
    Weight(float index, float chunk = 0) : index(index), chunk(chunk) {}
    bool operator==(const Weight &) const = default;
};

struct Task {
    std::string name; ///< kernel.k, or the loop's name
    TaskKind kind = TaskKind::serial;
    Weight weight;
    uint32_t block_dim = 0;    ///< indices per chunk as the user chose; 0 = launcher's choice
    uint64_t hash[2] = {0, 0}; ///< hash of the task's IR before code generation
    std::vector<Message> messages;
    uint32_t line = 0; ///< source line of the loop
    /// The task has side effects on the host: it prints, asserts, or calls a library.
    bool has_side_effects = false;
    uint32_t slots = 0; ///< of its launch record: Kernel::slots
    /// In a section: the task runs after the preceding sections, because it draws random numbers or shares a local with them.
    bool runs_in_order = false;
    static constexpr uint64_t computed = UINT64_MAX;
    /// Range tasks: byte of StreamWords::tmp at which an earlier task of the launch stores begin and end (i64); computed: they follow from
    /// the arguments, by `range` if it has factors, else by the function of the code (`bounds_symbol`).
    uint64_t range_at = computed;
    Range range;
    GraphPosition graph;
    std::vector<Stack> stacks;
};

/// A compiled task: the machine code of one object file, or the serialised form that its backend loads.
struct Binary {
    std::string target; ///< "cpu-x86_64-znver5 ..." ; part of the cache key
    std::vector<uint8_t> code;
    Range range{}; ///< Task::range, which is known once the task is lowered
};

enum class ParamKind : uint8_t { scalar, array };
struct Param {
    ParamKind kind = ParamKind::scalar;
    ScalarCode type = 0;
    uint8_t ndim = 0, rows = 1, cols = 1;
    uint32_t slot = 0; ///< first slot in the launch record
};

/// The data that a launch needs about a kernel, besides the code of its tasks.
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
