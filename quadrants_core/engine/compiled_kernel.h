#pragma once
// What a kernel is once compiled: tasks with their code, and what a launch must know.
#include "base/fork.h"
#include "engine/program.h"
#include "runtime/cache_listing.h"
#include "runtime/device.h"
#include "runtime/graph.h"

#include <memory>
#include <vector>

namespace qd::engine {

/// What kernels and background threads that outlive a program ask before they touch it.
struct Lifetime {
    BriefMutex lock;
    Program::Impl *program = nullptr; ///< null once it has ended
};

/// Code of one task, shared by all kernels that hold an equal one. Better code may be added while the task runs: every
/// build stays loaded as long as the record, so a launch reads `current` and needs no lock.
struct TaskCode {
    std::atomic<runtime::LoadedTask *> current{nullptr};
    abi::Weight weight;
    bool lost_locks = false; ///< code with locks could not be made; of threads that launch

    void publish(std::shared_ptr<runtime::LoadedTask> build) {
        current.store(build.get(), std::memory_order_release);
        for (const auto &before : builds_) before->go_on_with(*build);
        if (locked_) build->has_locks_in(*locked_->current.load());
        builds_.push_back(std::move(build));
    }
    /// The same task for threads that update the same memory (shared_code.h); null: it was not needed yet.
    const std::shared_ptr<TaskCode> &locked() const { return locked_; }
    void has_locks_in(std::shared_ptr<TaskCode> other) {
        locked_ = std::move(other);
        for (const auto &build : builds_) build->has_locks_in(*locked_->current.load());
    }
    /// That of the build whose code holds this address; empty if there is none.
    std::span<const uint8_t> code_at(uintptr_t address) const {
        for (const auto &build : builds_) {
            const std::span<const uint8_t> code = build->code();
            if (address - reinterpret_cast<uintptr_t>(code.data()) < code.size()) return code;
        }
        return locked_ ? locked_->code_at(address) : std::span<const uint8_t>();
    }
    /// The device is closing.
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

/// One task of one kernel: what abi::HostServices::task points to.
struct KernelTask {
    Program::Impl *program = nullptr;
    const CompiledKernel *kernel = nullptr;
    const abi::Task *info = nullptr; ///< in the kernel
    std::shared_ptr<TaskCode> code;
    uint64_t *counters = nullptr; ///< its part of the kernel's counters
};

/// An array argument, as far as overlap is concerned.
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
    runtime::KernelKey key{}; ///< on disk
    std::string title;        ///< what it was specialised for
    std::string file;         ///< that its source stands in; may be unknown
    bool speaks = false;      ///< some task does: abi::Task
    std::vector<KernelTask> tasks;
    /// A launch may have to run another build, or is not a mere row of tasks: `arrays`, `completion`, `steps` or stacks are there.
    bool has_variants = false;
    bool follows_flags = false;         ///< tasks depend on flags
    bool is_special = false;            ///< `completion`, remarks, stacks or `regions` are there
    bool keeps = false;                 ///< some task has stacks: abi::Task
    bool remarks = false;               ///< some task has limited messages: abi::Message
    std::vector<abi::HeapUse> heap_use; ///< of a kernel with stacks: by task, of its last launch
    uint64_t stack_budget = 0;          ///< bytes that stacks were to take for one iteration at most; 0: any
    uint64_t told_bytes = 0;            ///< of a thread, when more than the budget was told of
    uint64_t program_id = 0;            ///< 0: its program has ended
    uint32_t specialisation = 0;        ///< among the kernels of this name
    std::shared_ptr<Lifetime> lifetime;
    std::vector<uint32_t> turns;           ///< by level: passes so far, of the launch under way or the last one
    std::vector<runtime::GraphStep> steps; ///< of a kernel whose tasks depend on flags, or that has `regions`
    std::vector<runtime::Region> regions;  ///< whose sections may run side by side
    std::vector<runtime::FlagExtents> flag_extents; ///< of those flags
    std::vector<uint64_t> counts;
    std::vector<CounterValue> counters; ///< what each count means; `count` is unused here
    uint64_t read_sum = ~uint64_t(0);   ///< of its counts when they were read last
    uint64_t changed = 0;               ///< Retired::readings when that sum was first read
    std::vector<ArrayArg> arrays;       ///< to be checked for overlap at launch, those that are written first; or empty
    uint32_t written_arrays = 0;
    uint32_t arrays_beside_trees = 0; ///< so many of `arrays` are to be checked against field trees too
    std::vector<uint32_t> trees;      ///< slots of those that the kernel uses
    std::vector<Bytes> tree_bytes;    ///< where they lie, in order; filled by the first launch that must know
    /// The kernel's IR as ir::write gives it; kept if another build of it or of a task may be needed.
    std::vector<uint8_t> source;
    std::shared_ptr<Completion> completion; ///< null: counts are asked for, or nothing is counted
    std::shared_ptr<CompiledKernel>
        overlapping; ///< the same kernel for arrays that overlap, compiled when first needed
};

} // namespace qd::engine
