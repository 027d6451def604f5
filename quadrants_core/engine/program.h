#pragma once
// The object behind qd.init: the only home of launch state. Destroying it frees everything; handles that outlive it are
// inert and say so. The Jupyter kernel and the Python bindings see the core through this header.
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

/// A compiled kernel: tasks loaded on the device, argument layout, coverage counters. Survives its Program as an inert
/// handle.
class CompiledKernel;
struct GraphRun; ///< a launch that is made in steps: stepping.h
enum class Until : uint8_t;

struct CounterValue {
    ir::Counter::What what;
    Location at;
    uint64_t count = 0;
    uint32_t copy = 0;     ///< ir::Counter::copy; 0 where copies are added up
    uint32_t place = 0;    ///< of a compiled kernel: where its count stands; several may share one
    bool backward = false; ///< of a kernel that works out gradients
};
/// What is asked of a kernel's counters: how often, or whether at all, of lines or also of the transitions between
/// them.
enum class Asked : uint8_t { counts, lines, arcs };
struct KernelFault; ///< thrown by `launch`: fault.h
struct KernelCoverage {
    std::string kernel;
    std::string title;           ///< what it was specialised for, if the kernel was given a title
    uint32_t specialisation = 0; ///< among those of this name, in the order in which they were compiled
    std::vector<CounterValue> counts;
};

/// A file of the cache on disk.
struct KeptFile {
    std::string folder, name;
    std::string kernel;  ///< of a file with code
    std::string problem; ///< why it is not used; empty if it is
    uint64_t bytes = 0;
    uint64_t changed = 0;         ///< nanoseconds since 1970
    bool used = false;            ///< by this program
    std::vector<uint8_t> content; ///< of a record
};

/// One task of a kernel: its stacks, outer loops first, and what its last launch took; `use.entries` is empty before that.
struct TaskMemory {
    std::string task;
    uint32_t line = 0;
    std::vector<abi::Stack> stacks;
    abi::HeapUse use;
    bool running = false; ///< `use` is of the launch that goes on
};
struct KernelMemory {
    std::string kernel;
    uint32_t specialisation = 0;
    uint64_t budget = 0; ///< of one iteration; 0: none
    std::vector<TaskMemory> tasks;
};

/// What a program does at the moment, for who waits for it.
struct Activity {
    enum class Kind : uint8_t { nothing, compiling, running } kind = Kind::nothing;
    std::string kernel, file;
    double seconds = 0; ///< since it began; of a launch, since somebody looked for the first time
    uint32_t tasks = 0; ///< of the kernel; 0: not known yet
    uint32_t done = 0;  ///< of those, compiled or found
    // Of a launch.
    std::string task;    ///< that runs; empty: not known
    uint32_t number = 0; ///< of it, from 1
    uint32_t line = 0;   ///< where it stands
    uint32_t chunks = 0; ///< of its range; 0: not known
    uint32_t chunks_done = 0;
    std::vector<uint32_t> turns; ///< passes so far of the do_whiles around it, the outermost first
};

/// How a task updated shared memory when it was launched last.
struct TaskUpdates {
    std::string task;
    std::string_view how; ///< unlocked, locked, copies, parts or one_thread; empty: it does not, or that is not known
    uint32_t copies = 0;
    uint64_t bytes = 0; ///< of all copies
};
struct KernelUpdates {
    std::string kernel;
    uint32_t specialisation = 0;
    std::vector<TaskUpdates> tasks;
};

/// What `Program::show` gives: the IR of the tasks; what the code generator is given, and makes of it; assembly.
enum class Form : uint8_t { ir, given, intermediate, machine };

class Program {
  public:
    explicit Program(const Options &options); ///< `arch` is the name of a backend
    ~Program();
    Program(const Program &) = delete;

    const Options &options() const;
    /// Options that were changed while the program runs; those of `LiveOptions` act from now on.
    void follow(const Options &now);
    std::string target() const; ///< exact machine, e.g. for cache keys
    int vector_bytes() const;

    // Memory of the device, zeroed. To free no address is nothing.
    runtime::Buffer alloc(uint64_t bytes);
    void free(uint64_t address);
    uint64_t allocated_bytes() const;
    /// Whether buffers have an address for the host.
    bool host_visible() const;
    // Between the host and a buffer, from byte `at` of it on, and between buffers; done when they return. Any thread.
    void upload(const runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes);
    void download(void *to, const runtime::Buffer &from, uint64_t at, uint64_t bytes);
    void copy(const runtime::Buffer &to, const runtime::Buffer &from, uint64_t bytes);
    /// Fills `bytes` with a pattern of `period` bytes, again and again.
    void repeat(const runtime::Buffer &to, const void *pattern, uint64_t period, uint64_t bytes);
    /// Of a device that counts the calls of its verbs: names and numbers.
    std::vector<std::pair<std::string, uint64_t>> device_calls() const;

    // Field trees: one root buffer each; the slot goes into ir::Place::tree and is not reused while in use. A tree with
    // levels that are not dense comes with a place for each of its levels (trees.cpp).
    uint32_t add_tree(uint64_t bytes, std::span<const ir::Place> levels = {});
    void remove_tree(uint32_t slot);
    runtime::Buffer tree_memory(uint32_t slot) const;
    /// An element of a tree with levels that are not dense: its bytes. A cell that does not exist is made for what is
    /// written, and read as zeros.
    void read_element(const ir::Place &place, const int32_t *indices, void *to);
    void write_element(const ir::Place &place, const int32_t *indices, const void *from);
    /// Calls `visit(indices, element)` for each element whose cell exists. It must not remove cells; the address is
    /// good for as long as the call.
    void each_element(const ir::Place &place, const std::function<void(const int32_t *, char *)> &visit);
    /// Removes all cells of the place's last level, and of those below it; of the whole tree if the place has none.
    void remove_cells(const ir::Place &level);
    /// Cells of a pointer or chunks of a dynamic level that ever got memory.
    uint64_t cells_allocated(const ir::Place &level) const;

    /// What works out the derivative of a kernel of the frontend: a kernel for `compile` and its like.
    ir::Function differentiate(ir::Function kernel, autodiff::Companions companions, autodiff::Mode mode,
                               const autodiff::Stacks &stacks) const;
    /// Runs the pipeline, loads what is unchanged, compiles the rest (tasks in parallel). `frontend_us`: time already
    /// spent. `image` gets what `load` needs. Kernels that differ in `variant` alone are two on disk. QD_SHOW_COMPILING
    /// calls it `shown_as`; empty: by its name. Throws Interrupted if Stop was pressed; nothing remains of the kernel then.
    std::shared_ptr<CompiledKernel> compile(ir::Function kernel, double frontend_us,
                                            std::vector<uint8_t> *image = nullptr, uint64_t variant = 0,
                                            const std::string &shown_as = "");
    /// The kernel that an earlier process compiled, from the `image` that it got; null if its code cannot be had.
    std::shared_ptr<CompiledKernel> load(std::span<const uint8_t> image, double before_us);

    /// A hash of the options that programs expect kernels to differ by on disk, whether the code does or not.
    uint64_t code_options() const;
    // Records: bytes kept on disk beside the code, for this build and machine, under a name of any length. `fast`: of a
    // kernel that asked for them by fastcache=True; these are kept whether code is or not.
    bool keeps_records(bool fast = false) const;
    std::vector<uint8_t> load_record(std::span<const uint8_t> name, bool fast = false) const; ///< empty: none
    void store_record(std::span<const uint8_t> name, std::span<const uint8_t> bytes, bool fast = false);
    bool has_record(std::span<const uint8_t> name, bool fast = false) const;
    /// What other programs have a kernel for, by a text that tells it from all others. QD_SHOW_COMPILING calls it
    /// `shown_as`.
    void use_helper(const std::string &name, std::string_view description, const std::string &shown_as);
    /// Has the folder that programs share hold what was compiled so far.
    void publish();
    /// Every file that is kept; `content`: of records, too.
    std::vector<KeptFile> kept_files(bool content) const;

    /// Runs a kernel. `args` is laid out as abi::Kernel says; `ret` has ret_bytes. Returns when the last task is done.
    /// Throws UserError (failed assertion) after the tasks have stopped, KernelFault after a fault; Interrupted if Stop
    /// was pressed.
    void launch(CompiledKernel &kernel, uint64_t *args, void *ret);
    /// The same where all arrays are known to be memory from `alloc`, so that none lies in a field tree.
    void launch_on_own_arrays(CompiledKernel &kernel, uint64_t *args, void *ret);

    /// The same for a kernel with checkpoints that may yield: says from which one on it runs, and is told which yielded.
    void launch_from(CompiledKernel &kernel, uint64_t *args, void *ret, abi::GraphWords &words);

    /// Launches in steps: prepares one, then runs it as far as `until` says. `args` and `ret` are the same for all steps.
    void begin_run(CompiledKernel &kernel, const uint64_t *args, GraphRun &run);
    void advance(GraphRun &run, uint64_t *args, void *ret, Until until);

    /// The place of a fault, outermost call first; empty if it cannot be told. `kernel` as for `compile`.
    std::vector<Location> locate(const ir::Function &kernel, const KernelFault &fault);

    /// The tasks of a kernel as this program would compile them, as text for people. Nothing is cached, loaded or run.
    std::string show(ir::Function kernel, Form form) const;

    void sync();
    /// Waits until every task compiled so far runs its best code and the cache holds it.
    void settle();
    int tasks_on_last_call() const;
    int32_t yielded_on_last_call() const; ///< number of a checkpoint, or -1

    // Observation.
    void subscribe(Observer *observer);
    void unsubscribe(Observer *observer);
    // Sums over all kernels compiled so far, also of kernels since redefined. Tasks that run now have counted what they
    // can tell.
    std::vector<CounterValue> coverage() const; ///< of all kernels, added up by place
    /// Returns the counts of kernels that changed since the reading with number `since`, all if that is 0; and the number of this reading.
    std::pair<uint64_t, std::vector<KernelCoverage>> coverage_by_kernel(uint64_t since = 0) const;
    /// How many kernels were compiled so far, and the sum of all counts: as long as neither grows there is no news.
    std::pair<uint64_t, uint64_t> counted() const;
    void clear_coverage();
    /// What reverse kernels that are alive keep for the way back through their loops, and kept at their last launch.
    /// Without `wait`: nothing while a launch is under way.
    std::vector<KernelMemory> kept_memory(bool wait = true) const;
    /// Of kernels that are alive.
    std::vector<KernelUpdates> last_updates() const;
    /// From any thread. Launches do not notice.
    Activity activity() const;
    Profile &profile(); ///< empty unless Options::kernel_profiler

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

/// What a kernel calls by `id` (an id below 2^59) is the function at `address`.
void add_external(uint64_t id, void *address);

/// Of the counter that kernels read by qd.clock_counter(), in 1/s.
double clock_frequency();

/// By parameter: whether some instruction writes to the array that it is, as far as the IR tells.
std::vector<bool> written_parameters(const ir::Function &kernel);

const abi::Kernel &kernel_info(const CompiledKernel &kernel);
uint32_t kernel_specialisation(const CompiledKernel &kernel); ///< among those of this name
/// What its code is kept under on disk, as 64 digits; empty if nothing is kept.
std::string kernel_key(const CompiledKernel &kernel);
/// What its coverage counters count, task by task; `count` is 0.
const std::vector<CounterValue> &kernel_counters(const CompiledKernel &kernel);

/// Before its first launch: what people call this specialisation, and whether it works out gradients.
void entitle(CompiledKernel &kernel, std::string title, bool backward);
/// Observers hear of launches that exceed it.
void set_stack_budget(CompiledKernel &kernel, uint64_t bytes);

/// Before its first launch. If only yes or no is asked, the kernel runs without counters once they say yes to all.
void ask(CompiledKernel &kernel, Asked asked);

} // namespace qd::engine
