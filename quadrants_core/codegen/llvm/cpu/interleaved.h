#pragma once
// Interleaved accesses: gathers or scatters of neighbouring components with the same small stride become contiguous loads or
// stores, and shuffles.
//
//     gather p, 0 3 6 ..                three contiguous loads,
//     gather p + 4, 0 3 6 ..      ->    from which shuffles extract one component each
//     gather p + 8, 0 3 6 ..
//
// A group loads at its first gather and stores at its last scatter, so no access between may touch the same bytes. A group of
// scatters covers all components. A group of gathers loads everything between the first and the last element that it touches.
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class Interleaved {
  public:
    explicit Interleaved(TaskCode &code);
    /// Emits the group of the gather or scatter when it is due. Returns false if the access belongs to no group.
    bool access(Value v);

  private:
    using Vectors = std::vector<llvm::Value *>;
    struct Group {
        std::vector<Value> members;  ///< in program order
        std::vector<unsigned> parts; ///< per member: the index of its component, from the lowest address
        unsigned apart = 0;          ///< stride: elements from one lane to the next
        Value count;                 ///< the number of leading lanes that are active; none: all are
        bool reads = false;
    };
    friend class GroupFinder;

    void load(const Group &group);
    void store(const Group &group);
    llvm::Value *address(const Group &group, size_t member, unsigned element);
    llvm::Value *mask(const Group &group, unsigned k, unsigned beyond);
    llvm::Value *pick(llvm::Value *so_far, llvm::Value *from, const std::vector<int> &elements);
    Vectors apart(const Vectors &stream, const std::vector<bool> &wanted);
    Vectors together(const Vectors &parts);

    TaskCode &code_;
    std::vector<Group> groups_;
    std::map<uint32_t, size_t> group_of_; ///< by Value id
    unsigned lanes_ = 0;                  ///< of the current group
};

} // namespace qd::codegen
