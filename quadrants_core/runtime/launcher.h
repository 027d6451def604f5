#pragma once
// Runs a compiled task on the threads of the host: reads its range, decides whether waking the pool pays, cuts chunks.
// A device that computes on the host owns one and forwards `Device::launch` to it.
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
    bool is_plain = false; ///< of a range, without updates and with no order that is asked for
    Subnormals subnormals = Subnormals::flushed;
    bool minds_subnormals = true; ///< its results may differ in the other mode
    /// Of the last launch: `how`, 8 bits; the number of copies, 16; their bytes.
    mutable std::atomic<uint64_t> updated{0};
    /// Of code that needs one thread, or copies: the same task with locks. Null: it was not made yet.
    std::atomic<const std::atomic<const TaskEntry *> *> locked{nullptr};

    void note(Updated::How how, uint64_t copies = 0, uint64_t bytes = 0) const {
        if (updates.any) updated.store(uint64_t(how) | copies << 8 | bytes << 24, std::memory_order_relaxed);
    }
    Updated last() const {
        const uint64_t word = updated.load(std::memory_order_relaxed);
        return {Updated::How(word & 0xff), uint32_t(word >> 8 & 0xffff), word >> 24};
    }

    /// Threads that have copies for the one may run the other.
    bool accumulates_like(const TaskEntry &other) const;
};

struct Job;
struct HostTask;

class Launcher {
  public:
    using NeedLocks = void (*)(const abi::Launch &); ///< DeviceOptions
    /// `threads` 0: all cores. `block_dim`: of loops that have none of their own; 0: chunks as they pay.
    explicit Launcher(int threads, uint32_t block_dim = 0, NeedLocks need_locks = nullptr);
    ~Launcher();
    Launcher(const Launcher &) = delete;

    int threads() const { return pool_->threads(); }
    /// State of one thread, 0 = the caller; the device seeds its generator.
    abi::Thread &thread(int index) { return states_[size_t(index)]; }
    /// Returns when the last chunk is done, or soon after `launch.data.stop` or `launch.data.failed` is set. Not to be
    /// called by two threads at once. Throws Fault (faults.h); `launch.data.failed` may be set then. `entry` is read
    /// anew for each chunk.
    void run(const abi::Task &task, const std::atomic<const TaskEntry *> &entry, const Bounds &bounds,
             abi::Launch &launch);
    /// Tasks of sections that may run side by side: runtime/sections.h.
    double run_sections(std::span<const HostTask> tasks, const abi::Launch &launch);
    /// Where the random numbers of tasks with a fixed order begin.
    void draw_from(uint64_t seed) { draws_ = {seed, 0}; }
    /// What tasks took of the heaps of the threads since the last time.
    abi::HeapUse take_heap_use();
    /// The same of the task that runs, from any thread.
    abi::HeapUse heap_use_so_far() const;
    /// Returns how much of the running task is done, from any thread; of one that Stop has ended, how much was: once.
    Share share_so_far() const;

    /// Of one thread.
    struct alignas(64) State : abi::Thread {
        ThreadHeap memory{*this, host_chunks()};
        /// Chunks of a task that Stop ended which this thread did not begin, and how many the task has; kept until they are read.
        mutable std::atomic<uint32_t> left_out{0}, of{0};
    };
    static_assert(sizeof(State) % 64 == 0); // no two threads write to one line

  private:
    std::shared_ptr<Pool> pool_;
    uint32_t block_dim_;
    const NeedLocks need_locks_;
    const bool shares_little_; ///< QD_SHARE_LITTLE: loops of any length go to the pool
    std::vector<State> states_;
    PrivateCopies copies_;
    struct Draws {
        uint64_t seed = 0;
        uint32_t launches = 0; ///< of tasks with a fixed order, so far
    } draws_;
    friend struct Job;
    void run_in_order(const abi::Task &task, const std::atomic<const TaskEntry *> &entry, const Bounds &bounds,
                      abi::Launch &launch);
    void run_chunks(Job &job);
    void run_in_copies(Job &job, uint32_t chunks);
    void run_with_locks(Job &job);
    /// In the end, what is in copies comes to the arrays: also what was done before Stop, a failed assertion or a fault.
    struct Merge {
        Launcher &launcher;
        ~Merge();
    };
};

} // namespace qd::runtime
