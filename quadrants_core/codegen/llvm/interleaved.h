#pragma once
// Components of neighbours that lie side by side: what gathers and scatters of lanes a few elements apart touch together, one
// component each, is loaded or stored as it lies in memory, and sorted by shuffles.
//
//     gather p, 0 3 6 ..                three loads of lanes side by side,
//     gather p + 4, 0 3 6 ..      ->    from which shuffles pick one component after the other
//     gather p + 8, 0 3 6 ..
//
// A group loads where its first gather stands, and stores, all components or nothing, where its last scatter does: nothing
// between may touch the same bytes. Between the first and the last element that the gathers touch all is loaded.
#include "codegen/llvm/task_code.h"

namespace qd::codegen {

class Interleaved {
  public:
    explicit Interleaved(TaskCode &code);
    /// Whether the gather or scatter belongs to a group; what remains to be done for it is done.
    bool access(Value v);

  private:
    using Vectors = std::vector<llvm::Value *>;
    struct Group {
        std::vector<Value> members;  ///< in their order
        std::vector<unsigned> parts; ///< of each: the number of its component, from that which lies first
        unsigned apart = 0;          ///< elements from one lane to the next
        Value count;                 ///< lanes that are on, the first ones; none: all
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
    unsigned lanes_ = 0;                  ///< of the group at hand
};

} // namespace qd::codegen
