#pragma once
// One task on its way to code: description, passes, emission, cache on disk, loading.
#include "engine/program_impl.h"
#include "engine/tiers.h"

namespace qd::engine {

struct TaskBuild {
    ir::Function fn; ///< as offload made it; used up by build_task
    runtime::CacheKey key{};
    abi::Task info;
    uint64_t tmp_bytes = 0;
    std::vector<CounterValue> counters;
    TaskReport report;
    abi::Binary binary;
    std::shared_ptr<TaskCode> code;     ///< once it can run
    std::unique_ptr<OptimiseJob> later; ///< to be compiled well afterwards
};

/// Describes a task: name, messages with their places, weight.
TaskBuild start_build(ir::Function task);
/// Sets abi::Task::in_turn of sections of which one may change a local that another one uses.
void keep_turns(std::span<TaskBuild> tasks);
/// Fills `key`, and the hash in `info`: the task as offload made it, and what made all code of this build.
void name_by_content(const runtime::CacheKey &build_key, TaskBuild &build);
/// On disk, of a kernel whose IR is not at hand, or of some of its tasks.
runtime::KernelKey key_of_tasks(std::span<const runtime::CacheKey> tasks);
/// Fills `code` from the cache on disk, where `kernel` may hold it, which gives it away; false if it is not there.
bool load_from_disk(Program::Impl &p, TaskBuild &build, runtime::KeptKernel *kernel);
/// Passes and emission; any thread.
void build_task(Program::Impl &p, TaskBuild &build);
/// Loads `binary` on the device.
void load_code(Program::Impl &p, TaskBuild &build);

/// Puts the tasks of a kernel together once all have code. Moves `info` out of each.
void assemble(Program::Impl &p, CompiledKernel &out, std::vector<TaskBuild> &builds);

/// Place of a kernel's first instruction that has one.
Location first_location(const ir::Function &fn);

/// Warns of names in QD_DUMP that no pass has.
void warn_of_unknown_passes(Program::Impl &p);

/// A phase of compiling `of`, a kernel or task, that ends now: into the report, and into the timeline if there is one.
void note_phase(Program::Impl &p, std::vector<PhaseTime> &phases, std::string_view phase, std::string_view of,
                double microseconds);

/// Times passes, and writes dumps where the options ask for them.
class PassRecorder : public passes::Observer {
  public:
    PassRecorder(Program::Impl &p, std::string_view name, std::vector<PhaseTime> &phases);
    void after(const passes::Pass &pass, const ir::Function &fn, bool changed, double microseconds) override;

  private:
    Program::Impl &program_;
    std::string name_;
    std::vector<PhaseTime> &phases_;
    bool dumps_;
};

} // namespace qd::engine
