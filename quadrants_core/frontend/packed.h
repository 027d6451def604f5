#pragma once
// Numbers of quant types, which share words with other numbers.
#include "frontend/walk.h"

#include <unordered_map>

namespace qd::frontend {

class PackedNumbers : public Part {
  public:
    explicit PackedNumbers(Walk &walk) : Part(walk) {}

    std::vector<Packed> components(const Node *node, PyObject *field);
    Flow each_in_word(const Packed &array, std::span<const ir::Value> word, std::vector<ir::Value> &indices,
                      const std::function<Flow()> &body);
    // Accesses to component `k` of a place.
    ir::Value load(const Ref &ref, int k);
    ir::Value volatile_load(const Ref &ref, int k);
    void store(const Ref &ref, int k, ir::Value value);
    /// Does what `atomic` does with an unpacked element; returns the old number.
    ir::Value update(const Ref &ref, int k, ir::Op atomic, std::span<const ir::Value> operands);

  private:
    struct InWord {
        ir::Value word, inner;
        int cells = 0;
    };
    ir::Value emit(ir::Op op, const Ref &ref, int k, std::span<const ir::Value> operands);
    std::unordered_map<uint32_t, InWord> in_word_; ///< parts of the indices that loops over quant arrays make
};

} // namespace qd::frontend
