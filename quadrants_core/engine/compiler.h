#pragma once
// The compiler of a program: from the IR of a kernel to a kernel that can be launched. One kernel is compiled at a time, its tasks in
// parallel; background threads add better code later.
#include "autodiff/autodiff.h"
#include "base/fork.h"
#include "engine/kept_code.h"
#include "engine/kernel.h"
#include "engine/lowering.h"
#include "engine/observation.h"
#include "options/options.h"

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace qd::engine {

/// Distinguishes code made by this build, for this machine and these options, from any other; part of every cache key.
runtime::CacheKey build_key_of(const Lowering &lowering);

class Compiler {
  public:
    Compiler(const Options &options, const Lowering &lowering, const runtime::CacheKey &build_key,
             runtime::Device &device, Queues &queues, Observation &observation, KeptCode &kept,
             const std::shared_ptr<Lifetime> &lifetime);
    Compiler(const Compiler &) = delete;
    /// Takes over the options `print_ir`, `print_ir_dbg_info` and `num_compile_threads`.
    void follow(const Options &now);

    std::string target() const { return lowering.caps().target; } ///< the exact machine, e.g. for cache keys
    int lanes() const { return lowering.caps().lanes; }           ///< of a group of threads; 0 if there are no groups
    /// A hash of the options by which programs expect kernels to differ on disk, even if the code does not.
    uint64_t code_options() const { return code_options_; }

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
    /// Waits until every task compiled so far runs its best code and that code is in the cache.
    void settle();

    /// The tasks of a kernel as this program would compile them, as readable text. Nothing is cached, loaded or run.
    std::string show(ir::Function kernel, Form form) const;
    /// The location of a fault, outermost call first; empty if unknown. `kernel` as for `compile`.
    std::vector<Location> locate(const ir::Function &kernel, const KernelFault &fault) const;

    // The rest is for the files of this folder that compile.

    /// Gives a kernel to this program: sets what `launch` and observers need.
    void adopt(CompiledKernel &kernel);
    /// True if the IR of this kernel or task is printed after the pass.
    bool dumps(std::string_view kernel) const;
    bool dumps_after(std::string_view pass) const;
    bool prints_places() const { return print_places_; }
    size_t threads() const { return size_t(threads_.load()); }

    const Options &options;
    const Lowering &lowering;
    runtime::Device &device;
    Observation &observation;
    Observers &observers;
    KeptCode &kept;
    const std::shared_ptr<Lifetime> &lifetime;
    const runtime::CacheKey &build_key;
    const bool host_visible;
    ForkResetMutex
        compiling; ///< held while a kernel is compiled; free in a forked child: the work of a thread that no longer exists is dropped

  private:
    std::shared_ptr<CompiledKernel> compile_here(ir::Function kernel, double frontend_us, std::vector<uint8_t> *image,
                                                 uint64_t variant, const std::string &shown_as);

    const uint64_t code_options_;
    std::atomic<bool> print_ir_{false}, print_places_{false};
    std::atomic<int> threads_{1};
};

} // namespace qd::engine
