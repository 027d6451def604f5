#pragma once
// The tables of a task: copies of the kernel's entries that it uses, renumbered.
#include "ir/function.h"
#include "passes/clone.h"

#include <unordered_map>

namespace qd::passes::offloading {

/// Tables that all tasks reuse in turn, so that each task costs only as much as it contains.
struct Scratch {
    explicit Scratch(const ir::Function &kernel);

    Cloner::Map values;
    std::vector<SpanId> spans;                  ///< number in the task; no_span: not copied yet
    std::vector<std::vector<uint32_t>> sharing; ///< by counter: the counters that share its count
};

/// Copies the table entries that a task uses, on first use.
class Tables {
  public:
    Tables(const ir::Function &kernel, ir::Function &task, Scratch &scratch);
    ~Tables();
    Tables(const Tables &) = delete;

    /// Makes a copied instruction refer to the task's entries.
    void adjust(ir::Inst &inst);

  private:
    SpanId span(SpanId s);
    uint64_t counter(uint64_t index);
    uint64_t table(uint64_t index);

    using Entries = std::unordered_map<uint64_t, uint64_t>; ///< number in the kernel -> number in the task
    const ir::Function &from_;
    ir::Function &to_;
    Entries places_, packings_, messages_, counters_;
    std::vector<uint64_t> tables_; ///< by number in the kernel: 1 + number in the task; empty: no table is used
    std::vector<SpanId> &spans_;
    std::vector<SpanId> copied_;
    const std::vector<std::vector<uint32_t>> &sharing_;
};

} // namespace qd::passes::offloading
