// Compiles a kernel's IR to code ready to run: passes on the whole kernel, the split into tasks, then a lookup of each task by content in
// this program and on disk. Missing tasks are built in parallel. One kernel is compiled at a time.
#include "base/bytes.h"
#include "base/stack.h"
#include "base/stop.h"
#include "engine/build_task.h"
#include "engine/claims.h"
#include "engine/image.h"
#include "engine/overlap.h"
#include "engine/compiler.h"
#include "engine/queues.h"
#include "engine/shared_code.h"
#include "engine/stopwatch.h"
#include "engine/weight.h"
#include "ir/graph.h"
#include "ir/hash.h"
#include "ir/serial.h"
#include "runtime/pool.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace qd::engine {
namespace {

/// Keeps the IR if another build of the kernel may be needed.
void keep_source(const ir::Function &kernel, CompiledKernel &out) {
    if (out.arrays.empty() && kernel.counters.empty()) {
        out.source = source_of_locks(kernel);
        return;
    }
    Writer source;
    ir::write(source, kernel);
    out.source = std::move(source.bytes);
}

abi::Graph describe_graph(const ir::Function &kernel) {
    static_assert(ir::Subgraph::no_flag == abi::no_flag);
    abi::Graph graph;
    if (kernel.subgraphs.empty()) return graph;
    ir::GraphWalk walk(kernel);
    for (ir::Value v : kernel[kernel.body].insts) {
        const int32_t around = walk.position().level;
        walk.pass(v);
        if (kernel[v].op != ir::Op::graph_begin) continue;
        const ir::Subgraph &subgraph = kernel.subgraphs[kernel[v].imm];
        switch (subgraph.kind) {
        case ir::Subgraph::Kind::do_while: graph.levels.push_back({subgraph.flag, around}); break;
        case ir::Subgraph::Kind::checkpoint: graph.checkpoints.push_back({subgraph.flag, around}); break;
        case ir::Subgraph::Kind::region:
        case ir::Subgraph::Kind::section: break;
        }
    }
    return graph;
}

abi::Kernel describe(const ir::Function &kernel) {
    abi::Kernel info;
    info.name = kernel.name;
    for (ir::Value v : kernel.params) {
        const ir::Type type = kernel.type(v);
        abi::Param param;
        param.kind = type.is_array() ? abi::ParamKind::array : abi::ParamKind::scalar;
        param.type = abi::ScalarCode(type.elem);
        param.ndim = type.ndim;
        param.rows = type.rows;
        param.cols = type.cols;
        param.slot = info.slots;
        info.slots += abi::argument_slots(type.is_array(), type.ndim);
        info.params.push_back(param);
    }
    info.ret_bytes = 8 * kernel.returns.size();
    info.graph = describe_graph(kernel);
    return info;
}

/// Builds the missing tasks, limited by the number of cores, tasks and compile threads. Throws the first failure in task order.
void build_all(Compiler &c, const std::vector<TaskBuild *> &missing) {
    std::vector<std::exception_ptr> errors(missing.size());
    std::atomic<size_t> next{0};
    auto work = [&] {
        for (size_t i; (i = next++) < missing.size();) {
            try {
                build_task(c, *missing[i]);
                c.observation.task_compiled();
            } catch (...) {
                errors[i] = std::current_exception();
            }
        }
    };
    std::vector<std::thread> helpers;
    const size_t threads = std::min({missing.size(), size_t(runtime::usable_cores()), c.threads()});
    try {
        for (size_t i = 1; i < threads; i++) helpers.emplace_back(work);
    } catch (const std::system_error &) { // no more threads available: the existing ones do the work
    }
    work();
    for (std::thread &helper : helpers) helper.join();
    for (const std::exception_ptr &error : errors)
        if (error) std::rethrow_exception(error);
}

/// The key of a kernel's code on disk: a hash of everything that the code may depend on, even where the IR does not show it.
runtime::KernelKey key_of(const Compiler &c, const ir::Function &kernel, uint64_t variant) {
    const ir::Hash content = ir::content_hash(kernel);
    Writer w;
    w.number(content.words);
    w.number(c.build_key);
    w.number(variant);
    w.number(c.code_options());
    for (const bool flag : {kernel.fast_math, kernel.debug, kernel.distinct_arrays}) w.number(flag);
    w.number(kernel.compile_flags);
    return spread(w.bytes);
}

/// Finds or builds the code of every task; fills `code` and `report` of each.
void provide_code(Compiler &c, const CompiledKernel &kernel, std::vector<TaskBuild> &builds,
                  const std::string &shown_as) {
    std::vector<TaskBuild *> missing;
    std::vector<runtime::CacheKey> tasks;
    std::unique_ptr<runtime::CachedKernel> kept;
    std::unordered_map<runtime::CacheKey, TaskBuild *, runtime::CacheKeyHash> first_of;
    for (TaskBuild &build : builds) {
        poll_stop();
        name_by_content(c.build_key, build);
        tasks.push_back(build.key);
        if ((build.code = c.kept.known_task(build.key))) {
            build.report.origin = TaskOrigin::memory;
        } else if (first_of.emplace(build.key, &build).second) {
            if (!kept && c.kept.disk() && missing.empty()) kept = c.kept.disk()->load_kernel(kernel.key);
            if (!load_from_disk(c, build, kept.get())) missing.push_back(&build);
        }
    }
    const auto claim = claim_kernel(c, kernel.key, missing, kept);
    if (!missing.empty()) c.observers.show_compiling(shown_as);
    c.observation.compile_tasks(builds.size(), builds.size() - missing.size());
    build_all(c, missing);
    for (TaskBuild &build : builds) {
        const auto first = first_of.find(build.key);
        if (first == first_of.end()) continue; // known before
        if (first->second != &build) {
            build.code = first->second->code;
            build.report.origin = TaskOrigin::memory;
            continue;
        }
        if (!build.code) load_code(c, build);
        build.code = c.kept.keep_task(build.key, build.code);
        if (build.later) optimise_later(std::move(*build.later), claim);
    }
    if (c.kept.disk()) c.kept.disk()->use_kernel(kernel.key, kernel.info.name, tasks, kept.get());
}

/// Shows the kernel to observers as being compiled for the lifetime of this object.
class ShownCompiling {
  public:
    ShownCompiling(Observation &observation, const CompileReport &report) : observation_(observation) {
        observation_.begin_compiling(report.kernel, report.file);
    }
    ~ShownCompiling() { observation_.end_compiling(); }
    ShownCompiling(const ShownCompiling &) = delete;

  private:
    Observation &observation_;
};

} // namespace

void assemble(Compiler &c, CompiledKernel &out, std::vector<TaskBuild> &builds) {
    out.info.tasks.reserve(builds.size());
    for (TaskBuild &build : builds) {
        out.info.tmp_bytes = std::max(out.info.tmp_bytes, build.tmp_bytes);
        const uint32_t first = uint32_t(out.counters.size());
        for (CounterValue &counter : build.counters) {
            out.counters.push_back(counter);
            out.counters.back().place += first;
        }
        build.info.weight = build.code->weight;
        build.info.range = build.code->range;
        QD_CHECK(!c.lowering.caps().bounds_from_tasks || build.info.kind == abi::TaskKind::serial ||
                     build.info.range.factors || build.info.range_at != abi::Task::computed,
                 "task " + build.info.name + " has a range that only its code can find");
        build.info.slots = out.info.slots;
        out.has_side_effects |= build.info.has_side_effects;
        out.has_adstack |= !build.info.stacks.empty();
        out.has_limited_messages |= std::ranges::any_of(build.info.messages, &abi::Message::limited);
        out.info.tasks.push_back(std::move(build.info));
    }
    out.info.counters = uint32_t(out.counters.size());
    if (out.has_adstack) out.heap_use.resize(builds.size());
    if (c.host_visible) out.regions = runtime::regions_side_by_side(out.info);
    if (!out.regions.empty() && c.device.info().threads == 1) out.regions.clear();
    out.passes.resize(out.info.graph.levels.size());
    const bool follows_flags = runtime::has_flags(out.info.graph);
    if (follows_flags) out.flag_extents = runtime::flag_extents(out.info);
    if (follows_flags || !out.regions.empty()) out.steps = runtime::graph_steps(out.info, out.regions);
    choose_launch(c.host_visible, out);
    out.counts.assign(out.counters.size(), 0);
    uint64_t *counters = out.counts.data();
    for (size_t i = 0; i < builds.size(); i++) {
        out.tasks.push_back({c.lifetime->program, &out, &out.info.tasks[i], builds[i].code, counters});
        counters += builds[i].counters.size();
    }
}

std::shared_ptr<CompiledKernel> Compiler::compile(ir::Function kernel, double frontend_us, std::vector<uint8_t> *image,
                                                  uint64_t variant, const std::string &shown_as) {
    std::shared_ptr<CompiledKernel> made;
    with_stack(stack_for(kernel),
               [&] { made = compile_here(std::move(kernel), frontend_us, image, variant, shown_as); });
    return made;
}

std::shared_ptr<CompiledKernel> Compiler::compile_here(ir::Function kernel, double frontend_us,
                                                       std::vector<uint8_t> *image, uint64_t variant,
                                                       const std::string &shown_as) {
    const std::lock_guard guard(compiling);
    poll_stop();
    const Stopwatch total;
    CompileReport report;
    report.kernel = kernel.name;
    if (frontend_us > 0) note_phase(observers, report.phases, "frontend", kernel.name, frontend_us);
    if (const auto at = first_location(kernel); at.line) {
        report.file = at.file;
        report.line = at.line;
    }

    const ShownCompiling shown(observation, report);
    auto out = std::make_shared<CompiledKernel>();
    out->info = describe(kernel);
    out->file = report.file;
    size_t arrays = 0;
    for (const abi::Param &param : out->info.params) arrays += param.kind == abi::ParamKind::array;
    kernel.distinct_arrays &= arrays <= max_checked_arrays;
    plan_overlap_check(kernel, *out);
    keep_source(kernel, *out);
    out->key = key_of(*this, kernel, variant);
    poll_stop();
    PassRecorder recorder(*this, kernel.name, report.phases);
    lowering.simplify(kernel, &recorder);
    poll_stop();
    const Stopwatch cutting;
    std::vector<TaskBuild> builds;
    for (ir::Function &task : lowering.cut(kernel)) {
        poll_stop();
        builds.push_back(start_build(std::move(task)));
    }
    mark_ordered_sections(builds);
    note_phase(observers, report.phases, "offload", kernel.name, cutting.microseconds());

    provide_code(*this, *out, builds, shown_as.empty() ? out->info.name : shown_as);
    assemble(*this, *out, builds);
    adopt(*out);
    if (image) *image = image_of(*out, report, builds);
    for (TaskBuild &build : builds) report.tasks.push_back(std::move(build.report));
    report.microseconds = frontend_us + total.microseconds();
    observers.announce(report);
    return out;
}

} // namespace qd::engine
