#pragma once
// Coverage of which only yes or no is asked. Once a kernel's counters say yes to everything that is asked, its clean
// build, which has no counters, runs in its place; it is compiled in the background. `Program::clear_coverage` makes
// the kernel count again.
//
// Yes, to a line: one of its counters, of any static copy, is not 0. To both ways of a branch, and to iterations of a
// loop that has no line of its own for them: the same. To the end of a loop: it was finished more often than left by
// `break`. These are what transitions are made of (quadrants/_coverage/flow.py). A launch that did not come to its end
// leaves counts from which transitions cannot be told for sure: a kernel of which they are asked goes on counting.
#include "engine/compiled_kernel.h"

namespace qd::engine {

/// A kernel without counters, shared by the one that counts and the work that makes it.
struct CleanBuild {
    enum class State : uint8_t { none, wanted, ready, failed };
    std::atomic<State> state{State::none};
    std::shared_ptr<CompiledKernel> kernel; ///< written before `state` becomes `ready`, and never again
};

/// Used by one launch at a time.
class Completion {
  public:
    Completion(const CompiledKernel &kernel, Asked asked);

    /// The kernel to run instead, or null. `cleared`: how often the program's counts were forgotten.
    CompiledKernel *clean(uint64_t cleared);
    /// Around what runs of a launch that counts.
    void begin() { left_ += asked_ == Asked::arcs; }
    void end(Program::Impl &p, const CompiledKernel &kernel);

    Asked asked() const { return asked_; }

  private:
    /// Met once the `plus` counts add up to more than the `minus` ones.
    struct Condition {
        std::vector<uint32_t> plus, minus;
    };
    bool is_met(const Condition &condition, const std::vector<uint64_t> &counts) const;

    Asked asked_;
    std::vector<Condition> conditions_;
    size_t met_ = 0; ///< conditions before this one are met
    uint64_t cleared_ = 0;
    uint32_t left_ = 0; ///< launches that did not come to their end, where transitions are asked for
    std::shared_ptr<CleanBuild> build_ = std::make_shared<CleanBuild>();
};

} // namespace qd::engine
