#include "engine/build_task.h"

#include "analysis/lanes.h"
#include "base/bytes.h"
#include "base/stack.h"
#include "engine/emit.h"
#include "engine/stopwatch.h"
#include "engine/timeline.h"
#include "engine/warm_up.h"
#include "engine/weight.h"
#include "ir/hash.h"
#include "ir/text.h"

#include <algorithm>
#include <map>
#include <optional>

namespace qd::engine {
namespace {

std::string text_of(std::span<const Location> trace) {
    std::string text;
    for (const Location &call : trace) {
        if (!text.empty()) text += '\n';
        for (const uint32_t number : {call.line, call.column, call.end_line == call.line ? call.end_column : 0})
            text += std::to_string(number) + ' ';
        text += call.scope + ' ' + call.file;
    }
    return text;
}

/// Fills a message from the instruction that prints it.
void describe_message(const ir::Function &fn, ir::Value v, abi::Message &out) {
    const ir::Inst &inst = fn[v];
    const auto values = fn.args(v).subspan(inst.op == ir::Op::assert_ ? 1 : 0);
    out.limited = fn.messages[inst.imm].limited;
    for (const ir::Message::Piece &piece : fn.messages[inst.imm].pieces) {
        const ir::Type type = piece.value >= 0 ? fn.type(values[size_t(piece.value)]) : ir::Type();
        out.pieces.push_back({piece.text, piece.value, abi::ScalarCode(type.elem)});
    }
    auto trace = fn.trace(inst.span);
    if (trace.empty()) return;
    const Location at = trace.back();
    trace.pop_back();
    out.file = at.file;
    out.scope = at.scope;
    out.line = at.line;
    out.column = at.column;
    out.end_column = at.end_column;
    out.trace = text_of(trace);
}

std::vector<abi::Message> describe_messages(const ir::Function &fn) {
    std::vector<abi::Message> out(fn.messages.size());
    std::vector<bool> done(out.size());
    for (const ir::Block &block : fn.blocks) {
        for (ir::Value v : block.insts) {
            const ir::Inst &inst = fn[v];
            if (ir::info(inst.op).imm != ir::Imm::message) continue;
            if (done[inst.imm]) continue;
            done[inst.imm] = true;
            describe_message(fn, v, out[inst.imm]);
        }
    }
    return out;
}

/// Appends the stacks inside a block, in program order. A frame without stacks of its own but with stacks deeper inside gets one without
/// entries.
void describe_stacks(const ir::Function &task, ir::BlockId block, uint32_t frame, uint32_t depth, uint32_t &frames,
                     std::vector<abi::Stack> &out) {
    for (ir::Value v : task[block].insts) {
        const ir::Inst &in = task[v];
        if (in.op == ir::Op::reserve) {
            abi::Stack stack{
                .number = ir::stack_of(in), .entry_bytes = ir::entry_bytes(in), .frame = frame, .depth = depth};
            if (const auto trace = task.trace(in.span); !trace.empty()) {
                stack.loop_line = trace.back().line;
                stack.loop = text_of(trace);
            }
            out.push_back(std::move(stack));
        } else if (in.op == ir::Op::stack) {
            const auto stack = std::ranges::find(out, ir::stack_of(in), &abi::Stack::number);
            if (stack == out.end() || stack->line) continue;
            stack->type = abi::ScalarCode(in.type.elem);
            const auto trace = task.trace(in.span);
            if (trace.empty()) continue;
            const Location &at = trace.back();
            stack->file = at.file;
            stack->line = at.line;
            stack->column = at.column;
            stack->end_line = at.end_line;
            stack->end_column = at.end_column;
        }
        const bool is_level = in.op == ir::Op::for_ && task.loops[in.imm].heap_persists;
        const bool is_frame = in.op == ir::Op::for_ && !is_level;
        const uint32_t inside = is_frame ? ++frames : is_level ? frame + abi::next_level : frame;
        const size_t mark = out.size();
        for (ir::BlockId inner : in.blocks)
            if (inner) describe_stacks(task, inner, inside, depth + is_frame, frames, out);
        if (out.size() > mark && is_frame && out[mark].frame != inside)
            out.insert(out.begin() + ptrdiff_t(mark), {.number = UINT32_MAX, .frame = inside, .depth = depth + 1});
    }
}

} // namespace

Location first_location(const ir::Function &fn) {
    for (ir::Value v : fn[fn.body].insts)
        if (const auto trace = fn.trace(fn[v].span); !trace.empty() && trace.front().line) return trace.front();
    return {};
}

/// The location of the first statement of a serial task, skipping the counts of the loop before it and the pure instructions
/// that compute them.
static Location place_of_serial(const ir::Function &task) {
    for (ir::Value v : task[task.body].insts) {
        const ir::Op op = task[v].op;
        if (op == ir::Op::count || ir::info(op).effect == ir::Effect::pure) continue;
        if (const auto trace = task.trace(task[v].span); !trace.empty() && trace.front().line) return trace.front();
    }
    return first_location(task);
}

TaskBuild start_build(ir::Function task) {
    TaskBuild build;
    abi::Task &info = build.info;
    info.name = task.name;
    info.kind = task.role == ir::Role::range_task ? abi::TaskKind::range : abi::TaskKind::serial;
    info.weight = weight(task);
    info.line = place_of_serial(task).line;
    info.block_dim = analysis::block_dim(task);
    if (info.kind == abi::TaskKind::range)
        for (ir::Value v : task[task.body].insts)
            if (task[v].op == ir::Op::parallel)
                if (const auto trace = task.trace(task[v].span); !trace.empty()) info.line = trace.front().line;
    info.messages = describe_messages(task);
    for (const ir::Block &block : task.blocks)
        for (ir::Value v : block.insts) {
            const ir::Op op = task[v].op;
            info.has_side_effects |= op == ir::Op::print || op == ir::Op::assert_ || op == ir::Op::external;
            info.runs_in_order |= op == ir::Op::random || op == ir::Op::thread_index;
        }
    static_assert(ir::Function::none == abi::Task::computed);
    uint32_t frames = 0;
    describe_stacks(task, task.body, 0, 0, frames, info.stacks);
    info.range_at = task.range_at;
    info.graph = {task.graph.level, task.graph.checkpoint, task.graph.region, task.graph.section};
    build.tmp_bytes = task.tmp_bytes;
    for (uint32_t i = 0; i < task.counters.size(); i++) {
        const ir::Counter &counter = task.counters[i];
        const auto trace = task.trace(counter.span);
        build.counters.push_back({counter.what, trace.empty() ? Location{} : trace.back(), 0, counter.copy,
                                  counter.shares() ? counter.count_of : i});
    }
    build.report.name = info.name;
    build.report.line = info.line;
    build.fn = std::move(task);
    return build;
}

void mark_ordered_sections(std::span<TaskBuild> tasks) {
    struct Use {
        int32_t section = 0;
        bool shared = false, changed = false;
    };
    std::map<std::pair<int32_t, uint64_t>, Use> uses; // by region and place in the tmp buffer
    const auto each_use = [](const TaskBuild &build, const auto &visit) {
        const ir::Function &task = *build.fn;
        const auto is_place = [&](ir::Value v) { return task[v].op == ir::Op::tmp; };
        for (const ir::Block &block : task.blocks)
            for (ir::Value v : block.insts) {
                if (is_place(v)) visit(task[v].imm, false);
                if (task[v].op == ir::Op::load) continue;
                for (ir::Value used : task.args(v))
                    if (is_place(used)) visit(task[used].imm, true);
            }
    };
    for (const TaskBuild &build : tasks) {
        const abi::GraphPosition &at = build.info.graph;
        if (at.region < 0) continue;
        each_use(build, [&](uint64_t place, bool changes) {
            Use &use = uses.try_emplace({at.region, place}, Use{at.section}).first->second;
            use.shared |= use.section != at.section;
            use.changed |= changes;
        });
    }
    for (TaskBuild &build : tasks)
        each_use(build, [&](uint64_t place, bool) {
            const auto use = uses.find({build.info.graph.region, place});
            if (use != uses.end()) build.info.runs_in_order |= use->second.shared && use->second.changed;
        });
}

void name_by_content(const runtime::CacheKey &build_key, TaskBuild &build) {
    ir::Function &task = *build.fn;
    // Equal code under another name, or elsewhere in a graph, is equal.
    std::string name = std::exchange(task.name, {});
    const ir::GraphPosition graph = std::exchange(task.graph, {});
    const bool in_region = graph.region >= 0; // code in a region depends on what may run concurrently
    const ir::Hash content = ir::content_hash(task);
    task.name = std::move(name);
    task.graph = graph;
    const uint64_t words[] = {content.words[0], content.words[1], build_key[0], build_key[1],
                              uint64_t(task.fast_math) | uint64_t(task.debug) << 1 |
                                  uint64_t(task.distinct_arrays) << 2 | uint64_t(in_region) << 3 |
                                  uint64_t(task.compile_flags) << 8};
    const std::span bytes(reinterpret_cast<const uint8_t *>(words), sizeof words);
    build.key = {hash_bytes(bytes, 3), hash_bytes(bytes, 4)};
    build.info.hash[0] = build.key[0];
    build.info.hash[1] = build.key[1];
}

runtime::KernelKey key_of_tasks(std::span<const runtime::CacheKey> tasks) {
    return spread({reinterpret_cast<const uint8_t *>(tasks.data()), tasks.size() * sizeof(runtime::CacheKey)});
}

bool load_from_disk(Compiler &c, TaskBuild &build, runtime::CachedKernel *kernel) {
    if (!c.kept.reads_disk()) return false;
    const Stopwatch reading;
    runtime::CachedTask *kept = kernel ? kernel->find(build.key) : nullptr;
    std::optional<runtime::CachedTask> other;
    if (!kept && (other = c.kept.disk()->load_task(build.key))) kept = &*other;
    if (!kept) return false;
    build.report.origin = TaskOrigin::disk;
    note_phase(c.observers, build.report.phases, "read", build.info.name, reading.microseconds());
    build.info.weight = kept->weight;
    build.binary = std::move(kept->binary);
    try {
        load_code(c, build);
    } catch (const std::exception &) { // not a binary of this backend after all: compile and replace it
        build.report = {build.report.name, TaskOrigin::compiled, {}, build.report.line};
        return false;
    }
    return true;
}

namespace {

void build_here(Compiler &c, TaskBuild &build) {
    ir::Function &fn = *build.fn;
    PassRecorder recorder(c, build.info.name, build.report.phases);
    c.lowering.optimize(fn, &recorder);
    std::optional<ir::Function> scalar;
    if (c.options.compile_tiers && c.lowering.caps().vector_bytes && code_size(fn) >= stand_in_from_size) scalar = fn;
    c.lowering.vectorize(fn, &recorder);
    c.lowering.legalize(fn, &recorder);
    build.info.weight = weight_after(build.info.weight, fn);

    const bool in_tiers = c.options.compile_tiers && !fn.has_flag(ir::CompileFlag::plain) &&
                          !fn.has_flag(ir::CompileFlag::ordered) && code_size(fn) >= tier_from_size;
    if (!in_tiers || widest(fn) == 1) scalar.reset();
    if (scalar) c.lowering.legalize(*scalar, &recorder);
    const Stopwatch emitting;
    await_compiler();
    build.binary = emit(c.lowering, scalar ? *scalar : fn, in_tiers ? backends::Tier::fast : backends::Tier::best);
    note_phase(c.observers, build.report.phases, "codegen", build.info.name, emitting.microseconds());
    if (!in_tiers && c.kept.disk()) c.kept.disk()->keep_task(build.key, build.info.weight, build.binary);
    if (in_tiers)
        build.later = std::make_unique<OptimiseJob>(
            OptimiseJob{std::move(fn), build.info, build.key, c.lowering, nullptr, c.lifetime, c.kept.disk()});
}

} // namespace

void build_task(Compiler &c, TaskBuild &build) {
    with_stack(stack_for(*build.fn), [&] { build_here(c, build); });
}

void load_code(Compiler &c, TaskBuild &build) {
    const Stopwatch loading;
    auto code = std::make_shared<TaskCode>();
    code->weight = build.info.weight;
    code->range = build.binary.range;
    code->publish(c.device.load(build.info, build.binary));
    note_phase(c.observers, build.report.phases, "load", build.info.name, loading.microseconds());
    build.code = std::move(code);
    if (build.later) build.later->code = build.code;
}

void warn_of_unknown_passes(Compiler &c) {
    std::string_view names = c.options.dump;
    while (!names.empty()) {
        const size_t end = std::min(names.find(','), names.size());
        const std::string one(names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
        if (one.empty() || one == "all" || passes::find(one)) continue;
        std::string known;
        for (const passes::Pass &pass : passes::all()) known += (known.empty() ? "" : ", ") + std::string(pass.name);
        c.observers.warn("QD_DUMP: there is no pass `" + one + "`; it takes `all` or a list of " + known);
    }
}

void note_phase(Observers &observers, std::vector<PhaseTime> &phases, std::string_view phase, std::string_view of,
                double microseconds) {
    phases.push_back({std::string(phase), microseconds});
    if (observers.have_timeline()) add_to_timeline("phase", phase, of, microseconds);
}

PassRecorder::PassRecorder(Compiler &c, std::string_view name, std::vector<PhaseTime> &phases)
    : compiler_(c), name_(name), phases_(phases), dumps_(c.dumps(name)) {}

void PassRecorder::after(const passes::Pass &pass, const ir::Function &fn, bool changed, double microseconds) {
    note_phase(compiler_.observers, phases_, pass.name, name_, microseconds);
    if (!dumps_ || !compiler_.dumps_after(pass.name)) return;
    compiler_.observers.write(
        "; " + fn.name + " after " + std::string(pass.name) +
        (changed ? "\n" + ir::print(fn, {.spans = compiler_.prints_places()}) : " (unchanged)\n"));
}

} // namespace qd::engine
