// Splits a kernel into tasks at its top-level parallel loops, and where a subgraph begins or ends. This file decides where it is split
// and what each task contains; offload_values decides which values cross tasks, offload_tables builds the tables of a task.
//
// Each such loop becomes a range task; the statements between two of them form a serial task, if they have effects. A value that
// another task needs is
//  - recomputed there, if it is cheap arithmetic on parameters, extents and constants, or an address;
//  - otherwise stored to a slot of the tmp buffer by the task that computes it.
// A local that is used by a range task or by several tasks is stored in the tmp buffer, where a range task updates it atomically.
// Coverage counts between loops, with nothing else there, move to the `bounds` region of a neighbour in the same subgraph, which
// runs once per launch: they form no task of their own.
// If the launcher cannot run bounds blocks (Config::bounds_from_tasks), it finds those ranges that abi::Range can express. For any
// other, the task that computes the last value that the range depends on, or the one before the loop, also stores lo and hi in the tmp
// buffer, and the bounds block only loads them; counts stay where they are.
#include "analysis/launch_range.h"
#include "passes/offload_tables.h"
#include "passes/offload_values.h"
#include "passes/passes.h"
#include "passes/serialize_parallel.h"
#include "passes/shared_updates.h"
#include "passes/spaces.h"

#include "ir/builder.h"
#include "ir/graph.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;
using namespace offloading;

namespace {

/// A sequence of top-level instructions that becomes one task. A range segment contains only its `parallel`.
struct Segment {
    bool range = false;
    std::vector<Value> insts;
    std::vector<Value> counts; ///< coverage counts that may move to any region
    bool kept = false;
    GraphPosition graph;
    std::vector<size_t> computed_ranges; ///< range segments whose range it computes
};

class Offloader {
  public:
    Offloader(const Function &kernel, const Config &config)
        : k_(kernel), config_(config), values_(kernel), scratch_(kernel) {}

    std::vector<Function> run() {
        cut();
        for (size_t s = 0; s < segments_.size(); ++s) seed(s);
        decide_tasks();
        std::vector<Function> tasks;
        for (size_t s = 0; s < segments_.size(); ++s)
            if (segments_[s].kept) tasks.push_back(segments_[s].range ? range_task(s) : serial_task(s));
        for (size_t i = 0; i < tasks.size(); ++i) {
            Function &task = tasks[i];
            if (task.name.empty()) task.name = k_.name + "." + std::to_string(i);
            task.tmp_bytes = values_.tmp_bytes();
            task.ret_bytes = 8 * k_[terminator()].args.size;
        }
        return tasks;
    }

  private:
    Value terminator() const { return k_[k_.body].insts.back(); }

    bool is_range(Value v) const { return k_[v].op == Op::parallel && !k_.loops[k_[v].imm].serialize; }

    void cut() {
        GraphWalk graph(k_);
        const auto begin = [&](bool range) {
            segments_.emplace_back();
            segments_.back().range = range;
            segments_.back().graph = graph.position();
        };
        begin(false);
        for (Value v : k_[k_.body].insts) {
            graph.pass(v);
            if (is_range(v)) begin(true);
            values_.settle(v, int(segments_.size()) - 1);
            if (!is_graph_mark(k_[v].op)) segments_.back().insts.push_back(v);
            if (is_range(v) || is_graph_mark(k_[v].op)) begin(false);
            if (is_graph_mark(k_[v].op)) note_flagged(v);
        }
        values_.begin_segments(segments_.size());
        for (size_t s = 0; s < segments_.size(); ++s) values_.bodies[s].at_home = !segments_[s].range;
    }

    /// Records the subgraphs with a flag: from the segment after their begin mark to the one after their end mark.
    void note_flagged(Value mark) {
        const uint64_t subgraph = k_[mark].imm;
        if (k_.subgraphs[subgraph].flag == Subgraph::no_flag) return;
        if (k_[mark].op == Op::graph_begin)
            begun_[subgraph] = segments_.size() - 1;
        else
            flagged_.push_back({begun_[subgraph], segments_.size() - 1});
    }

    void seed(size_t s) {
        Region &body = values_.bodies[s];
        if (segments_[s].range) {
            Value loop = segments_[s].insts[0];
            if (!find_computing_task(s))
                for (Value a : k_.args(loop)) values_.need(values_.bounds[s], a);
            values_.need_operands(body, loop);
            return;
        }
        for (Value v : segments_[s].insts) {
            Op op = k_[v].op;
            Effect effect = info(op).effect;
            if (op == Op::local || (effect != Effect::write && effect != Effect::control)) continue;
            if (op == Op::exit || (op == Op::ret && k_[v].args.size == 0)) continue;
            if (op == Op::count && values_.can_recompute(k_.args(v)[0])) {
                segments_[s].counts.push_back(v);
                continue;
            }
            values_.gives[s] = true;
            if (body.add(v)) values_.need_operands(body, v);
        }
    }

    /// True if a task before the range segment `s` computes its range. The segment before `s` is a serial one.
    bool find_computing_task(size_t s) {
        const auto ends = k_.args(segments_[s].insts[0]);
        if (!config_.bounds_from_tasks || analysis::has_launch_range(k_, ends)) return false;
        int last = -1;
        for (Value a : ends)
            if (!values_.can_recompute(a)) last = std::max(last, values_.home(a));
        if (last < 0) last = int(s) - 1;
        const size_t computing = size_t(last);
        segments_[computing].computed_ranges.push_back(s);
        values_.gives[computing] = true;
        for (Value a : ends) values_.need(values_.bodies[computing], a);
        ranges_[s] = values_.reserve(16);
        return true;
    }

    /// A range segment next to the serial one `s`, in the same subgraph; otherwise `s` itself.
    size_t neighbour(size_t s) const {
        const auto fits = [&](size_t other) {
            return other < segments_.size() && segments_[other].range && segments_[other].graph == segments_[s].graph;
        };
        if (config_.bounds_from_tasks) return s;
        return fits(s + 1) ? s + 1 : fits(s - 1) ? s - 1 : s;
    }

    /// Removes serial segments without effects; their counts move to a neighbouring range segment, if there is one. A subgraph with a flag
    /// keeps at least one task.
    void decide_tasks() {
        for (size_t s = 0; s < segments_.size(); ++s) {
            Segment &segment = segments_[s];
            segment.kept = segment.range || values_.gives[s];
            if (segment.counts.empty()) continue;
            const size_t next = neighbour(s);
            Region &target = segment.kept || next == s ? values_.bodies[s] : values_.bounds[next];
            segment.kept = segment.kept || next == s;
            for (Value v : segment.counts)
                if (target.add(v)) values_.need_operands(target, v);
        }
        const auto is_kept = [](const Segment &segment) { return segment.kept; };
        for (const auto &[first, end] : flagged_) // inner ones first
            if (std::none_of(segments_.begin() + ptrdiff_t(first), segments_.begin() + ptrdiff_t(end), is_kept))
                segments_[first].kept = true;
    }

    Function empty_task(Role role, const Segment &segment) {
        Function task;
        task.role = role;
        task.graph = segment.graph;
        task.fast_math = k_.fast_math;
        task.debug = k_.debug;
        task.compile_flags = k_.compile_flags;
        task.distinct_arrays = k_.distinct_arrays;
        task.files = k_.files;
        task.scopes = k_.scopes;
        for (Value p : k_.params) {
            Inst inst;
            inst.op = Op::param;
            inst.type = k_.type(p);
            task.params.push_back(task.make(inst));
        }
        task.body = task.make_block();
        return task;
    }

    /// Fills `into` with the instructions that the region needs, in the kernel's order; values of other tasks are loaded, and values of
    /// this task that others need are stored.
    void fill(Region &r, Function &task, Cloner &cloner, BlockId into) {
        values_.sort(r);
        for (size_t i = 0; i < k_.params.size(); ++i) cloner.set(k_.params[i], task.params[i]);
        Builder b(task, into);
        for (Value v : r.needed) {
            const bool here = r.at_home && values_.home(v) == r.segment;
            const std::optional<uint64_t> slot = values_.slot(v);
            if (k_[v].op == Op::ret) {
                store_results(b, cloner, v);
            } else if (k_[v].op == Op::local && slot) {
                Value p = b.emit(Op::tmp, {}, k_.type(v), *slot);
                cloner.set(v, p);
                if (here) zero(b, p, k_[v].imm);
            } else if (slot && !here) {
                Value p = b.emit(Op::tmp, {}, Type::pointer(k_.type(v).elem), *slot);
                cloner.set(v, b.load(p));
            } else {
                cloner.copy(v, into);
                keep(b, cloner, v);
            }
        }
    }

    /// Stores the values of a copied instruction that other tasks load.
    void keep(Builder &b, const Cloner &cloner, Value v) {
        auto store = [&](Value value) {
            const std::optional<uint64_t> slot = values_.slot(value);
            if (!slot) return;
            Value p = b.emit(Op::tmp, {}, Type::pointer(k_.type(value).elem), *slot);
            b.store(p, cloner.lookup(value));
        };
        store(v);
        for (Value r : k_.results(v)) store(r);
    }

    void store_results(Builder &b, const Cloner &cloner, Value ret) {
        uint64_t at = 0;
        for (Value v : k_.args(ret)) {
            Value p = b.emit(Op::ret_slot, {}, Type::pointer(k_.type(v).elem), at);
            b.store(p, cloner.lookup(v));
            at += 8;
        }
    }

    void zero(Builder &b, Value p, uint64_t n) {
        Scalar elem = b.fn.type(p).elem;
        Value zero = b.constant(elem, 0);
        if (n == 1) {
            b.store(p, zero);
            return;
        }
        Value lo = b.i32(0);
        Value hi = b.i32(int32_t(n));
        Loop flags;
        flags.vectorize = true;
        Value loop = b.for_(lo, hi, {}, flags);
        Builder body(b.fn, b.fn[loop].blocks[0]);
        Value index = body.cast(b.fn[body.block].params[0], Scalar::i64);
        Value size = body.i64(size_of(elem));
        Value bytes = body.mul(index, size);
        Value at = body.offset(p, bytes, elem);
        body.store(at, zero);
        body.yield();
    }

    Function serial_task(size_t s) {
        Function task = empty_task(Role::serial_task, segments_[s]);
        Tables tables(k_, task, scratch_);
        Cloner cloner(k_, task, [&](Inst &inst) { tables.adjust(inst); }, &scratch_.values);
        fill(values_.bodies[s], task, cloner, task.body);
        Builder b(task, task.body);
        for (size_t range : segments_[s].computed_ranges) {
            const auto [lo, hi] = range_of(b, cloner, segments_[range].insts[0]);
            Value low = range_slot(b, range, 0);
            b.store(low, lo);
            Value high = range_slot(b, range, 8);
            b.store(high, hi);
        }
        b.ret();
        serialize_parallel(task);
        if (moves_local(values_.bodies[s])) recompute_spaces(task);
        return task;
    }

    Function range_task(size_t s) {
        Function task = empty_task(Role::range_task, segments_[s]);
        Tables tables(k_, task, scratch_);
        Cloner cloner(k_, task, [&](Inst &inst) { tables.adjust(inst); }, &scratch_.values);
        task.bounds = task.make_block();
        fill(values_.bounds[s], task, cloner, task.bounds);
        Value loop = segments_[s].insts[0];
        Builder bounds(task, task.bounds);
        std::pair<Value, Value> range;
        if (const auto found = ranges_.find(s); found != ranges_.end()) {
            task.range_at = found->second;
            Value low = range_slot(bounds, s, 0);
            range.first = bounds.load(low);
            Value high = range_slot(bounds, s, 8);
            range.second = bounds.load(high);
        } else {
            range = range_of(bounds, cloner, loop);
        }
        Value ends[] = {range.first, range.second};
        bounds.yield(ends);

        fill(values_.bodies[s], task, cloner, task.body);
        cloner.copy(loop, task.body);
        Builder b(task, task.body);
        b.ret();
        serialize_parallel(task);
        const bool moves = moves_local(values_.bodies[s]);
        if (moves || moves_local(values_.bounds[s])) recompute_spaces(task);
        if (moves) shared_updates(task);
        task.name = k_.loops[k_[loop].imm].name;
        if (k_.loops[k_[loop].imm].ordered) task.set_flag(CompileFlag::ordered);
        return task;
    }

    /// True if a local of the kernel moves to the tmp buffer, which is not private memory.
    bool moves_local(const Region &r) const {
        return std::any_of(r.needed.begin(), r.needed.end(),
                           [&](Value v) { return k_[v].op == Op::local && values_.slot(v); });
    }

    /// The slot of lo (byte 0) or hi (byte 8) of a range that another task computes.
    Value range_slot(Builder &b, size_t s, uint64_t byte) const {
        return b.emit(Op::tmp, {}, Type::pointer(Scalar::i64), ranges_.at(s) + byte);
    }

    /// One axis: its own range. Several axes: from 0 to the product of their extents.
    std::pair<Value, Value> range_of(Builder &b, const Cloner &cloner, Value loop) {
        std::vector<Value> axes;
        for (Value a : k_.args(loop)) axes.push_back(b.cast(cloner.lookup(a), Scalar::i64));
        Value lo, hi;
        if (axes.size() == 2) {
            lo = axes[0];
            hi = b.max(axes[0], axes[1]);
        } else {
            lo = b.i64(0);
            for (size_t a = 0; a < axes.size(); a += 2) {
                Value extent = b.sub(axes[a + 1], axes[a]);
                extent = b.max(extent, lo);
                hi = hi ? b.mul(hi, extent) : extent;
            }
        }
        return {lo, hi};
    }

    const Function &k_;
    const Config &config_;
    Crossing values_;
    Scratch scratch_;
    std::vector<Segment> segments_;
    std::unordered_map<uint64_t, size_t> begun_; ///< by subgraph with a flag: its first segment
    std::vector<std::pair<size_t, size_t>> flagged_;
    std::unordered_map<size_t, uint64_t>
        ranges_; ///< by range segment: byte offset in the tmp buffer at which a task stores its range
};

} // namespace

std::vector<Function> offload(const Function &kernel, const Config &config) { return Offloader(kernel, config).run(); }

} // namespace qd::passes
