#pragma once
// The state of one program, shared by the files of this folder: program.cpp (life, memory, observation), compile.cpp,
// tiers.cpp (optimising in the background), completion.cpp, launch.cpp, output.cpp.
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

/// Order of counters in reports: file, line, column, kind.
struct CounterOrder {
    bool operator()(const CounterValue &a, const CounterValue &b) const;
};
using Counts = std::set<CounterValue, CounterOrder>;
/// Adds to the entry of the same kind and place.
void add_count(Counts &counts, const CounterValue &value, uint64_t n);

/// What specialisations counted, by kernel and number.
struct Apart {
    std::string title;
    Counts counts;
    uint64_t changed = 0; ///< Retired::readings by then
};
/// Kernels that are gone.
struct Retired {
    std::map<std::pair<std::string, uint32_t>, Apart> kernels;
    uint64_t sum = 0;      ///< of all their counts
    uint64_t readings = 0; ///< of counts by kernel so far, and kernels that went
};

/// The kernel that is being compiled, by who holds the lock.
struct Compilation {
    LongMutex lock;           ///< free in a forked child: what was compiled for a thread that is gone is dropped
    std::string kernel, file; ///< empty: none; guarded by watch_lock, as is `since`
    std::chrono::steady_clock::time_point since;
    std::atomic<uint32_t> tasks = 0, done = 0; ///< 0 tasks: that is not known yet
};

struct Program::Impl : runtime::Apart {
    Program &program;
    Options options;
    LiveOptions live;
    uint64_t id; ///< of this program within the process, never 0
    std::unique_ptr<runtime::Device> device;
    Lowering lowering;
    std::shared_ptr<Lifetime> lifetime = std::make_shared<Lifetime>();

    bool host_visible = true; ///< runtime::DeviceInfo
    bool runs_on_host = true;

    // Launching. Field trees change while no launch is under way: with `main.launching` held.
    Stream main;
    std::vector<char *> trees;                    ///< root addresses, by slot, as tasks know them
    std::vector<runtime::Buffer> tree_memory;     ///< by slot
    std::vector<uint64_t> tree_bytes;             ///< of the root cells, by slot
    runtime::Buffer tree_table;                   ///< `trees` for a device that does not read the host's memory
    std::unique_ptr<runtime::SparseTrees> sparse; ///< null: all trees are dense

    Compilation compiling;       ///< one kernel at a time, its tasks in parallel
    runtime::CacheKey build_key; ///< what every task's key has in common: target, options, build of this library
    uint64_t code_options;       ///< Program::code_options
    BriefMutex tasks_lock;
    std::unordered_map<runtime::CacheKey, std::shared_ptr<TaskCode>, runtime::CacheKeyHash> tasks;
    std::shared_ptr<runtime::DiskCache> disk; ///< null: no cache

    // Memory.
    mutable BriefMutex memory_lock;
    struct Block {
        runtime::Buffer buffer;
        uint64_t bytes;
    };
    std::unordered_map<uint64_t, Block> blocks; ///< by address
    uint64_t allocated = 0;
    std::vector<runtime::Buffer> retired_memory; ///< freed while launches went on that may use it
    runtime::Buffer take_memory(uint64_t bytes);
    LongMutex transferring;
    std::unique_ptr<runtime::Stream> transfers; ///< of Program::upload and its kind; made when first needed

    // Observation.
    mutable BriefMutex watch_lock;
    std::vector<Observer *> observers;
    std::atomic<bool> watched{false}; ///< launches are announced to observers, or measured
    Profile profile;
    std::vector<CompiledKernel *> kernels; ///< alive; guarded by watch_lock
    const KernelTask *keeping = nullptr;   ///< with stacks, and running; guarded by watch_lock
    Retired retired;
    uint64_t adopted = 0;                                      ///< kernels compiled so far
    std::unordered_map<std::string, uint32_t> specialisations; ///< by kernel: how many were compiled

    std::atomic<uint64_t> cleared{0}; ///< how often the counts were forgotten

    Impl(Program &p, const Options &o);
    ~Impl();

    /// After `trees`, `sparse` or the stream's `tmp` changed.
    void update_launch_start();
    /// Waits for launches that go on, and throws what went wrong in them.
    void wait_for_launches();
    /// Gives the memory back that was freed while launches went on.
    void free_retired();
    /// Gives the memory of removed cells back.
    void collect_cells();
    /// `verbs` on the stream of transfers, and waits for them.
    template <class F> void transfer(F &&verbs) {
        const std::lock_guard guard(transferring);
        if (!transfers) transfers = device->open_stream();
        verbs(*transfers);
        transfers->wait();
    }
    void announce(const CompileReport &report);
    /// Whether IR is printed while kernels are compiled: then they all are.
    bool dumps() const { return live.print_ir || !options.dump.empty(); }
    /// Whether each task is timed.
    bool times_tasks() const { return live.profile || live.timeline; }
    void note_time(std::string_view kernel, std::string_view task, double microseconds);
    /// After what it depends on changed; with `watch_lock` held.
    void update_watched();
    void warn(const std::string &text);
    /// Text of kernels and dumps: to the observers, or to the C stdout if there is none.
    void write(std::string_view text);
    /// Code by what it was made from; null if there is none.
    std::shared_ptr<TaskCode> known_task(const runtime::CacheKey &key);
    /// The code to use: another thread may have brought its own first.
    std::shared_ptr<TaskCode> keep_task(const runtime::CacheKey &key, std::shared_ptr<TaskCode> code);
    void adopt(CompiledKernel &kernel);
    void retire(CompiledKernel &kernel);
    std::vector<Location> locate(const ir::Function &kernel, const KernelFault &fault);
    /// Has the running task, if there is one that can tell, add what it counted so far.
    void ask_for_counts();
    /// What launches counted that may go on, where the host does not see the memory of the device.
    void bring_counts();
};

/// Holds the launches of the stream back for something else.
struct BetweenLaunches {
    std::lock_guard<LaunchLock> guard;
    explicit BetweenLaunches(Stream &stream) : guard(stream.launching) {
        __atomic_store_n(&stream.now.host.task, nullptr, __ATOMIC_RELAXED);
    }
};

/// After a task that has ended: what it took of the heaps, if it has stacks.
void note_heap_use(Program::Impl &p, CompiledKernel &kernel, const KernelTask &task);
/// QD_DEBUG_ADSTACK
void tell_heap_use(const CompiledKernel &kernel, size_t task);

/// At the end of a launch: what its limited messages had to say beyond their limit.
void tell_remarks(Program::Impl &p);

/// After a task that was told to leave: why.
[[noreturn]] void fail_launch(Program::Impl &p);

std::shared_ptr<CompiledKernel> compile(Program::Impl &p, ir::Function kernel, double frontend_us,
                                        std::vector<uint8_t> *image = nullptr, uint64_t variant = 0,
                                        const std::string &shown_as = "");
/// QD_SHOW_COMPILING
void tell_of_compiling(Program::Impl &p, const std::string &kernel);

// Called by running tasks (abi::HostServices).
void print_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values);
void fail_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values);
char *reserve_from_task(const abi::Launch *launch, abi::Thread *thread, uint64_t bytes, uint32_t stack);

} // namespace qd::engine
