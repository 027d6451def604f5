#pragma once
// The kernels of a program as they are observed: coverage counts, including those of destroyed kernels, adstacks, updates, and the current
// activity. May be called from any thread, without affecting launches.
#include "base/fork.h"
#include "engine/compiled_kernel.h"
#include "engine/queues.h"

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qd::engine {

/// The order of counters in reports: file, line, column, kind.
struct CounterOrder {
    bool operator()(const CounterValue &a, const CounterValue &b) const;
};
using Counts = std::set<CounterValue, CounterOrder>;

class Observation {
  public:
    explicit Observation(Queues &queues) : queues_(queues) {}
    Observation(const Observation &) = delete;

    /// Registers a kernel under the next number of its name.
    void adopt(CompiledKernel &kernel);
    /// Keeps the counts of a kernel that is being destroyed.
    void retire(CompiledKernel &kernel);
    /// Makes all kernels inert when the program ends.
    void abandon_kernels();

    // Coverage: sums over all kernels compiled so far, including redefined ones. Running tasks have added the counts that they can report.
    std::vector<CounterValue> coverage(); ///< of all kernels, summed by location
    /// Returns the counts of kernels that changed since the reading with number `since`, all if that is 0; and the number of this reading.
    std::pair<uint64_t, std::vector<KernelCoverage>> coverage_by_kernel(uint64_t since = 0);
    /// The number of kernels compiled so far, and the sum of all counts: as long as neither grows, nothing has changed.
    std::pair<uint64_t, uint64_t> counted();
    void clear_coverage();
    /// Returns how many times the counts were cleared.
    uint64_t cleared() const { return cleared_.load(std::memory_order_acquire); }

    /// The memory that the adstacks of live reverse-mode kernels use, as of their last launch. Without `wait`, the call does not wait for a
    /// launch in progress.
    std::vector<KernelMemory> adstack_memory(bool wait = true);
    /// Names the running task with an adstack, or none.
    void show_adstack(const KernelTask *task);
    /// After that task: moves its heap use from the stream to its kernel.
    void note_heap_use(CompiledKernel &kernel, size_t task);

    /// Covers the kernels that are alive.
    std::vector<KernelUpdates> last_updates() const;

    Activity activity();
    /// Describes the current launch, which may have ended meanwhile: the result is then the state at the time of the look, or empty.
    Activity launch_in_progress() const;
    void begin_compiling(const std::string &kernel, const std::string &file);
    void compile_tasks(size_t all, size_t done);
    void task_compiled() { compiling_.done++; }
    void end_compiling();

  private:
    /// The kernel that is being compiled.
    struct Compilation {
        std::string kernel, file; ///< empty: none
        std::chrono::steady_clock::time_point since;
        std::atomic<uint32_t> tasks = 0, done = 0; ///< 0 tasks: not known yet
    };
    /// The counts of one specialisation.
    struct Counted {
        std::string title;
        Counts counts;
        uint64_t changed = 0; ///< `readings_` at that time
    };

    /// Asks the running task, if it can report, to add the counts it has so far.
    void ask_for_counts();
    /// Fetches the coverage counters of pending asynchronous launches, if the host does not see the memory of the device.
    void fetch_counts();
    void describe_launch(Activity &now) const; ///< the caller holds the lock
    static void add_counts(Counted &all, const CompiledKernel &kernel);

    Queues &queues_;
    mutable ForkLockedMutex lock_;
    std::vector<CompiledKernel *> kernels_;         ///< that are alive
    const KernelTask *task_with_adstack_ = nullptr; ///< the running one
    std::map<std::pair<std::string, uint32_t>, Counted>
        retired_;              ///< by kernel and number: kernels that have been destroyed
    uint64_t retired_sum_ = 0; ///< the total of their counts
    uint64_t readings_ = 0;    ///< readings of counts by kernel so far, plus retired kernels
    uint64_t adopted_ = 0;     ///< kernels compiled so far
    std::unordered_map<std::string, uint32_t> specialisations_; ///< by kernel: number compiled
    std::atomic<uint64_t> cleared_{0};
    Compilation compiling_;
    std::chrono::steady_clock::time_point seen_; ///< when the current launch was first observed
};

} // namespace qd::engine
