#pragma once
// What a task accumulates in, and where each thread may do so in a copy of its own. Plain data, as abi.h.
#include <cstdint>

namespace qd::abi {

/// What may be done in any order, and has a neutral element.
enum class Merge : uint8_t { add, min, max, band, bor, bxor };
enum class Number : uint8_t { whole, natural, real }; ///< signed, unsigned, floating point

enum class Where : uint8_t { array, tree, tmp, cells };

/// How the order of a task's updates is fixed, where the program asks for that.
enum class Order : uint32_t {
    free,       ///< it is not
    same,       ///< any order gives the same: the range is cut by its length alone, and no more
    sums,       ///< real numbers are added to what is listed as Accumulation, and to nothing else
    one_thread, ///< what one index finds depends on those before it
};
/// What the code of a task, whose updates in loops have no lock, needs.
enum class Needs : uint32_t {
    nothing, ///< they have
    copies,  ///< one thread, or copies of all that it accumulates in
    alone,   ///< one thread
};
/// A constant of the object file of a task that updates memory atomically, or whose order is fixed.
struct Updates {
    Order order = Order::free;
    Needs needs = Needs::nothing;
    uint32_t any = 0; ///< non-zero: it updates memory that others may see; coverage counters do not count
    bool some() const { return (uint32_t(order) | uint32_t(needs) | any) != 0; }
};
inline constexpr const char *updates_symbol = "qd_updates";
/// The float mode that a task needs is a byte in its object file with these bits. None: the processor flushes them.
enum Subnormal : uint8_t {
    subnormals_kept = 1,      ///< not flushed
    subnormals_no_matter = 2, ///< its results are the same either way
};
inline constexpr const char *subnormals_symbol = "qd_subnormals";

/// An array, a field, the cells of a pointer level or a number between tasks, which a task updates by one atomic operation alone, whose old value it does not
/// use, and does not look at. The words of a copy are XORed with the neutral element: 0 = nothing was done here. The object file of a task
/// has a list of these, which one without `word_bytes` ends; the code asks abi::Thread::to_copy of each at its place in it.
struct Accumulation {
    uint64_t word_bytes = 0; ///< of the numbers
    uint64_t neutral = 0;    ///< word of the neutral element
    uint64_t begin = 0;      ///< bytes from the root of the tree, or LaunchData::tmp, to the first number; else: 0
    uint64_t end = 0;        ///< bytes to behind the last; of an array: bytes of an element; of cells: 0
    uint32_t slot = 0; ///< of a tree, or cells in one: its slot; of an array: the first one in LaunchData::args; else 0
    uint32_t ndim = 0; ///< of an array: how many extents it has; of cells: the node of their level
    float updates = 0; ///< estimate: by one index of the task's range
    Where where = Where::array;
    Merge merge = Merge::add;
    Number number = Number::whole;
    uint8_t unused = 0;

    /// Its result depends on the order.
    bool rounds() const { return merge == Merge::add && number == Number::real; }
    /// The same memory in the same way.
    bool is_like(const Accumulation &other) const {
        return word_bytes == other.word_bytes && neutral == other.neutral && begin == other.begin && end == other.end &&
               slot == other.slot && ndim == other.ndim && where == other.where && merge == other.merge &&
               number == other.number;
    }
};
inline constexpr const char *accumulations_symbol = "qd_accumulated";

} // namespace qd::abi
