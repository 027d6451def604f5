#pragma once
// The tables of a task: it has copies of those entries of the kernel's that it uses, numbered anew.
#include "ir/function.h"
#include "passes/clone.h"

#include <unordered_map>

namespace qd::passes::offloading {

/// What all tasks use in turn, so that each costs no more than what it holds.
struct Scratch {
    explicit Scratch(const ir::Function &kernel);

    Cloner::Map values;
    std::vector<SpanId> spans;                  ///< in the task; no_span: not yet copied
    std::vector<std::vector<uint32_t>> sharing; ///< by counter: those that share its count
};

/// Copies table entries that a task uses, on first use.
class Tables {
  public:
    Tables(const ir::Function &kernel, ir::Function &task, Scratch &scratch);
    ~Tables();
    Tables(const Tables &) = delete;

    /// Makes a copy of an instruction of the kernel name the task's entries.
    void adjust(ir::Inst &inst);

  private:
    SpanId span(SpanId s);
    uint64_t counter(uint64_t index);
    uint64_t table(uint64_t index);

    using Entries = std::unordered_map<uint64_t, uint64_t>; ///< number in the kernel -> number in the task
    const ir::Function &from_;
    ir::Function &to_;
    Entries places_, packings_, messages_, counters_;
    std::vector<uint64_t> tables_; ///< by number in the kernel, 1 + that in the task; empty: no table is used
    std::vector<SpanId> &spans_;
    std::vector<SpanId> copied_;
    const std::vector<std::vector<uint32_t>> &sharing_;
};

} // namespace qd::passes::offloading
