#pragma once
// What pointers point to, and whether two accesses may touch the same bytes.
//
// Every pointer is followed to its object: an array parameter, a place, the root of a field tree, the task buffer, the
// return buffer, a stack, a table of constants, memory of a block, or a local. Objects of different kinds do not overlap, with these exceptions: array parameters may
// overlap each other and fields unless Function::distinct_arrays; a tree holds its places; a pointer of unknown origin
// (a block parameter, a result) may point anywhere in its space. Within one object, addresses differ if an index differs by a
// constant: indices are taken to be in range. A place in a sparse tree is a symbol: it names its element whether the
// cell exists or not. What asks about cells or changes them touches the whole tree.
#include "ir/function.h"

namespace qd::analysis {

enum class Root : uint8_t { none, unknown, array, place, tree, tmp, ret, stack, table, shared, local };
enum class Overlap : uint8_t { never, maybe, exact };

/// An integer as `base + constant`, base none for a constant alone.
struct Sum {
    ir::Value base;
    uint64_t constant = 0;
};
Sum as_sum(const ir::Function &fn, ir::Value v);

/// A load, store or atomic: where, and what type moves.
struct Access {
    ir::Value pointer;
    ir::Type type;
};

class Memory {
  public:
    explicit Memory(const ir::Function &fn);

    Root root(ir::Value pointer) const { return kinds_[object(pointer)].root; }
    /// A small number, equal for pointers into the same array parameter, place, tree, local; 1..objects().
    uint32_t object(ir::Value pointer) const { return pointer.id < objects_.size() ? objects_[pointer.id] : unknown; }
    uint32_t objects() const { return uint32_t(kinds_.size()) - 1; }
    Root kind(uint32_t object) const { return kinds_[object].root; }
    /// The local or stack that a pointer points into, as its object: memory that only this function knows, and whose every
    /// access has such a pointer. 0: neither.
    uint32_t own(ir::Value pointer) const;

    bool objects_overlap(uint32_t a, uint32_t b) const;
    /// For each object, those it may overlap, itself included.
    std::vector<std::vector<uint32_t>> neighbours() const;
    Overlap overlap(const Access &a, const Access &b) const;

    /// The access that an instruction makes; pointer none if it makes none. gather, scatter, external, and what is
    /// about cells, may touch the whole object of their pointer, which a type of no kind says.
    Access access(ir::Value inst) const;

  private:
    struct Object {
        Root root = Root::none;
        uint32_t id = 0;   ///< value of the array or local, index of the place, slot of the tree, number of the stack
        uint32_t tree = 0; ///< places and trees: slot
        bool handed_on = false; ///< control flow yields or carries a pointer into it
    };
    void add(ir::Value pointer);
    void hand_on(ir::Value v);
    uint32_t place(ir::Value pointer);
    bool same_place(ir::Value a, ir::Value b) const;
    uint32_t intern(Root root, uint32_t id, uint32_t tree = 0);
    uint32_t tree(uint32_t slot);
    uint32_t stack(uint32_t number);
    Overlap offsets(const Access &a, const Access &b) const;
    Overlap indices(ir::Value a, ir::Value b) const;

    const ir::Function &fn_;
    std::vector<uint32_t> objects_; ///< by value; 0: not a pointer
    std::vector<Sum> sums_;         ///< by position in the pool: indices of elements and places
    std::vector<Object> kinds_;
    std::vector<uint32_t> of_value_, of_place_, of_tree_, of_stack_; ///< object numbers
    uint32_t tmp_ = 0, ret_ = 0;
    static constexpr uint32_t unknown = 1;
};

} // namespace qd::analysis
