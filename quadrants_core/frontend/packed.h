#pragma once
// Numbers of quant types, which lie in words beside others.
#include "frontend/walk.h"

#include <unordered_map>

namespace qd::frontend {

uint64_t low_bits(int count);

/// How a float type is made of bits.
struct FloatForm {
    ir::Scalar bits;
    int digits, bias;
};
FloatForm form_of(ir::Scalar type);

class PackedNumbers : public Part {
  public:
    explicit PackedNumbers(Walk &walk) : Part(walk) {}

    Flow each_in_word(const Packing &array, std::span<const ir::Value> word, std::vector<ir::Value> &indices,
                      const std::function<Flow()> &body);
    ir::Value load_packed(const Ref &ref, int k);
    void store_packed(const Ref &ref, int k, ir::Value value);
    ir::Value update_packed(const Ref &ref, int k, const std::function<ir::Value(ir::Value)> &next);
    std::vector<Packing> packing_of(const Node *node, PyObject *field);

  private:
    struct PackedPlace {
        ir::Value word, shift; ///< pointer; lowest bit
    };
    struct InWord {
        ir::Value word, inner;
        int cells = 0;
    };
    PackedPlace packed_place(const Ref &ref, int k);
    ir::Value unpacked_number(const Packing &packing, ir::Value word, ir::Value shift);
    ir::Value packed_bits(const Packing &packing, ir::Value value);
    ir::Value change_word(ir::Value pointer, const std::function<ir::Value(ir::Value)> &next);
    ir::Value word_with_bits(const Packing &packing, ir::Value word, ir::Value shift, ir::Value bits);
    ir::Value word_with(const Packing &packing, ir::Value word, ir::Value shift, ir::Value value);
    ir::Value shared_number(const Packing &packing, ir::Value word);
    ir::Value word_with_shared(const Packing &packing, ir::Value word, ir::Value value);
    ir::Value bits_at(ir::Value word, int shift, int count, ir::Scalar type);
    ir::Value own_exponent(const Packing &packing, ir::Value value);
    std::unordered_map<uint32_t, InWord> in_word_; ///< indices made by loops over quant arrays, taken apart
};

} // namespace qd::frontend
