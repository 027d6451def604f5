#pragma once
// Emits the byte offsets of elements; shared by lower_access and lower_cells. Offsets of places are exact: powers of two become shifts and
// masks, other extents divisions.
#include "ir/builder.h"

namespace qd::passes {

/// An address under construction: an emitted pointer and a pending constant offset.
class Address {
  public:
    Address(ir::Builder &b, ir::Value base) : b_(b), base_(base) {}

    void add(ir::Value bytes) { base_ = b_.offset(base_, bytes, b_.fn.type(base_).elem); }
    void add(int64_t bytes) { rest_ += bytes; }

    /// The address as a value, a pointer to `elem`.
    ir::Value value(ir::Scalar elem);
    /// Turns `v`, which is not listed in any block now, into the address; `origin`: imm of an `offset`.
    void become(ir::Value v, uint64_t origin = 0);

  private:
    ir::Builder &b_;
    ir::Value base_;
    int64_t rest_ = 0;
};

ir::Value times(ir::Builder &b, ir::Value v, uint64_t factor);
/// Adds `index` * bytes; a constant index is added to the constant offset.
void add_index(ir::Builder &b, Address &address, ir::Value index, int64_t bytes);
/// Splits an i32 index into the result and a constant, which is added to `rest`.
ir::Value split_constant(const ir::Function &fn, ir::Value index, int64_t &rest);
/// Adds the offset of the cell of a dense level, relative to the cell around it.
void add_level(ir::Builder &b, Address &address, const ir::Place &place, size_t level,
               std::span<const ir::Value> indices);
/// The number (i64) of the cell within its container.
ir::Value cell_number(ir::Builder &b, const ir::Place &place, size_t level, std::span<const ir::Value> indices);

} // namespace qd::passes
