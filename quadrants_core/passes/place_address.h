#pragma once
// Byte offsets of elements, put together as IR: what lower_access and lower_cells share. Offsets of places are exact:
// powers of two become shifts and masks, other extents divisions.
#include "ir/builder.h"

namespace qd::passes {

/// An address while it is put together: a pointer, emitted, and a constant rest.
class Address {
  public:
    Address(ir::Builder &b, ir::Value base) : b_(b), base_(base) {}

    void add(ir::Value bytes) { base_ = b_.offset(base_, bytes, b_.fn.type(base_).elem); }
    void add(int64_t bytes) { rest_ += bytes; }

    /// The address as a value, a pointer to `elem`.
    ir::Value value(ir::Scalar elem);
    /// `v`, which stands in no block now, becomes the address; `origin`: of an `offset`.
    void become(ir::Value v, uint64_t origin = 0);

  private:
    ir::Builder &b_;
    ir::Value base_;
    int64_t rest_ = 0;
};

ir::Value times(ir::Builder &b, ir::Value v, uint64_t factor);
/// Adds `index` * bytes, a constant index as part of the rest.
void add_index(ir::Builder &b, Address &address, ir::Value index, int64_t bytes);
/// i32 index = result + constant part.
ir::Value split_constant(const ir::Function &fn, ir::Value index, int64_t &rest);
/// The cell of a dense level, from the cell around it.
void add_level(ir::Builder &b, Address &address, const ir::Place &place, size_t level,
               std::span<const ir::Value> indices);
/// i64: number of the cell within its container.
ir::Value cell_number(ir::Builder &b, const ir::Place &place, size_t level, std::span<const ir::Value> indices);

} // namespace qd::passes
