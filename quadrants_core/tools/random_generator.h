#pragma once
// The generator behind random_function.h. It picks values from those in scope, and memory from what the function has.
#include "ir/builder.h"
#include "tools/random_function.h"
#include "tools/random_numbers.h"

namespace qd::tools {

using namespace ir;

inline constexpr Scalar all_scalars[] = {Scalar::u1,  Scalar::i8,  Scalar::u8,  Scalar::i16, Scalar::u16, Scalar::i32,
                                         Scalar::u32, Scalar::i64, Scalar::u64, Scalar::f16, Scalar::f32, Scalar::f64};

/// Accesses that a parallel body may make to a storage.
enum class Use : uint8_t { any, read, own, atomic };

/// Addressable memory: an array parameter, a field, or memory that an op makes: a local, memory of a block, a table.
struct Storage {
    enum class Kind : uint8_t { array, field, made } kind;
    Value value; ///< the array or the pointer
    uint32_t place = 0;
    Scalar elem;
    int ndim = 0;
    int count = 1; ///< components of an array's element, or elements of made memory (a power of two)
    Use use = Use::any;
};

/// Returns the ops of a family, in the order of the table.
std::vector<Op> ops_of(Family family);

class Generator {
  public:
    Generator(uint64_t seed, const RandomOptions &options) : rng_(seed), options_(options), b_(fn_) {}
    Function make();

  private:
    Scalar scalar() { return rng_.of(all_scalars); }
    Value any();
    Value pick(Scalar type);
    Value pick_index();
    Value constant(Scalar type);
    void keep(Value v) { visible_.push_back(v); }

    void parameters();
    void fields();
    void statements(int n, int depth);
    void statement(int depth);
    void arithmetic();
    void comparison();
    void conversion();
    Value clean_float(Scalar type);
    void bits_of_float();
    void branch(int depth);
    void counted_loop(int depth);
    void open_loop(int depth);
    void parallel_loop();
    void body(Value control, BlockId block, std::span<const Value> carried, int depth);
    void leave_loop(bool breaks, bool yields_too);
    std::vector<Value> values_like(std::span<const Value> model);

    Storage *storage(bool for_writing);
    Value address(const Storage &s);
    Value address_of(const Storage &s);
    void memory();
    void atomic(const Storage &s);
    Packing packing(Scalar word);
    void packed(const Storage &s, bool write);
    void make_memory();
    void effect();
    uint32_t message(int values);

    Numbers rng_;
    RandomOptions options_;
    Function fn_;
    Builder b_;
    int budget_ = 0;
    std::vector<Value> visible_; ///< one-lane scalars in scope
    std::vector<Storage> storage_;
    std::vector<Value> indices_; ///< of the current parallel loop
    struct LoopFrame {
        std::vector<Value> carried;
        bool counts = false; ///< the first carried value must grow, so that the loop terminates
    };
    std::vector<LoopFrame> loops_;
    const Loop *parallel_ = nullptr; ///< settings of the current parallel loop
};

} // namespace qd::tools
