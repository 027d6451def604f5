#pragma once
// The memory that a task accumulates in, and where each thread may use a privatised copy. Plain data, as abi.h.
#include <cstdint>

namespace qd::abi {

/// Operations that may be done in any order and have a neutral element.
enum class Merge : uint8_t { add, min, max, band, bor, bxor };
enum class Number : uint8_t { signed_integer, unsigned_integer, floating };

enum class Where : uint8_t { array, tree, tmp, cells };

/// The way in which the order of a task's updates is fixed, if the program requests that.
enum class Order : uint32_t {
    free,       ///< the order is not fixed
    same,       ///< every order gives the same result: the range is cut only by its length
    sums,       ///< real numbers are added only to memory listed as Accumulation
    one_thread, ///< the result of one index depends on earlier indices
};
/// Requirements of task code whose updates in loops have no locks.
enum class Needs : uint32_t {
    nothing, ///< none: the updates have locks
    copies,  ///< one thread, or copies of all memory that it accumulates in
    alone,   ///< one thread
};
/// A constant in the object file of a task that updates memory atomically, or whose order is fixed.
struct Updates {
    Order order = Order::free;
    Needs needs = Needs::nothing;
    uint32_t any = 0; ///< non-zero: it updates memory that other threads may access; coverage counters excluded
    bool some() const { return (uint32_t(order) | uint32_t(needs) | any) != 0; }
};
inline constexpr const char *updates_symbol = "qd_updates";
/// The float mode of a task is a byte in its object file with these bits. No bits: the processor flushes subnormals.
enum Subnormal : uint8_t {
    subnormals_kept = 1,       ///< not flushed
    subnormals_irrelevant = 2, ///< the results are the same either way
};
inline constexpr const char *subnormals_symbol = "qd_subnormals";

/// Memory that a task updates only by one atomic operation, whose old value it does not use, and does not read otherwise: an array, a
/// field, the cells of a pointer level or a number passed between tasks. The words of a copy are XORed with the neutral element, so 0 means
/// no update. The object file of a task has a list of these, terminated by one without `word_bytes`; its code looks up abi::Thread::copy_offset
/// by position in the list.
struct Accumulation {
    uint64_t word_bytes = 0; ///< size of one number
    uint64_t neutral = 0;    ///< word of the neutral element
    uint64_t begin = 0;      ///< byte offset of the first number from the root of the tree or StreamWords::tmp; else 0
    uint64_t end = 0;        ///< byte offset past the last number; for an array: bytes of an element; for cells: 0
    uint32_t slot = 0;       ///< slot of the tree; for an array: its first slot in a launch record; else 0
    uint32_t ndim = 0;       ///< for an array: number of extents; for cells: node of their level
    float updates = 0;       ///< estimated number per index of the task's range
    Where where = Where::array;
    Merge merge = Merge::add;
    Number number = Number::signed_integer;
    uint8_t unused = 0;

    /// True if the result depends on the order.
    bool depends_on_order() const { return merge == Merge::add && number == Number::floating; }
    /// True if both describe the same memory, updated in the same way.
    bool matches(const Accumulation &other) const {
        return word_bytes == other.word_bytes && neutral == other.neutral && begin == other.begin && end == other.end &&
               slot == other.slot && ndim == other.ndim && where == other.where && merge == other.merge &&
               number == other.number;
    }
};
inline constexpr const char *accumulations_symbol = "qd_accumulated";

} // namespace qd::abi
