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

/// One task of a kernel: its stacks, outer loops first, and what its last launch took; `use.entries` is empty before that.
struct TaskMemory {
    std::string task;
    uint32_t line = 0;
    std::vector<abi::Stack> stacks;
    abi::HeapUse use;
};
struct KernelMemory {
    std::string kernel;
    uint32_t specialisation = 0;
    std::vector<TaskMemory> tasks;
};

/// What `Program::show` gives: the IR of the tasks; what the code generator is given; assembly.
enum class Form : uint8_t { ir, intermediate, machine };

class Program {
  public:
    explicit Program(const Options &options); ///< `arch` is the name of a backend
    ~Program();
    Program(const Program &) = delete;

    const Options &options() const;
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
    /// spent. `image` gets what `load` needs. Throws Interrupted if Stop was pressed; nothing remains of the kernel
    /// then.
    std::shared_ptr<CompiledKernel> compile(ir::Function kernel, double frontend_us,
                                            std::vector<uint8_t> *image = nullptr);
    /// The kernel that an earlier process compiled, from the `image` that it got; null if its code cannot be had.
    std::shared_ptr<CompiledKernel> load(std::span<const uint8_t> image, double before_us);

    // Records: bytes kept on disk beside the code, for this build and machine, under a name of any length.
    bool keeps_records() const;
    std::vector<uint8_t> load_record(std::span<const uint8_t> name) const; ///< empty: none
    void store_record(std::span<const uint8_t> name, std::span<const uint8_t> bytes);

    /// Runs a kernel. `args` is laid out as abi::Kernel says; `ret` has ret_bytes. Returns when the last task is done.
    /// Throws UserError (failed assertion) after the tasks have stopped, KernelFault after a fault; Interrupted if Stop
    /// was pressed.
    void launch(CompiledKernel &kernel, uint64_t *args, void *ret);
    /// The same where all arrays are known to be memory from `alloc`, so that none lies in a field tree.
    void launch_on_own_arrays(CompiledKernel &kernel, uint64_t *args, void *ret);

    /// The same for a kernel with checkpoints that may yield: says from which one on it runs, and is told which yielded.
    void launch_from(CompiledKernel &kernel, uint64_t *args, void *ret, abi::GraphWords &words);

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
    std::vector<KernelCoverage> coverage_by_kernel() const;
    /// How many kernels were compiled so far, and the sum of all counts: as long as neither grows there is no news.
    std::pair<uint64_t, uint64_t> counted() const;
    void clear_coverage();
    /// What reverse kernels that are alive keep for the way back through their loops, and kept at their last launch.
    std::vector<KernelMemory> kept_memory() const;
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
/// What its coverage counters count, task by task; `count` is 0.
const std::vector<CounterValue> &kernel_counters(const CompiledKernel &kernel);

/// Before its first launch: what people call this specialisation, and whether it works out gradients.
void entitle(CompiledKernel &kernel, std::string title, bool backward);

/// Before its first launch. If only yes or no is asked, the kernel runs without counters once they say yes to all.
void ask(CompiledKernel &kernel, Asked asked);

} // namespace qd::engine
