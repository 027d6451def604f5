#pragma once
// Copies instructions with everything they own, within a function or into another, and renames values.
#include "ir/function.h"

#include <functional>
#include <vector>

namespace qd::passes {

class Cloner {
  public:
    /// The copy of each value. If several cloners of a function share one map in turn, each costs only as much as it copies.
    using Map = std::vector<ir::Value>;

    /// `adjust`, if given, may change table indices and spans of each copy before it is added. Loop entries are always copied. `shared`, if
    /// given, is empty again after the cloner is destroyed.
    Cloner(const ir::Function &from, ir::Function &to, std::function<void(ir::Inst &)> adjust = {},
           Map *shared = nullptr);
    ~Cloner();
    Cloner(const Cloner &) = delete;

    /// The copy of `v`, or `v` itself if it was not copied.
    ir::Value lookup(ir::Value v) const;
    void set(ir::Value v, ir::Value copy);

    /// Copies one instruction, its blocks and results to the end of `into`.
    ir::Value copy(ir::Value v, ir::BlockId into);
    /// Copies the instructions of `source` to the end of `into`, except the terminator unless asked for.
    void copy_contents(ir::BlockId source, ir::BlockId into, bool terminator);
    /// Creates a block with copies of the parameters and instructions.
    ir::BlockId copy_block(ir::BlockId source);

  private:
    const ir::Function &from_;
    ir::Function &to_;
    std::function<void(ir::Inst &)> adjust_;
    Map own_;
    Map &map_; ///< no value: not copied
    std::vector<uint32_t> copied_;
};

} // namespace qd::passes
