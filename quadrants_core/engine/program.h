#pragma once
// The object behind qd.init, which owns all launch state. Destroying it frees everything; handles that outlive it are inert and report an
// error when used. The Jupyter kernel and the Python bindings access the core through this header.
#include "abi/abi.h"
#include "autodiff/autodiff.h"
#include "base/error.h"
#include "base/stop.h"
#include "engine/observer.h"
#include "engine/profile.h"
#include "ir/function.h"
#include "options/options.h"
#include "runtime/buffer.h"

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace qd::engine {

/// A compiled kernel: tasks loaded on the device, argument layout, coverage counters. Outlives its Program as an inert handle.
class CompiledKernel;
struct GraphRun; ///< a launch that runs in steps: stepping.h
enum class Until : uint8_t;

struct CounterValue {
    ir::Counter::What what;
    Location at;
    uint64_t count = 0;
    uint32_t copy = 0;     ///< ir::Counter::copy; 0 where copies are summed
    uint32_t place = 0;    ///< for a compiled kernel: index of its count; several counters may share one
    bool backward = false; ///< belongs to a kernel that computes gradients
};
/// The information asked of a kernel's counters: exact counts, or only whether each line ran, or also whether each transition between lines
/// did.
enum class CoverageKind : uint8_t { counts, lines, arcs };
struct KernelFault; ///< thrown by `launch`: fault.h
struct KernelCoverage {
    std::string kernel;
    std::string title;           ///< what it was specialised for, if the kernel has a title
    uint32_t specialisation = 0; ///< number among those of this name, in compilation order
    std::vector<CounterValue> counts;
};

/// A file of the cache on disk.
struct CachedFile {
    std::string folder, name;
    std::string kernel;  ///< for a file with code
    std::string problem; ///< why it is not used; empty if it is
    uint64_t bytes = 0;
    uint64_t changed = 0;         ///< nanoseconds since 1970
    bool used = false;            ///< whether this program uses it
    std::vector<uint8_t> content; ///< for a record
};

/// The stacks of one task, outer loops first, and the memory use of its last launch; before that, `use.entries` is empty.
struct TaskMemory {
    std::string task;
    uint32_t line = 0;
    std::vector<abi::Stack> stacks;
    abi::HeapUse use;
    bool running = false; ///< `use` belongs to the current launch
};
struct KernelMemory {
    std::string kernel;
    uint32_t specialisation = 0;
    uint64_t budget = 0; ///< bytes for one iteration; 0: no limit
    std::vector<TaskMemory> tasks;
};

/// The current activity of a program, for a user who waits for it.
struct Activity {
    enum class Kind : uint8_t { nothing, compiling, running } kind = Kind::nothing;
    std::string kernel, file;
    double seconds = 0; ///< since it began; for a launch, since it was first observed
    uint32_t tasks = 0; ///< of the kernel; 0: not known yet
    uint32_t done = 0;  ///< tasks compiled or found so far
    // The rest describes a launch.
    std::string task;    ///< the running task; empty: not known
    uint32_t number = 0; ///< its number, from 1
    uint32_t line = 0;   ///< its source line
    uint32_t chunks = 0; ///< chunks of its range; 0: not known
    uint32_t chunks_done = 0;
    std::vector<uint32_t> passes; ///< passes so far of the enclosing do_whiles, outermost first
};

/// The way in which a task updated shared memory in its last launch.
struct TaskUpdates {
    std::string task;
    std::string_view how; ///< unlocked, locked, copies, parts or one_thread; empty: no updates, or not known
    uint32_t copies = 0;
    uint64_t bytes = 0; ///< total over all copies
};
struct KernelUpdates {
    std::string kernel;
    uint32_t specialisation = 0;
    std::vector<TaskUpdates> tasks;
};

/// The output of `Program::show`: the IR of the tasks; the code generator's input; its output; assembly.
enum class Form : uint8_t { ir, given, intermediate, machine };

class Program {
  public:
    explicit Program(const Options &options); ///< `arch` is the name of a backend
    ~Program();
    Program(const Program &) = delete;

    const Options &options() const;
    /// Takes over options that changed while the program runs; those of `LiveOptions` take effect from now on.
    void follow(const Options &now);
    std::string target() const; ///< the exact machine, e.g. for cache keys
    int lanes() const;          ///< of a group of threads; 0 if there are no groups

    // Device memory, zeroed. Freeing address 0 does nothing.
    runtime::Buffer alloc(uint64_t bytes);
    void free(uint64_t address);
    uint64_t allocated_bytes() const;
    /// True if buffers have an address for the host.
    bool host_visible() const;
    // Transfers between the host and a buffer, from byte `at` of it on, and between buffers; complete on return. Callable from any thread.
    void upload(const runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes);
    void download(void *to, const runtime::Buffer &from, uint64_t at, uint64_t bytes);
    void copy(const runtime::Buffer &to, const runtime::Buffer &from, uint64_t bytes);
    /// Fills `bytes` with a repeated pattern of `period` bytes.
    void repeat(const runtime::Buffer &to, const void *pattern, uint64_t period, uint64_t bytes);
    /// Names and numbers, for a device that counts the calls of its methods.
    std::vector<std::pair<std::string, uint64_t>> device_calls() const;

    // Field trees have one root buffer each. The slot goes into ir::Place::tree and is not reused while in use. A tree with levels that are
    // not dense comes with a place for each of its levels (trees.cpp).
    uint32_t add_tree(uint64_t bytes, std::span<const ir::Place> levels = {});
    void remove_tree(uint32_t slot);
    runtime::Buffer tree_memory(uint32_t slot) const;
    /// Read and write the bytes of one element of a tree with levels that are not dense. Writing creates a missing cell; reading one
    /// gives zeros.
    void read_element(const ir::Place &place, const int32_t *indices, void *to);
    void write_element(const ir::Place &place, const int32_t *indices, const void *from);
    /// Calls `visit(indices, element)` for each element whose cell exists. `visit` must not remove cells; the address is valid only during
    /// the call.
    void each_element(const ir::Place &place, const std::function<void(const int32_t *, char *)> &visit);
    /// Removes all cells of the place's last level and of the levels below it, or of the whole tree if the place has no levels.
    void remove_cells(const ir::Place &level);
    /// The number of cells of a pointer level, or chunks of a dynamic level, that ever got memory.
    uint64_t cells_allocated(const ir::Place &level) const;

    /// Returns the kernel that computes the derivative of a frontend kernel, ready for `compile` and similar functions.
    ir::Function differentiate(ir::Function kernel, autodiff::Companions companions, autodiff::Mode mode,
                               const autodiff::Stacks &stacks) const;
    /// Runs the pipeline, loads unchanged code, compiles the rest (tasks in parallel). `frontend_us`: time already spent. `image` receives
    /// the input of `load`. Kernels that differ only in `variant` have separate entries on disk. QD_SHOW_COMPILING names the kernel
    /// `shown_as`, or by its own name if that is empty. Throws Interrupted if Stop was pressed; nothing remains of the kernel then.
    std::shared_ptr<CompiledKernel> compile(ir::Function kernel, double frontend_us,
                                            std::vector<uint8_t> *image = nullptr, uint64_t variant = 0,
                                            const std::string &shown_as = "");
    /// The kernel that an earlier process compiled, restored from its `image`; null if its code is not available.
    std::shared_ptr<CompiledKernel> load(std::span<const uint8_t> image, double before_us);

    /// A hash of the options by which programs expect kernels to differ on disk, even if the code does not.
    uint64_t code_options() const;
    // Records are bytes stored on disk next to the code, for this build and machine, under a name of any length. `fast`: the record belongs
    // to a kernel with fastcache=True, and is stored even if code is not.
    bool caches_entries(bool fast = false) const;
    std::vector<uint8_t> load_entry(std::span<const uint8_t> name, bool fast = false) const; ///< empty: none
    void store_entry(std::span<const uint8_t> name, std::span<const uint8_t> bytes, bool fast = false);
    bool has_entry(std::span<const uint8_t> name, bool fast = false) const;
    /// Notes the use of a helper, such as an element reader, for which other implementations compile a kernel; `description` identifies it
    /// uniquely. QD_SHOW_COMPILING names it `shown_as`.
    void use_helper(const std::string &name, std::string_view description, const std::string &shown_as);
    /// Makes everything compiled so far available in the folder that programs share.
    void publish();
    /// Lists every file in the cache; with `content`, also the bytes of records.
    std::vector<CachedFile> kept_files(bool content) const;

    /// Runs a kernel. `args` is laid out as abi::Kernel describes; `ret` has ret_bytes. Returns when the last task is done. Throws
    /// UserError (failed assertion) after the tasks have stopped, KernelFault after a fault, and Interrupted if Stop was pressed.
    /// `own_arrays`: all arrays are known to be memory from `alloc`, so that none overlaps a field tree. `words`, for a kernel with
    /// checkpoints that may yield, says at which checkpoint to resume, and receives which one yielded.
    void launch(CompiledKernel &kernel, uint64_t *args, void *ret, bool own_arrays = false,
                abi::GraphWords *words = nullptr);

    /// Launches in steps: `begin_run` prepares a launch, `advance` runs it as far as `until` says. `args` and `ret` are the same for all
    /// steps.
    void begin_run(CompiledKernel &kernel, const uint64_t *args, GraphRun &run);
    void advance(GraphRun &run, uint64_t *args, void *ret, Until until);

    /// The location of a fault, outermost call first; empty if unknown. `kernel` as for `compile`.
    std::vector<Location> locate(const ir::Function &kernel, const KernelFault &fault);

    /// The tasks of a kernel as this program would compile them, as readable text. Nothing is cached, loaded or run.
    std::string show(ir::Function kernel, Form form) const;

    void sync();
    /// Waits until every task compiled so far runs its best code and that code is in the cache.
    void settle();
    int tasks_on_last_call() const;
    int32_t yielded_on_last_call() const; ///< number of a checkpoint, or -1

    // Observation.
    void subscribe(Observer *observer);
    void unsubscribe(Observer *observer);
    // Sums over all kernels compiled so far, including redefined ones. Running tasks have added the counts that they can report.
    std::vector<CounterValue> coverage() const; ///< of all kernels, summed by location
    /// Returns the counts of kernels that changed since the reading with number `since`, all if that is 0; and the number of this reading.
    std::pair<uint64_t, std::vector<KernelCoverage>> coverage_by_kernel(uint64_t since = 0) const;
    /// The number of kernels compiled so far, and the sum of all counts: as long as neither grows, nothing has changed.
    std::pair<uint64_t, uint64_t> counted() const;
    void clear_coverage();
    /// The memory that the adstacks of live reverse-mode kernels use, as of their last launch. Without `wait`, the call does not wait for a
    /// launch in progress.
    std::vector<KernelMemory> adstack_memory(bool wait = true) const;
    /// Covers the kernels that are alive.
    std::vector<KernelUpdates> last_updates() const;
    /// May be called from any thread, without affecting launches.
    Activity activity() const;
    Profile &profile(); ///< empty unless Options::kernel_profiler

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

/// Registers the function at `address` as the one that kernels call by `id` (below 2^59).
void add_external(uint64_t id, void *address);

/// The frequency of the counter that kernels read by qd.clock_counter(), in Hz.
double clock_frequency();

/// For each parameter: true if it is an array to which some instruction writes, as far as the IR shows.
std::vector<bool> written_parameters(const ir::Function &kernel);

const abi::Kernel &kernel_info(const CompiledKernel &kernel);
uint32_t kernel_specialisation(const CompiledKernel &kernel); ///< number among those of this name
/// The cache key of its code on disk, as 64 digits; empty if nothing is stored.
std::string kernel_key(const CompiledKernel &kernel);
/// The meaning of its coverage counters, task by task; `count` is 0.
const std::vector<CounterValue> &kernel_counters(const CompiledKernel &kernel);

/// Before its first launch: sets the displayed name of this specialisation, and whether it computes gradients.
void set_title(CompiledKernel &kernel, std::string title, bool backward);
/// Observers are notified of launches that exceed it.
void set_stack_budget(CompiledKernel &kernel, uint64_t bytes);

/// Before its first launch. Unless counts are asked for, the kernel runs without counters once they have confirmed everything.
void ask_for_coverage(CompiledKernel &kernel, CoverageKind kind);

} // namespace qd::engine
