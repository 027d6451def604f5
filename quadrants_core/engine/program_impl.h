#pragma once
// The state of one program, shared by the files of this folder: program.cpp (lifetime, memory, observation), compile.cpp, tiers.cpp
// (background optimisation), completion.cpp, launch.cpp, output.cpp.
#include "base/fork.h"
#include "engine/compiled_kernel.h"
#include "engine/live_options.h"
#include "engine/lowering.h"
#include "engine/program.h"
#include "engine/stream.h"
#include "runtime/disk_cache.h"
#include "runtime/host_memory.h"
#include "runtime/sparse.h"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace qd::engine {

/// The order of counters in reports: file, line, column, kind.
struct CounterOrder {
    bool operator()(const CounterValue &a, const CounterValue &b) const;
};
using Counts = std::set<CounterValue, CounterOrder>;
/// Adds to the entry of the same kind and location.
void add_count(Counts &counts, const CounterValue &value, uint64_t n);

/// The counts of one specialisation, kept by kernel and number.
struct SpecialisationCounts {
    std::string title;
    Counts counts;
    uint64_t changed = 0; ///< Retired::readings at that time
};
/// Kernels that have been destroyed.
struct Retired {
    std::map<std::pair<std::string, uint32_t>, SpecialisationCounts> kernels;
    uint64_t sum = 0;      ///< the total of their counts
    uint64_t readings = 0; ///< readings of counts by kernel so far, plus retired kernels
};

/// The kernel that is being compiled. The holder of the lock sets it.
struct Compilation {
    ForkResetMutex lock;      ///< free in a forked child: the work of a thread that no longer exists is dropped
    std::string kernel, file; ///< empty: none; guarded by watch_lock, as is `since`
    std::chrono::steady_clock::time_point since;
    std::atomic<uint32_t> tasks = 0, done = 0; ///< 0 tasks: not known yet
};

struct Program::Impl : runtime::IsolatedPages {
    Program &program;
    Options options;
    LiveOptions live;
    uint64_t id; ///< of this program within the process, never 0
    std::unique_ptr<runtime::Device> device;
    Lowering lowering;
    std::shared_ptr<Lifetime> lifetime = std::make_shared<Lifetime>();

    bool host_visible = true; ///< runtime::DeviceInfo
    bool runs_on_host = true;

    // Launching. Field trees change only between launches, with `main.launching` held.
    Stream main;
    std::vector<char *> trees;                    ///< root addresses, by slot, as passed to tasks
    std::vector<runtime::Buffer> tree_memory;     ///< by slot
    std::vector<uint64_t> tree_bytes;             ///< size of the root cells, by slot
    runtime::Buffer tree_table;                   ///< `trees` for a device that cannot read the host's memory
    std::unique_ptr<runtime::SparseTrees> sparse; ///< null: all trees are dense

    Compilation compiling;       ///< one kernel at a time, its tasks in parallel
    runtime::CacheKey build_key; ///< the shared part of every task's key: target, options, build of this library
    uint64_t code_options;       ///< Program::code_options
    ForkLockedMutex tasks_lock;
    std::unordered_map<runtime::CacheKey, std::shared_ptr<TaskCode>, runtime::CacheKeyHash> tasks;
    std::shared_ptr<runtime::DiskCache> disk; ///< null: no cache

    // Memory.
    mutable ForkLockedMutex memory_lock;
    struct Block {
        runtime::Buffer buffer;
        uint64_t bytes;
    };
    std::unordered_map<uint64_t, Block> blocks; ///< by address
    uint64_t allocated = 0;
    std::vector<runtime::Buffer> retired_memory; ///< freed while pending launches may still use it
    runtime::Buffer take_memory(uint64_t bytes);
    ForkResetMutex transferring;
    std::unique_ptr<runtime::Stream> transfers; ///< for Program::upload and similar functions; created on first use

    // Observation.
    mutable ForkLockedMutex watch_lock;
    std::vector<Observer *> observers;
    std::atomic<bool> watched{false}; ///< launches are announced to observers, or timed
    Profile profile;
    std::vector<CompiledKernel *> kernels;         ///< live kernels; guarded by watch_lock
    const KernelTask *task_with_adstack = nullptr; ///< the running task with an adstack; guarded by watch_lock
    Retired retired;
    uint64_t adopted = 0;                                      ///< kernels compiled so far
    std::unordered_map<std::string, uint32_t> specialisations; ///< by kernel: number compiled

    std::atomic<uint64_t> cleared{0}; ///< how often the counts were cleared

    Impl(Program &p, const Options &o);
    ~Impl();

    /// Called after `trees`, `sparse` or the stream's `tmp` changed.
    void update_launch_start();
    /// Waits for pending launches, and throws their first error.
    void wait_for_launches();
    /// Frees the memory that was released while launches were pending.
    void free_retired();
    /// Frees the memory of removed cells.
    void collect_cells();
    /// Runs `verbs` on the transfer stream, and waits for them.
    template <class F> void transfer(F &&verbs) {
        const std::lock_guard guard(transferring);
        if (!transfers) transfers = device->open_stream();
        verbs(*transfers);
        transfers->wait();
    }
    void announce(const CompileReport &report);
    /// True if IR is printed during compilation; then no kernel comes from the cache on disk.
    bool dumps() const { return live.print_ir || !options.dump.empty(); }
    /// True if each task is timed.
    bool times_tasks() const { return live.profile || live.timeline; }
    void note_time(std::string_view kernel, std::string_view task, double microseconds);
    /// Called after an input of `watched` changed; the caller holds `watch_lock`.
    void update_watched();
    void warn(const std::string &text);
    /// Writes the output of kernels and dumps: to the observers, or to the C stdout if none takes it.
    void write(std::string_view text);
    /// Finds code by the key of the task it was compiled from; null if there is none.
    std::shared_ptr<TaskCode> known_task(const runtime::CacheKey &key);
    /// Returns the code to use: another thread may have added its own first.
    std::shared_ptr<TaskCode> keep_task(const runtime::CacheKey &key, std::shared_ptr<TaskCode> code);
    void adopt(CompiledKernel &kernel);
    void retire(CompiledKernel &kernel);
    std::vector<Location> locate(const ir::Function &kernel, const KernelFault &fault);
    /// Asks the running task, if it can report, to add the counts it has so far.
    void ask_for_counts();
    /// Fetches the coverage counters of pending asynchronous launches, if the host does not see the memory of the device.
    void fetch_counts();
};

/// Blocks the launches of the stream while another operation runs.
struct BetweenLaunches {
    std::lock_guard<LaunchLock> guard;
    explicit BetweenLaunches(Stream &stream) : guard(stream.launching) {
        __atomic_store_n(&stream.now.host.task, nullptr, __ATOMIC_RELAXED);
    }
};

/// Sets `run` and `launch` of a kernel whose other members are set.
void choose_launch(const Program::Impl &p, CompiledKernel &kernel);

/// Called after a task with an adstack: records its heap use.
void note_heap_use(Program::Impl &p, CompiledKernel &kernel, const KernelTask &task);
/// Prints heap use for QD_DEBUG_ADSTACK.
void print_heap_use(const CompiledKernel &kernel, size_t task);

/// At the end of a launch: reports how many rate-limited messages were suppressed.
void report_suppressed_messages(Program::Impl &p);

/// After a task was asked to stop: throws the reason.
[[noreturn]] void fail_launch(Program::Impl &p);

std::shared_ptr<CompiledKernel> compile(Program::Impl &p, ir::Function kernel, double frontend_us,
                                        std::vector<uint8_t> *image = nullptr, uint64_t variant = 0,
                                        const std::string &shown_as = "");
/// Prints the line of QD_SHOW_COMPILING.
void print_compiling(Program::Impl &p, const std::string &kernel);

// Called by running tasks (abi::HostServices).
void print_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values);
void fail_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values);
char *reserve_from_task(const abi::Launch *launch, abi::Thread *thread, uint64_t bytes, uint32_t stack);

} // namespace qd::engine
