#pragma once
// Alias analysis: the object that a pointer points into, and whether two accesses may touch the same bytes.
//
// Every pointer is traced to its underlying object: an array parameter, a place, the root of a field tree, the task buffer, the return
// buffer, a stack, a table of constants, shared memory of a block, or a local. Different objects do not overlap, with these exceptions:
// array parameters may overlap each other and fields unless Function::distinct_arrays; a tree contains its places; a pointer of unknown
// origin (a block parameter, a result) may point anywhere in its address space. Within one object, addresses differ if an index differs by
// a constant: indices are assumed to be in range. A place in a sparse tree is symbolic: it names its element whether the cell exists or
// not. Ops that query or change cells access the whole tree.
#include "ir/function.h"

namespace qd::analysis {

enum class Root : uint8_t { none, unknown, array, place, tree, tmp, ret, stack, table, shared, local };
enum class Overlap : uint8_t { never, maybe, exact };

/// An integer as `base + constant`; no base for a constant alone.
struct Sum {
    ir::Value base;
    uint64_t constant = 0;
};
Sum as_sum(const ir::Function &fn, ir::Value v);

/// A memory access: the pointer and the type that is loaded or stored.
struct Access {
    ir::Value pointer;
    ir::Type type;
};

class Memory {
  public:
    explicit Memory(const ir::Function &fn);

    Root root(ir::Value pointer) const { return kinds_[object(pointer)].root; }
    /// The number of the object that a pointer points into, equal for pointers into the same object; 1..objects().
    uint32_t object(ir::Value pointer) const { return pointer.id < objects_.size() ? objects_[pointer.id] : unknown; }
    uint32_t objects() const { return uint32_t(kinds_.size()) - 1; }
    Root kind(uint32_t object) const { return kinds_[object].root; }
    /// The object number of the local or stack that a pointer points into, if its address does not escape: every access to it uses such a
    /// pointer. Otherwise 0.
    uint32_t private_object(ir::Value pointer) const;

    bool objects_overlap(uint32_t a, uint32_t b) const;
    /// For each object, the objects that it may overlap, itself included.
    std::vector<std::vector<uint32_t>> neighbours() const;
    Overlap overlap(const Access &a, const Access &b) const;

    /// The memory access of an instruction; no pointer if there is none. gather, scatter, external and ops on cells may access the whole
    /// object of their pointer, which is expressed by a type of Kind::none.
    Access access(ir::Value inst) const;

  private:
    struct Object {
        Root root = Root::none;
        uint32_t id = 0;   ///< value of the array or local, index of the place, slot of the tree, number of the stack
        uint32_t tree = 0; ///< places and trees: slot
        bool escapes = false; ///< control flow yields or carries a pointer into it
    };
    void add(ir::Value pointer);
    void mark_escaping(ir::Value v);
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
