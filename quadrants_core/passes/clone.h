#pragma once
// Copies instructions with everything they own, within a function or from one to another, renaming values.
#include "ir/function.h"

#include <functional>
#include <vector>

namespace qd::passes {

class Cloner {
  public:
    /// `adjust`, if given, may change table indices and spans of each copy before it is added. Loops are always copied.
    Cloner(const ir::Function &from, ir::Function &to, std::function<void(ir::Inst &)> adjust = {});

    /// What `v` became; `v` itself if it was not copied.
    ir::Value lookup(ir::Value v) const;
    void set(ir::Value v, ir::Value copy);

    /// Copies one instruction, its blocks and results to the end of `into`.
    ir::Value copy(ir::Value v, ir::BlockId into);
    /// Copies the instructions of `source` to the end of `into`, except the terminator unless asked for.
    void copy_contents(ir::BlockId source, ir::BlockId into, bool terminator);
    /// A new block with copies of the parameters and instructions.
    ir::BlockId copy_block(ir::BlockId source);

  private:
    const ir::Function &from_;
    ir::Function &to_;
    std::function<void(ir::Inst &)> adjust_;
    std::vector<ir::Value> map_;
};

} // namespace qd::passes
