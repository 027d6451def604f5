#pragma once
// The values of one thread, and the ops that compute values from values.
#include "ir/eval.h"
#include "ir/function.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace qd::backends::interpreter {

using namespace ir;

/// A value takes one word; a SIMD vector takes one word per element. A copy holds the values of another thread.
class Values {
  public:
    explicit Values(const Function &function);

    const Function &fn;

    uint64_t *words(Value v) { return &words_[first_[v.id]]; }
    uint64_t get(Value v) const { return words_[first_[v.id]]; }
    void set(Value v, uint64_t bits) { words_[first_[v.id]] = bits; }
    Constant constant(Value v, int element = 0) { return {fn.type(v).elem, words(v)[element]}; }
    int64_t index(Value v) { return to_int(constant(v)); }
    uint64_t arg(Value inst, size_t i) { return get(fn.args(inst)[i]); }

    /// Computes an instruction that ir::eval supports, element by element.
    void evaluate(Value v);
    void reduce(Value v);

    /// Sets aside values that control flow passes on: the operands of a terminator, or the initial values of a loop.
    void pass(std::span<const Value> list);
    /// Gives the values of the last `pass` to block parameters or results.
    void receive(std::span<const Value> list);
    uint64_t passed(size_t i) const { return passed_[i]; }

  private:
    size_t size(Value v) const { return fn.type(v).is_scalar() ? fn.type(v).lanes : 1; }

    std::shared_ptr<const std::vector<uint32_t>> layout_; ///< first word of each value
    const uint32_t *first_;                               ///< in `layout_`
    std::vector<uint64_t> words_;
    std::vector<uint64_t> passed_;
};

} // namespace qd::backends::interpreter
