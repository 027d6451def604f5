#pragma once
// Runs a compiled task on the threads of the host: reads its range, decides whether waking the pool pays, cuts chunks. A device that
// computes on the host owns a launcher and forwards `Device::launch` to it.
#include "abi/abi.h"
#include "runtime/chunks.h"
#include "runtime/device.h"
#include "runtime/float_mode.h"
#include "runtime/pool.h"
#include "runtime/private_copies.h"
#include "runtime/thread_heap.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace qd::runtime {

/// One build of a task's code.
struct TaskEntry {
    abi::Body body = nullptr;
    std::vector<abi::Accumulation> accumulations;
    abi::Updates updates;
    bool is_plain = false; ///< a range task without updates and without a required order
    Subnormals subnormals = Subnormals::flushed;
    bool depends_on_subnormals = true; ///< its results may differ in the other mode
    /// The last launch: `how`, 8 bits; the number of copies, 16; their bytes.
    mutable std::atomic<uint64_t> updated{0};
    /// For code that needs one thread or copies: the same task with locks. Null: not compiled yet.
    std::atomic<const std::atomic<const TaskEntry *> *> locked{nullptr};

    void note(UpdateMode::How how, uint64_t copies = 0, uint64_t bytes = 0) const {
        if (updates.any) updated.store(uint64_t(how) | copies << 8 | bytes << 24, std::memory_order_relaxed);
    }
    UpdateMode last() const {
        const uint64_t word = updated.load(std::memory_order_relaxed);
        return {UpdateMode::How(word & 0xff), uint32_t(word >> 8 & 0xffff), word >> 24};
    }

    /// True if threads with copies for one may run the other.
    bool accumulates_like(const TaskEntry &other) const;
};

struct Job;
struct HostTask;

class Launcher {
  public:
    using NeedLocks = void (*)(const abi::Launch &); ///< DeviceOptions
    /// `threads` 0: all cores. `block_dim`: for loops that have none of their own; 0: chunks are chosen by cost.
    explicit Launcher(int threads, uint32_t block_dim = 0, NeedLocks need_locks = nullptr);
    ~Launcher();
    Launcher(const Launcher &) = delete;

    int threads() const { return pool_->threads(); }
    /// The state of one thread, 0 = the caller; the device seeds its generator.
    abi::Thread &thread(int index) { return states_[size_t(index)]; }
    /// Returns when the last chunk is done, or soon after `launch.stream.stop` or `launch.stream.failed` is set. Only one thread at a time may
    /// call it. Throws Fault (faults.h); `launch.stream.failed` may then be set. `entry` is read again for each chunk. `bounds`: used
    /// if the task has no known range.
    void run(const abi::Task &task, const std::atomic<const TaskEntry *> &entry, abi::Bounds bounds,
             abi::Launch &launch);
    /// Runs tasks of sections that may run concurrently: runtime/sections.h.
    double run_sections(std::span<const HostTask> tasks, const abi::Launch &launch);
    /// Seeds the random numbers of tasks with a fixed order.
    void draw_from(uint64_t seed) { draws_ = {seed, 0}; }
    /// The use of the thread heaps by tasks since the last call.
    abi::HeapUse take_heap_use();
    /// The same for the running task, from any thread.
    abi::HeapUse heap_use_so_far() const;
    /// The progress of the running task, from any thread. For a task that Stop has ended: its progress at that point, reported once.
    Progress progress_so_far() const;

    /// State of one thread.
    struct alignas(64) State : abi::Thread {
        ThreadHeap memory{*this, host_chunks()};
        /// Chunks that this thread skipped in a task that Stop ended, and the task's total; kept until they are read.
        mutable std::atomic<uint32_t> left_out{0}, of{0};
    };
    static_assert(sizeof(State) % 64 == 0); // no two threads write to the same cache line

  private:
    std::shared_ptr<Pool> pool_;
    uint32_t block_dim_;
    const NeedLocks need_locks_;
    const bool shares_all_loops_; ///< QD_SHARE_LITTLE: loops of any length go to the pool
    std::vector<State> states_;
    PrivateCopies copies_;
    struct Draws {
        uint64_t seed = 0;
        uint32_t launches = 0; ///< number of launches of tasks with a fixed order
    } draws_;
    friend struct Job;
    void run_in_order(const abi::Task &task, const std::atomic<const TaskEntry *> &entry, abi::Bounds bounds,
                      abi::Launch &launch);
    void run_chunks(Job &job);
    void run_in_copies(Job &job, uint32_t chunks);
    void run_with_locks(Job &job);
    /// On destruction, merges the copies into the arrays, including updates from before Stop, a failed assertion or a fault.
    struct Merge {
        Launcher &launcher;
        ~Merge();
    };
};

} // namespace qd::runtime
