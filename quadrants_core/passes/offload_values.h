#pragma once
// Values of a kernel's top level that its tasks need, and how each task obtains them: recomputed, or through a slot of the tmp buffer.
#include "ir/function.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace qd::passes::offloading {

/// Values that one region of code (a serial body, a range body or its bounds) needs from the kernel's top level, each listed once.
struct Region {
    int segment = 0;
    bool at_home = false; ///< a serial body: contains the definitions of its segment
    std::vector<ir::Value> needed;
    std::unordered_set<uint32_t> seen;

    /// False if it was already listed.
    bool add(ir::Value v);
};

class Crossing {
  public:
    explicit Crossing(const ir::Function &kernel);

    /// Assigns the next top-level instruction to a segment, in program order. A range segment computes nothing that others use.
    void settle(ir::Value v, int segment);
    void begin_segments(size_t count);

    std::vector<Region> bodies, bounds; ///< by segment
    std::vector<bool> gives;            ///< by segment: others need its results, or it has side effects

    /// True if it is cheap and depends only on parameters and constants.
    bool can_recompute(ir::Value v);
    /// Records that a region uses `used`, and everything that follows from it.
    void need(Region &region, ir::Value used);
    /// The same for the operands of an instruction and of everything in its blocks.
    void need_operands(Region &region, ir::Value v);

    /// The segment in which `v` is computed; -1: none.
    int home(ir::Value v) const { return home_[owner(v).id]; }
    /// Byte offset in the tmp buffer of a value or local that crosses tasks.
    std::optional<uint64_t> slot(ir::Value v) const;
    uint64_t tmp_bytes() const { return tmp_bytes_; }
    /// Reserves bytes of the tmp buffer; returns their offset.
    uint64_t reserve(uint64_t bytes);
    /// Sorts the needs of a region into the kernel's order.
    void sort(Region &region) const;

  private:
    /// The listed instruction that defines `v`: itself, or the owner of a result.
    ir::Value owner(ir::Value v) const { return k_[v].op == ir::Op::result ? k_.args(v)[0] : v; }
    int recompute_cost(ir::Value v);
    void reserve(ir::Value v, uint64_t bytes);

    const ir::Function &k_;
    std::vector<int> home_;          ///< top-level instructions: their segment; others -1
    std::vector<uint32_t> position_; ///< order at the top level
    std::vector<uint8_t> remat_;     ///< 0 unknown, 1 yes, 2 no
    std::unordered_map<uint32_t, uint64_t> slots_;
    uint64_t tmp_bytes_ = 0;
    uint32_t order_ = 1;
};

} // namespace qd::passes::offloading
