#pragma once
// The launches of a program: the streams of its device, with the state of the launches on each. A stream is locked by one launch at a time,
// or by a thread that waits for launches; `Stream::launching` is the lock.
#include "base/fork.h"
#include "base/stop.h"
#include "engine/kernel.h"
#include "engine/observers.h"
#include "engine/stream.h"
#include "runtime/sparse.h"

#include <mutex>
#include <vector>

namespace qd::engine {

class DeviceMemory;
struct GraphRun; ///< a launch that runs in steps: stepping.h
enum class Until : uint8_t;
struct KernelFault; ///< thrown by `launch`: fault.h

class Queues {
  public:
    Queues(runtime::Device &device, const runtime::DeviceInfo &info, Observers &observers, uint64_t program_id);
    ~Queues();
    Queues(const Queues &) = delete;

    /// Runs a kernel. The caller writes the arguments of `launch`, laid out as abi::Kernel describes, and nothing else in it; `ret` has
    /// ret_bytes. Returns when the last task is done, unless
    /// the device runs launches later (launches.md). Throws UserError (failed assertion) after the tasks have stopped, KernelFault after a
    /// fault, and Interrupted if Stop was pressed. `own_arrays`: all arrays are known to be memory of this program, so that none overlaps a
    /// field tree. `words`, for a kernel with checkpoints that may yield, says at which checkpoint to resume, and receives which one
    /// yielded.
    void launch(CompiledKernel &kernel, abi::Launch &launch, void *ret, bool own_arrays = false,
                abi::GraphWords *words = nullptr);
    /// Launches in steps: `begin_run` prepares a launch, `advance` runs it as far as `until` says. the arguments and `ret` are the same for all
    /// steps.
    void begin_run(CompiledKernel &kernel, const uint64_t *args, GraphRun &run);
    void advance(GraphRun &run, abi::Launch &launch, void *ret, Until until);

    /// Waits for pending launches, and throws their first error.
    void wait();
    bool has_pending() const { return main.has_pending; }
    int tasks_on_last_call() const { return main.last_tasks; }
    int32_t yielded_on_last_call() const { return main.last_yielded; } ///< number of a checkpoint, or -1

    /// Sets what tasks know of field trees; the caller holds the lock of `main`. `roots`: their addresses, readable by tasks.
    void use_trees(char *const *roots, runtime::SparseTrees *sparse);

    // The rest is for the files of this folder that run launches. A caller holds the lock of `main`.

    /// Frees the memory of removed cells.
    void collect_cells();
    /// Makes `tmp` hold so many bytes.
    void grow_tmp(uint64_t bytes);

    runtime::Device &device;
    Observers &observers;
    const uint64_t program_id; ///< of the program within the process, never 0
    const int threads;         ///< runtime::DeviceInfo
    const bool host_visible;
    const bool runs_on_host;
    Stream main;
    runtime::SparseTrees *sparse = nullptr; ///< of the program's trees; null: all are dense
    DeviceMemory *memory = nullptr;         ///< of the program; null while none exists
};

/// Blocks the launches of the stream while another operation runs.
struct BetweenLaunches {
    std::lock_guard<LaunchLock> guard;
    explicit BetweenLaunches(Stream &stream) : guard(stream.launching) {
        __atomic_store_n(&stream.task, nullptr, __ATOMIC_RELAXED);
    }
};

/// Sets `run` and `launch` of a kernel whose other members are set.
void choose_launch(bool host_visible, CompiledKernel &kernel);

/// Called after a task with an adstack: records its heap use.
void note_heap_use(Queues &queues, CompiledKernel &kernel, const KernelTask &task);

/// Prints heap use for QD_DEBUG_ADSTACK.
void print_heap_use(const CompiledKernel &kernel, size_t task);

/// At the end of a launch: reports how many rate-limited messages were suppressed.
void report_suppressed_messages(Queues &queues);

/// After a task was asked to stop: throws the reason.
[[noreturn]] void fail_launch(Queues &queues);

// Called by running tasks (abi::HostServices).
void print_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values);
void fail_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values);
char *reserve_from_task(const abi::Launch *launch, abi::Thread *thread, uint64_t bytes, uint32_t stack);

} // namespace qd::engine
