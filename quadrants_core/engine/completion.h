#pragma once
// Coverage that records only whether code ran. Once a kernel's counters confirm everything that is asked, its clean build, which has no
// counters, runs in its place; it is compiled in the background. `Observation::clear_coverage` makes the kernel count again.
//
// A line is confirmed once one of its counters, of any static copy, is not 0. The same holds for both directions of a branch, and for the
// iterations of a loop that has no line of its own for them. The exit of a loop is confirmed once it was finished more often than left by
// `break`. Transitions are derived from these (quadrants/_coverage/flow.py). A launch that did not complete leaves counts from which
// transitions cannot be derived reliably, so a kernel that is asked for transitions then goes on counting.
#include "engine/compiled_kernel.h"

namespace qd::engine {

/// A kernel without counters, shared by the counting kernel and the job that builds it.
struct CleanBuild {
    enum class State : uint8_t { none, wanted, ready, failed };
    std::atomic<State> state{State::none};
    std::shared_ptr<CompiledKernel> kernel; ///< written before `state` becomes `ready`, and never again
};

/// Used by one launch at a time.
class Completion {
  public:
    Completion(const CompiledKernel &kernel, CoverageKind kind);

    /// The kernel to run instead, or null. `cleared`: how often the program's counts were cleared.
    CompiledKernel *clean(uint64_t cleared);
    /// Called before and after the tasks of a counting launch.
    void begin() { left_ += kind_ == CoverageKind::arcs; }
    void end(const CompiledKernel &kernel);

    CoverageKind kind() const { return kind_; }

  private:
    /// Met once the `plus` counts add up to more than the `minus` ones.
    struct Condition {
        std::vector<uint32_t> plus, minus;
    };
    bool is_met(const Condition &condition, const std::vector<uint64_t> &counts) const;

    CoverageKind kind_;
    std::vector<Condition> conditions_;
    size_t met_ = 0; ///< conditions before this one are met
    uint64_t cleared_ = 0;
    uint32_t left_ = 0; ///< launches that did not complete, if transitions are asked for
    std::shared_ptr<CleanBuild> build_ = std::make_shared<CleanBuild>();
};

} // namespace qd::engine
