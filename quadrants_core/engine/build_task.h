#pragma once
// Builds one task: description, passes, emission, cache on disk, loading.
#include "engine/compiler.h"
#include "engine/tiers.h"

#include <optional>

namespace qd::engine {

struct TaskBuild {
    std::optional<ir::Function> fn; ///< as offload made it; none in a kernel that is loaded; moved out by build_task
    runtime::CacheKey key{};
    abi::Task info;
    uint64_t tmp_bytes = 0;
    std::vector<CounterValue> counters;
    TaskReport report;
    abi::Binary binary;
    std::shared_ptr<TaskCode> code;     ///< null until the task can run
    std::unique_ptr<OptimiseJob> later; ///< set if the task is to be optimised in the background
};

/// Describes a task: name, messages with their locations, weight.
TaskBuild start_build(ir::Function task);
/// Sets abi::Task::runs_in_order for sections that share a local which one of them may change.
void mark_ordered_sections(std::span<TaskBuild> tasks);
/// Fills `key`, and the hash in `info`, from the task as offload made it and the build key that all code of this build shares.
void name_by_content(const runtime::CacheKey &build_key, TaskBuild &build);
/// The disk cache key of a kernel whose IR is not available, or of a subset of its tasks.
runtime::KernelKey key_of_tasks(std::span<const runtime::CacheKey> tasks);
/// Fills `code` from the cache on disk. `kernel` may hold the code, which is then moved out of it. Returns false if it is not there.
bool load_from_disk(Compiler &c, TaskBuild &build, runtime::CachedKernel *kernel);
/// Runs the passes and emits code. May be called from any thread.
void build_task(Compiler &c, TaskBuild &build);
/// Loads `binary` on the device.
void load_code(Compiler &c, TaskBuild &build);

/// Puts the tasks of a kernel together once all have code. Moves `info` out of each build.
void assemble(Compiler &c, CompiledKernel &out, std::vector<TaskBuild> &builds);

/// The location of the kernel's first instruction that has one.
Location first_location(const ir::Function &fn);

/// Warns about names in QD_DUMP that are not passes.
void warn_of_unknown_passes(Compiler &c);

/// Records a phase of compiling `of` (a kernel or task) that ends now: in the report, and in the timeline if there is one.
void note_phase(Observers &observers, std::vector<PhaseTime> &phases, std::string_view phase, std::string_view of,
                double microseconds);

/// Times passes, and writes dumps if the options ask for them.
class PassRecorder : public passes::Observer {
  public:
    PassRecorder(Compiler &c, std::string_view name, std::vector<PhaseTime> &phases);
    void after(const passes::Pass &pass, const ir::Function &fn, bool changed, double microseconds) override;

  private:
    Compiler &compiler_;
    std::string name_;
    std::vector<PhaseTime> &phases_;
    bool dumps_;
};

} // namespace qd::engine
