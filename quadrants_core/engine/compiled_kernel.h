#pragma once
// A compiled kernel: its tasks with their code, and what a launch needs to know.
#include "base/fork.h"
#include "engine/program.h"
#include "runtime/cache_listing.h"
#include "runtime/device.h"
#include "runtime/graph.h"

#include <memory>
#include <vector>

namespace qd::engine {

/// Kernels and background threads that may outlive a program check this before they touch it.
struct Lifetime {
    ForkLockedMutex lock;
    Program *program = nullptr; ///< null once it has ended
};

/// The code of one task, shared by all kernels that hold an equal one. Better code may be added while the task runs: every build stays
/// loaded as long as this object, so a launch reads `current` without a lock.
struct TaskCode {
    std::atomic<runtime::LoadedTask *> current{nullptr};
    abi::Weight weight;
    abi::Range range;
    bool locks_failed = false; ///< code with locks could not be made; accessed by launching threads

    void publish(std::shared_ptr<runtime::LoadedTask> build) {
        current.store(build.get(), std::memory_order_release);
        for (const auto &before : builds_) before->switch_to(*build);
        if (locked_) build->set_locked_code(*locked_->current.load());
        builds_.push_back(std::move(build));
    }
    /// The same task compiled for threads that update the same memory (shared_code.h); null if it was not needed yet.
    const std::shared_ptr<TaskCode> &locked() const { return locked_; }
    void set_locked_code(std::shared_ptr<TaskCode> other) {
        locked_ = std::move(other);
        for (const auto &build : builds_) build->set_locked_code(*locked_->current.load());
    }
    /// The code of the build that contains this address; empty if none does.
    std::span<const uint8_t> code_at(uintptr_t address) const {
        for (const auto &build : builds_) {
            const std::span<const uint8_t> code = build->code();
            if (address - reinterpret_cast<uintptr_t>(code.data()) < code.size()) return code;
        }
        return locked_ ? locked_->code_at(address) : std::span<const uint8_t>();
    }
    /// Called when the device closes.
    void unload() {
        current = nullptr;
        builds_.clear();
        locked_ = nullptr;
    }

  private:
    std::vector<std::shared_ptr<runtime::LoadedTask>> builds_;
    std::shared_ptr<TaskCode> locked_;
};

class CompiledKernel;

/// One task of one kernel; abi::HostServices::task points to it.
struct KernelTask {
    Program *program = nullptr;
    const CompiledKernel *kernel = nullptr;
    const abi::Task *info = nullptr; ///< points into the kernel
    std::shared_ptr<TaskCode> code;
    uint64_t *counters = nullptr; ///< this task's part of the kernel's counters
};

/// An array argument, as the overlap check needs it.
struct ArrayArg {
    uint32_t slot = 0;
    uint32_t ndim = 0;
    uint64_t element_bytes = 0;
};
struct Bytes {
    uint64_t begin, end; ///< addresses
};
inline constexpr size_t max_checked_arrays = 64; ///< kernels with more are compiled for arrays that may overlap

class Completion;

class CompiledKernel : public std::enable_shared_from_this<CompiledKernel> {
  public:
    CompiledKernel() = default;
    ~CompiledKernel();
    CompiledKernel(const CompiledKernel &) = delete;

    abi::Kernel info;
    runtime::KernelKey key{};      ///< its key on disk
    std::string title;             ///< what the kernel was specialised for
    std::string file;              ///< its source file; may be unknown
    bool has_side_effects = false; ///< some task has side effects on the host: abi::Task
    std::vector<KernelTask> tasks;
    /// Runs the tasks of this build of the kernel `called`, with the stream locked. Chosen when the kernel is compiled.
    void (*run)(Queues &queues, const CompiledKernel &called, CompiledKernel &build, abi::Launch &launch,
                void *ret) = nullptr;
    /// Queues::launch: locks the stream, chooses the build for these arrays and runs it. Chosen when the kernel is compiled, and again by
    /// `ask`.
    void (*launch)(Queues &queues, CompiledKernel &called, abi::Launch &launch, void *ret, bool own_arrays,
                   abi::GraphWords *words) = nullptr;
    bool has_adstack = false;           ///< some task has an adstack: abi::Task
    bool has_limited_messages = false;  ///< some task has rate-limited messages: abi::Message
    std::vector<abi::HeapUse> heap_use; ///< by task: heap use of the last launch, for a kernel with an adstack
    uint64_t stack_budget = 0;          ///< the most bytes that stacks should take for one iteration; 0: no limit
    uint64_t reported_peak = 0;         ///< the per-thread peak at the last report of an exceeded budget
    uint64_t program_id = 0;            ///< 0 once its program has ended
    uint32_t specialisation = 0;        ///< number among the specialisations of this kernel
    std::shared_ptr<Lifetime> lifetime;
    std::vector<uint32_t> passes;          ///< by level: passes so far in the current launch, or in the last one
    std::vector<runtime::GraphStep> steps; ///< set if tasks depend on flags or there are `regions`
    std::vector<runtime::Region> regions;  ///< regions whose sections may run concurrently
    std::vector<runtime::FlagExtents> flag_extents; ///< extents of those flags
    std::vector<uint64_t> counts;
    std::vector<CounterValue> counters; ///< the meaning of each count; `count` is unused here
    uint64_t read_sum = ~uint64_t(0);   ///< the sum of its counts at the last reading
    uint64_t changed = 0;               ///< Retired::readings when that sum was first read
    std::vector<ArrayArg> arrays;       ///< arrays to check for overlap at launch, written ones first; may be empty
    uint32_t written_arrays = 0;
    uint32_t arrays_beside_trees = 0; ///< so many of `arrays` must be checked against field trees too
    std::vector<uint32_t> trees;      ///< slots of the trees that the kernel uses
    std::vector<Bytes> tree_bytes;    ///< their address ranges, sorted; filled by the first launch that needs them
    /// The kernel's IR as ir::write serialises it; kept if another build of the kernel or of a task may be needed.
    std::vector<uint8_t> source;
    std::shared_ptr<Completion> completion;      ///< null if counts are asked for, or nothing is counted
    std::shared_ptr<CompiledKernel> overlapping; ///< the same kernel for arrays that overlap, compiled on first use
};

} // namespace qd::engine
