#include "engine/completion.h"

#include "base/bytes.h"
#include "base/stack.h"
#include "base/stop.h"
#include "engine/background.h"
#include "engine/build_task.h"
#include "engine/program.h"
#include "engine/shared_code.h"
#include "engine/weight.h"
#include "ir/serial.h"

#include <compare>
#include <map>

namespace qd::engine {
namespace {

using What = ir::Counter::What;

/// The source construct that a counter counts; static copies share one.
struct Place {
    std::string file;
    uint32_t line = 0, column = 0;
    What what = What::line;
    friend auto operator<=>(const Place &, const Place &) = default;
};
using Copies = std::vector<uint32_t>; ///< indices of the counts of one place

std::map<Place, Copies> by_place(const std::vector<CounterValue> &counters) {
    std::map<Place, Copies> places;
    for (const CounterValue &counter : counters) {
        const Location &at = counter.at;
        places[{at.file, at.line, at.column, counter.what}].push_back(counter.place);
    }
    return places;
}

/// The breaks that leave each loop. A break belongs to the last preceding loop that is still open, as determined by Python's indentation.
std::map<Place, Copies> by_loop(const std::map<Place, Copies> &places) {
    std::map<Place, Copies> breaks;
    std::vector<Place> open;
    for (const auto &[place, copies] : places) {
        while (!open.empty() && (open.back().file != place.file || open.back().column >= place.column)) open.pop_back();
        if (place.what == What::finished || place.what == What::endless) open.push_back(place);
        if (place.what != What::broken || open.empty()) continue;
        Copies &all = breaks[open.back()];
        all.insert(all.end(), copies.begin(), copies.end());
    }
    return breaks;
}

bool is_asked(What what, CoverageKind kind) {
    switch (what) {
    case What::line: return true;
    case What::taken:
    case What::not_taken:
    case What::finished: return kind == CoverageKind::arcs;
    case What::entered:
    case What::zero_trips:
    case What::broken:
    case What::endless: return false;
    }
    return false;
}

/// A pending clean build, with everything it needs of its program.
struct CleanJob {
    abi::Kernel info; ///< of the counting kernel, without tasks
    std::vector<uint8_t> source;
    std::shared_ptr<CleanBuild> build;
    Lowering lowering;
    runtime::CacheKey build_key;
    std::shared_ptr<Lifetime> lifetime;
    std::shared_ptr<runtime::DiskCache> disk;

    /// `clean`: the kernel's IR without counters, if a version of a task with locks may be needed.
    std::vector<TaskBuild> cut(std::vector<uint8_t> &clean) const;
    void provide(TaskBuild &task) const;
    bool publish(std::vector<TaskBuild> &tasks, std::vector<uint8_t> clean) const;
    void run() const;
};

std::vector<TaskBuild> CleanJob::cut(std::vector<uint8_t> &clean) const {
    Reader bytes(source);
    ir::Function kernel = ir::read(bytes);
    std::vector<TaskBuild> tasks;
    with_stack(stack_for(kernel), [&] {
        passes::drop_counts(kernel);
        clean = source_of_locks(kernel);
        for (ir::Function &task : lowering.tasks(kernel)) {
            tasks.push_back(start_build(std::move(task)));
            name_by_content(build_key, tasks.back());
        }
    });
    return tasks;
}

/// Fills `binary`, from disk or by compiling.
void CleanJob::provide(TaskBuild &task) const {
    if (auto cached = disk ? disk->load_task(task.key) : std::nullopt) {
        task.info.weight = cached->weight;
        task.binary = std::move(cached->binary);
        return;
    }
    ir::Function &fn = *task.fn;
    with_stack(stack_for(fn), [&] {
        lowering.lower(fn);
        task.info.weight = weight_after(task.info.weight, fn);
        task.binary = lowering.emit(fn, backends::Tier::best);
    });
    if (disk) disk->keep_task(task.key, task.info.weight, task.binary);
}

/// Returns false if the program has ended.
bool CleanJob::publish(std::vector<TaskBuild> &tasks, std::vector<uint8_t> clean) const {
    return with_program(*lifetime, [&](Program &program) {
        Compiler &compiler = program.compiler();
        for (TaskBuild &task : tasks) {
            if (!task.code) task.code = compiler.kept.known_task(task.key);
            if (task.code) continue;
            load_code(compiler, task);
            task.code = compiler.kept.keep_task(task.key, task.code);
        }
        auto kernel = std::make_shared<CompiledKernel>();
        kernel->info = info;
        kernel->source = std::move(clean);
        assemble(compiler, *kernel, tasks);
        build->kernel = std::move(kernel);
        build->state.store(CleanBuild::State::ready, std::memory_order_release);
    });
}

void CleanJob::run() const {
    try {
        std::vector<uint8_t> clean;
        std::vector<TaskBuild> tasks = cut(clean);
        const bool alive = with_program(*lifetime, [&](Program &program) {
            for (TaskBuild &task : tasks) task.code = program.kept_code().known_task(task.key);
        });
        if (!alive) return;
        for (TaskBuild &task : tasks)
            if (!task.code) provide(task);
        std::vector<runtime::CacheKey> keys;
        for (const TaskBuild &task : tasks) keys.push_back(task.key);
        publish(tasks, std::move(clean));
        if (disk) disk->use_kernel(key_of_tasks(keys), info.name, keys, nullptr);
    } catch (const Interrupted &) {
        build->state = CleanBuild::State::none; // Stop was pressed: a later launch asks again
    } catch (const std::exception &error) {
        build->state = CleanBuild::State::failed;
        const std::string problem = error.what();
        with_program(*lifetime, [&](Program &program) {
            program.observers().warn("kernel " + info.name + " keeps counting: " + problem);
        });
    }
}

} // namespace

Completion::Completion(const CompiledKernel &kernel, CoverageKind kind) : kind_(kind) {
    const std::map<Place, Copies> places = by_place(kernel.counters);
    const std::map<Place, Copies> breaks = by_loop(places);
    for (const auto &[place, copies] : places) {
        if (!is_asked(place.what, kind)) continue;
        const auto left = breaks.find(place);
        conditions_.push_back({copies, left == breaks.end() ? Copies{} : left->second});
    }
}

bool Completion::is_met(const Condition &condition, const std::vector<uint64_t> &counts) const {
    uint64_t plus = 0, minus = 0;
    for (const uint32_t i : condition.plus) plus += __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
    for (const uint32_t i : condition.minus) minus += __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
    return plus > minus;
}

CompiledKernel *Completion::clean(uint64_t cleared) {
    if (cleared != cleared_) {
        cleared_ = cleared;
        met_ = 0;
        left_ = 0;
    }
    if (met_ < conditions_.size() || left_) return nullptr;
    const bool ready = build_->state.load(std::memory_order_acquire) == CleanBuild::State::ready;
    return ready ? build_->kernel.get() : nullptr;
}

void Completion::end(const CompiledKernel &kernel) {
    left_ -= kind_ == CoverageKind::arcs;
    while (met_ < conditions_.size() && is_met(conditions_[met_], kernel.counts)) met_++;
    if (met_ < conditions_.size() || left_) return;
    CleanBuild::State expected = CleanBuild::State::none;
    if (!build_->state.compare_exchange_strong(expected, CleanBuild::State::wanted)) return;
    const Compiler &compiler = kernel.lifetime->program->compiler();
    abi::Kernel info = kernel.info;
    info.tasks.clear();
    auto job = std::make_shared<CleanJob>(CleanJob{std::move(info), kernel.source, build_, compiler.lowering,
                                                   compiler.build_key, compiler.lifetime, compiler.kept.disk()});
    in_background(compiler.lifetime, [job] { job->run(); });
}

} // namespace qd::engine
