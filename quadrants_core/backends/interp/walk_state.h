#pragma once
// The state of one walk over a function: walk.cpp executes control flow and values, memory.cpp memory accesses.
#include "backends/interp/walk.h"
#include "ir/eval.h"
#include "runtime/sparse.h"

namespace qd::backends::interpreter {

using namespace ir;

/// The way in which control left a block.
enum class Flow : uint8_t { yielded, broke, continued, returned, exited };

/// Releases what was allocated on the thread's heap during its lifetime.
class HeapMark {
  public:
    explicit HeapMark(abi::Heap &heap) : heap_(heap), top_(heap.top), end_(heap.end), used_(heap.used) {}
    ~HeapMark() {
        heap_.top = top_;
        heap_.end = end_;
        heap_.used = used_;
    }
    HeapMark(const HeapMark &) = delete;

  private:
    abi::Heap &heap_;
    char *top_, *end_;
    uint64_t used_;
};

struct Walk {
    const Function &fn;
    const abi::Launch &launch;
    abi::Thread &thread;
    int64_t begin, end, stride;
    uint64_t steps = 0;
    uint32_t reported = 0; ///< LaunchData::counts_requested at the last safepoint
    bool left = false;     ///< a loop with `flushes` was left early
    std::vector<uint32_t> slot = std::vector<uint32_t>(fn.insts.size()); ///< index of a value's lanes in `values`
    std::vector<uint64_t> values = std::vector<uint64_t>(1);
    std::vector<std::vector<uint64_t>> locals = std::vector<std::vector<uint64_t>>(fn.insts.size());
    std::vector<uint64_t> passed;     ///< operands of the terminator just executed, all lanes
    uint64_t known_pages[2][16] = {}; ///< readable and writable pages; page 0 has no memory

    uint64_t *lanes(Value v) { return &values[slot[v.id]]; }
    uint64_t get(Value v) { return values[slot[v.id]]; }
    Constant constant(Value v, int lane = 0) { return {fn.type(v).elem, lanes(v)[lane]}; }
    int64_t index(Value v) { return to_int(constant(v)); }
    uint64_t arg(Value inst, size_t i) { return get(fn.args(inst)[i]); }

    void start();
    void define(Value v);
    Flow block(BlockId b);
    Flow iteration(BlockId body);
    Flow inst(Value v);
    Flow terminator(Value v);
    Flow control(Value v);
    Flow for_loop(Value v);
    Flow endless_loop(Value v);
    Flow parallel(Value v);
    void pass(std::span<const Value> list);
    void receive(std::span<const Value> list);
    bool stopped() const { return must_leave(launch.data); }
    bool leave(const Loop &loop) const { return loop.interruptible && stopped(); }

    void pure(Value v);
    void plain(Value v);
    void memory(Value v);
    Flow outside(Value v);
    void reduce(Value v);
    uint64_t address(Value v);
    uint64_t reserve(Value v);
    uint64_t table(Value v);
    runtime::SparseTrees &trees() const {
        return const_cast<runtime::SparseTrees &>(static_cast<const runtime::SparseTrees &>(*launch.data.sparse));
    }
    bool sparse_place(Value v) const { return fn[v].op == Op::place && is_sparse(fn.places[fn[v].imm]); }
    uint64_t pointer(Value v, bool writes);
    char *cell(Value place, size_t depth, bool make);
    uint64_t element(Value list);
    void about_cells(Value v);
    void step(Value v);
    void check_accessible(uint64_t address, uint64_t bytes, bool writes);
    void check_bounds(Value pointer, uint64_t address, uint64_t bytes, bool writes) const;
    uint64_t read(uint64_t address, Scalar type);
    void write(uint64_t address, Constant v);
    void load(Value v);
    void store(Value v);
    void masked(Value v);
    void atomic(Value v);
    void packed(Value v);
    void random(Value v);
    void message(Value v, size_t first);
    void external(Value v);
};

} // namespace qd::backends::interpreter
