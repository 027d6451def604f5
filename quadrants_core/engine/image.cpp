#include "engine/image.h"

#include "base/bytes.h"
#include "engine/stopwatch.h"

namespace qd::engine {
namespace {

// Structs are written by decomposing them into named members, so that a new member cannot be forgotten.

void write(Writer &w, const abi::Message &message) {
    const auto &[pieces, file, scope, line, column, end_column, trace, limited] = message;
    w.number(uint64_t(pieces.size()));
    for (const auto &[text, value, type] : pieces) {
        w.text(text);
        w.number(value);
        w.number(type);
    }
    w.text(file);
    w.text(scope);
    w.number(line);
    w.number(column);
    w.number(end_column);
    w.text(trace);
    w.number(uint8_t(limited));
}

abi::Message read_message(Reader &r) {
    abi::Message m;
    m.pieces.resize(r.count());
    for (abi::MessagePiece &piece : m.pieces) {
        piece.text = r.text();
        piece.value = r.number<int32_t>();
        piece.type = r.number<abi::ScalarCode>();
    }
    m.file = r.text();
    m.scope = r.text();
    m.line = r.number<uint32_t>();
    m.column = r.number<uint32_t>();
    m.end_column = r.number<uint32_t>();
    m.trace = r.text();
    m.limited = r.number<uint8_t>() != 0;
    return m;
}

void write(Writer &w, const CounterValue &counter) {
    w.number(counter.what);
    w.text(counter.at.file);
    w.text(counter.at.scope);
    for (uint32_t n :
         {counter.at.line, counter.at.column, counter.at.end_line, counter.at.end_column, counter.copy, counter.place})
        w.number(n);
}

CounterValue read_counter(Reader &r) {
    CounterValue counter{};
    counter.what = r.number<ir::Counter::What>();
    counter.at.file = r.text();
    counter.at.scope = r.text();
    for (uint32_t *n : {&counter.at.line, &counter.at.column, &counter.at.end_line, &counter.at.end_column,
                        &counter.copy, &counter.place})
        *n = r.number<uint32_t>();
    return counter;
}

void write(Writer &w, const abi::Stack &stack) {
    const auto &[number, entry_bytes, type, frame, depth, loop_line, loop, file, line, column, end_line, end_column] =
        stack;
    w.text(loop);
    w.text(file);
    w.number(type);
    for (uint32_t n : {number, entry_bytes, frame, depth, loop_line, line, column, end_line, end_column}) w.number(n);
}

abi::Stack read_stack(Reader &r) {
    abi::Stack stack;
    stack.loop = r.text();
    stack.file = r.text();
    stack.type = r.number<abi::ScalarCode>();
    for (uint32_t *n : {&stack.number, &stack.entry_bytes, &stack.frame, &stack.depth, &stack.loop_line, &stack.line,
                        &stack.column, &stack.end_line, &stack.end_column})
        *n = r.number<uint32_t>();
    return stack;
}

void write(Writer &w, const TaskBuild &build, const abi::Task &info) {
    const auto &[name, kind, weight, block_dim, hash, messages, line, has_side_effects, slots, runs_in_order, range_at,
                 range, graph, stacks] =
        info; // the hash is the key, slots are those of the kernel, the range is with the code
    w.number(build.key);
    w.text(name);
    w.number(kind);
    w.number(weight);
    w.number(block_dim);
    w.number(line);
    w.number(has_side_effects);
    w.number(runs_in_order);
    w.number(range_at);
    w.number(graph);
    w.number(build.tmp_bytes);
    w.number(uint64_t(messages.size()));
    for (const abi::Message &m : messages) write(w, m);
    w.number(uint64_t(stacks.size()));
    for (const abi::Stack &s : stacks) write(w, s);
    w.number(uint64_t(build.counters.size()));
    for (const CounterValue &counter : build.counters) write(w, counter);
}

TaskBuild read_task(Reader &r) {
    TaskBuild build;
    build.key = r.number<runtime::CacheKey>();
    abi::Task &info = build.info;
    info.name = r.text();
    info.kind = r.number<abi::TaskKind>();
    info.weight = r.number<abi::Weight>();
    info.block_dim = r.number<uint32_t>();
    info.line = r.number<uint32_t>();
    info.has_side_effects = r.number<bool>();
    info.runs_in_order = r.number<bool>();
    info.range_at = r.number<uint64_t>();
    info.graph = r.number<abi::GraphPosition>();
    info.hash[0] = build.key[0];
    info.hash[1] = build.key[1];
    build.tmp_bytes = r.number<uint64_t>();
    info.messages.resize(r.count());
    for (abi::Message &m : info.messages) m = read_message(r);
    info.stacks.resize(r.count());
    for (abi::Stack &s : info.stacks) s = read_stack(r);
    build.counters.resize(r.count());
    for (CounterValue &counter : build.counters) counter = read_counter(r);
    build.report.name = info.name;
    build.report.line = info.line;
    return build;
}

/// Takes code from this program or from disk; returns false if any is missing.
bool provide(Compiler &c, const runtime::KernelKey &key, const std::string &name, std::vector<TaskBuild> &builds) {
    std::unique_ptr<runtime::CachedKernel> kept;
    std::vector<runtime::CacheKey> tasks;
    for (TaskBuild &build : builds) {
        tasks.push_back(build.key);
        if ((build.code = c.kept.known_task(build.key))) {
            build.report.origin = TaskOrigin::memory;
            continue;
        }
        if (!kept && c.kept.disk()) kept = c.kept.disk()->load_kernel(key);
        if (!load_from_disk(c, build, kept.get())) return false;
        build.code = c.kept.keep_task(build.key, build.code);
    }
    if (c.kept.disk()) c.kept.disk()->use_kernel(key, name, tasks, kept.get());
    return true;
}

} // namespace

std::vector<uint8_t> image_of(const CompiledKernel &kernel, const CompileReport &report,
                              const std::vector<TaskBuild> &builds) {
    Writer w;
    w.text(report.file);
    w.number(report.line);
    w.number(kernel.key);
    const auto &[name, params, slots, tmp_bytes, ret_bytes, counters, tasks, graph] =
        kernel.info; // tmp, counters: of the tasks
    w.text(name);
    w.number(uint64_t(params.size()));
    for (const auto &[kind, type, ndim, rows, cols, slot] : params) {
        for (uint8_t n : {uint8_t(kind), type, ndim, rows, cols}) w.number(n);
        w.number(slot);
    }
    w.number(slots);
    w.number(ret_bytes);
    w.array(graph.levels);
    w.array(graph.checkpoints);
    w.array(kernel.arrays);
    w.number(kernel.written_arrays);
    w.number(kernel.arrays_beside_trees);
    w.array(kernel.trees);
    w.blob(kernel.source);
    w.number(uint64_t(builds.size()));
    for (size_t i = 0; i < builds.size(); i++) write(w, builds[i], tasks[i]);
    return std::move(w.bytes);
}

std::shared_ptr<CompiledKernel> load_image(Compiler &c, std::span<const uint8_t> image, double before_us) {
    const std::lock_guard guard(c.compiling);
    const Stopwatch total;
    Reader r(image);
    CompileReport report;
    report.file = r.text();
    report.line = r.number<uint32_t>();
    auto out = std::make_shared<CompiledKernel>();
    out->key = r.number<runtime::KernelKey>();
    out->file = report.file;
    out->info.name = report.kernel = r.text();
    out->info.params.resize(r.count());
    for (abi::Param &param : out->info.params) {
        param.kind = r.number<abi::ParamKind>();
        for (uint8_t *n : {&param.type, &param.ndim, &param.rows, &param.cols}) *n = r.number<uint8_t>();
        param.slot = r.number<uint32_t>();
    }
    out->info.slots = r.number<uint32_t>();
    out->info.ret_bytes = r.number<uint64_t>();
    out->info.graph.levels = r.array<abi::DoWhile>();
    out->info.graph.checkpoints = r.array<abi::Checkpoint>();
    out->arrays = r.array<ArrayArg>();
    out->written_arrays = r.number<uint32_t>();
    out->arrays_beside_trees = r.number<uint32_t>();
    out->trees = r.array<uint32_t>();
    const auto source = r.blob();
    out->source.assign(source.begin(), source.end());
    std::vector<TaskBuild> builds(r.count());
    for (TaskBuild &build : builds) build = read_task(r);
    if (!r.at_end()) return nullptr;
    report.phases.push_back({"cache entry", before_us + total.microseconds()});
    try {
        if (!provide(c, out->key, report.kernel, builds)) return nullptr;
    } catch (const std::exception &) { // code that this device does not accept
        return nullptr;
    }
    assemble(c, *out, builds);
    c.adopt(*out);
    for (TaskBuild &build : builds) report.tasks.push_back(std::move(build.report));
    report.microseconds = before_us + total.microseconds();
    c.observers.announce(report);
    return out;
}

} // namespace qd::engine
