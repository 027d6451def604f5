// Cuts a kernel at its top-level parallel loops.
//
// Each such loop becomes a range task; the statements between two of them form a serial task, if they do anything. A
// value that another task needs is
//  - computed again there, if it is cheap arithmetic on parameters, extents and constants, or an address;
//  - otherwise stored to a slot of the tmp buffer by the task that computes it.
// A local that a range task or several tasks use lives in the tmp buffer, where a range task updates it atomically.
// Coverage counts that stand between loops, with nothing else there, move to the `bounds` region of a neighbour, which
// runs once a launch: they make no task of their own.
#include "passes/clone.h"
#include "passes/passes.h"
#include "passes/serialize_parallel.h"
#include "passes/shared_updates.h"

#include "base/error.h"
#include "ir/builder.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace qd::passes {

using namespace ir;

namespace {

/// A run of top-level instructions that becomes one task. A range segment holds its `parallel` alone.
struct Segment {
    bool range = false;
    std::vector<Value> insts;
};

/// Values that one region (a serial body, a range body or its bounds) needs from the kernel's top level, each once.
struct Region {
    int segment = 0;
    bool at_home = false; ///< a serial body: holds the definitions of its segment
    std::vector<Value> needed;
    std::unordered_set<uint32_t> seen;
};

/// What all tasks use in turn, so that each costs no more than what it holds.
struct Scratch {
    explicit Scratch(const Function &kernel) : spans(kernel.spans.size(), no_span), sharing(kernel.counters.size()) {
        for (uint32_t i = 0; i < sharing.size(); ++i)
            if (const ir::Counter &counter = kernel.counters[i]; counter.shares())
                sharing[counter.count_of].push_back(i);
    }
    Cloner::Map values;
    std::vector<SpanId> spans;                  ///< in the task; no_span: not yet copied
    std::vector<std::vector<uint32_t>> sharing; ///< by counter: those that share its count
};

/// Copies table entries that a task uses, on first use.
class Tables {
  public:
    Tables(const Function &from, Function &to, Scratch &scratch)
        : from_(from), to_(to), spans_(scratch.spans), sharing_(scratch.sharing) {}
    ~Tables() {
        for (SpanId s : copied_) spans_[s] = no_span;
    }
    Tables(const Tables &) = delete;

    void adjust(Inst &inst) {
        inst.span = span(inst.span);
        if (names_place(inst.op)) return set_place(inst, entry(places_, from_.places, to_.places, place_of(inst)));
        switch (inst.op) {
        case Op::print:
        case Op::assert_: inst.imm = entry(messages_, from_.messages, to_.messages, inst.imm); break;
        case Op::count: {
            inst.imm = counter(inst.imm);
            break;
        }
        default: break;
        }
    }

    SpanId span(SpanId s) {
        if (s == no_span || spans_[s] != no_span) return spans_[s];
        Span copy = from_.spans[s];
        copy.call = span(copy.call);
        SpanId id = SpanId(to_.spans.size());
        to_.spans.push_back(copy);
        copied_.push_back(s);
        return spans_[s] = id;
    }

  private:
    template <class T>
    uint64_t entry(std::unordered_map<uint64_t, uint64_t> &map, const std::vector<T> &from, std::vector<T> &to,
                   uint64_t index) {
        auto [it, fresh] = map.try_emplace(index, to.size());
        if (fresh) to.push_back(from[index]);
        return it->second;
    }

    /// Brings those along that share its count.
    uint64_t counter(uint64_t index) {
        const size_t before = to_.counters.size();
        const uint64_t at = entry(counters_, from_.counters, to_.counters, index);
        if (to_.counters.size() == before) return at;
        for (uint32_t other : sharing_[index]) {
            to_.counters.push_back(from_.counters[other]);
            to_.counters.back().count_of = uint32_t(at);
        }
        for (size_t i = before; i < to_.counters.size(); ++i) to_.counters[i].span = span(to_.counters[i].span);
        return at;
    }

    const Function &from_;
    Function &to_;
    std::unordered_map<uint64_t, uint64_t> places_, messages_, counters_;
    std::vector<SpanId> &spans_;
    std::vector<SpanId> copied_;
    const std::vector<std::vector<uint32_t>> &sharing_;
};

class Offloader {
  public:
    explicit Offloader(const Function &kernel) : k_(kernel), scratch_(kernel) {}

    std::vector<Function> run() {
        cut();
        for (size_t s = 0; s < segments_.size(); ++s) seed(int(s));
        decide_tasks();
        std::vector<Function> tasks;
        for (size_t s = 0; s < segments_.size(); ++s)
            if (kept_[s]) tasks.push_back(segments_[s].range ? range_task(int(s)) : serial_task(int(s)));
        for (size_t i = 0; i < tasks.size(); ++i) {
            Function &task = tasks[i];
            if (task.name.empty()) task.name = k_.name + "." + std::to_string(i);
            task.tmp_bytes = tmp_bytes_;
            task.ret_bytes = 8 * k_[terminator()].args.size;
        }
        return tasks;
    }

  private:
    Value terminator() const { return k_[k_.body].insts.back(); }

    bool is_range(Value v) const { return k_[v].op == Op::parallel && !k_.loops[k_[v].imm].serialize; }

    /// The instruction in a block list that gives `v` its value: itself, or the owner of a result.
    Value owner(Value v) const { return k_[v].op == Op::result ? k_.args(v)[0] : v; }

    void cut() {
        home_.assign(k_.insts.size(), -1);
        position_.assign(k_.insts.size(), 0);
        remat_.assign(k_.insts.size(), 0);
        segments_.emplace_back();
        for (Value v : k_[k_.body].insts) {
            if (is_range(v)) {
                segments_.push_back({true, {v}});
                home_[v.id] = int(segments_.size()) - 1;
                segments_.emplace_back();
                continue;
            }
            position_[v.id] = uint32_t(order_++);
            home_[v.id] = int(segments_.size()) - 1;
            segments_.back().insts.push_back(v);
        }
        bodies_.resize(segments_.size());
        bounds_.resize(segments_.size());
        for (size_t s = 0; s < segments_.size(); ++s) {
            bodies_[s].segment = bounds_[s].segment = int(s);
            bodies_[s].at_home = !segments_[s].range;
        }
        has_effect_.assign(segments_.size(), false);
        counts_.resize(segments_.size());
    }

    /// Cheap, and depends on parameters and constants alone. `cost` counts the instructions that would be copied.
    bool can_recompute(Value v) {
        uint8_t &state = remat_[v.id];
        if (state) return state == 1;
        const Inst &inst = k_[v];
        if (inst.op == Op::param) return home_[v.id] < 0;
        bool ok = info(inst.op).effect == Effect::pure && recompute_cost(v) <= 16;
        remat_[v.id] = ok ? 1 : 2;
        return ok;
    }
    int recompute_cost(Value v) {
        constexpr int too_much = 1000;
        const Inst &inst = k_[v];
        if (inst.op == Op::constant || inst.op == Op::dim) return 1;
        int cost = 1;
        for (Value a : k_.args(v)) {
            if (k_[a].op == Op::param) continue;
            if (!can_recompute(a)) return too_much;
            if (++cost > 16) return too_much;
            cost += k_[a].op == Op::constant ? 0 : recompute_cost(a);
        }
        return std::min(cost, too_much);
    }

    /// Records that a region uses `used`, and what follows from it.
    void need(Region &r, Value used) {
        Value v = owner(used);
        int home = home_[v.id];
        if (home < 0) return;
        bool local_here = r.at_home && home == r.segment;
        QD_CHECK(!k_.type(used).is_pointer() || !k_[v].results.size,
                 "a pointer that control flow yields crosses tasks");
        if (k_[v].op == Op::local) {
            if (!local_here) slot(v, uint64_t(size_of(k_.type(v).elem)) * k_[v].imm);
            add(r, v);
            if (!local_here) add(bodies_[size_t(home)], v), has_effect_[size_t(home)] = true;
            return;
        }
        if (local_here || k_.type(used).is_pointer() || can_recompute(v)) {
            if (add(r, v)) need_operands(r, v);
            return;
        }
        slot(used, 8);
        add(r, used);
        has_effect_[size_t(home)] = true;
        need(bodies_[size_t(home)], used);
    }

    bool add(Region &r, Value v) {
        if (!r.seen.insert(v.id).second) return false;
        r.needed.push_back(v);
        return true;
    }

    void slot(Value v, uint64_t bytes) {
        if (slots_.try_emplace(v.id, tmp_bytes_).second) tmp_bytes_ += (bytes + 7) / 8 * 8;
    }

    /// Operands of an instruction and of all that it owns.
    void need_operands(Region &r, Value v) {
        for (Value a : k_.args(v)) need(r, a);
        for (BlockId b : k_[v].blocks)
            if (b)
                for (Value inner : k_[b].insts) need_operands(r, inner);
    }

    void seed(int s) {
        Region &body = bodies_[size_t(s)];
        if (segments_[size_t(s)].range) {
            Value loop = segments_[size_t(s)].insts[0];
            for (Value a : k_.args(loop)) need(bounds_[size_t(s)], a);
            need_operands(body, loop);
            return;
        }
        for (Value v : segments_[size_t(s)].insts) {
            Op op = k_[v].op;
            Effect effect = info(op).effect;
            if (op == Op::local || (effect != Effect::write && effect != Effect::control)) continue;
            if (op == Op::exit || (op == Op::ret && k_[v].args.size == 0)) continue;
            if (op == Op::count && can_recompute(k_.args(v)[0])) {
                counts_[size_t(s)].push_back(v);
                continue;
            }
            has_effect_[size_t(s)] = true;
            if (add(body, v)) need_operands(body, v);
        }
    }

    /// Serial segments without effects vanish; their counts go to a range neighbour, else they stay.
    void decide_tasks() {
        size_t n = segments_.size();
        kept_.assign(n, false);
        for (size_t s = 0; s < n; ++s) {
            kept_[s] = segments_[s].range || has_effect_[s];
            if (counts_[s].empty()) continue;
            size_t next = s + 1 < n ? s + 1 : s ? s - 1 : s;
            Region &target = kept_[s] || next == s ? bodies_[s] : bounds_[next];
            kept_[s] = kept_[s] || next == s;
            for (Value v : counts_[s])
                if (add(target, v)) need_operands(target, v);
        }
    }

    Function empty_task(Role role) {
        Function task;
        task.role = role;
        task.fast_math = k_.fast_math;
        task.debug = k_.debug;
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

    /// Fills `into` with what the region needs, in the kernel's order; values of other tasks are loaded, those of this
    /// task that others need are stored.
    void fill(Region &r, Function &task, Cloner &cloner, BlockId into) {
        std::sort(r.needed.begin(), r.needed.end(), [&](Value a, Value b) {
            return std::pair(position_[owner(a).id], a.id) < std::pair(position_[owner(b).id], b.id);
        });
        for (size_t i = 0; i < k_.params.size(); ++i) cloner.set(k_.params[i], task.params[i]);
        Builder b(task, into);
        for (Value v : r.needed) {
            bool here = r.at_home && home_[owner(v).id] == r.segment;
            auto slot = slots_.find(v.id);
            if (k_[v].op == Op::ret) {
                store_results(b, cloner, v);
            } else if (k_[v].op == Op::local && slot != slots_.end()) {
                Value p = b.emit(Op::tmp, {}, k_.type(v), slot->second);
                cloner.set(v, p);
                if (here) zero(b, p, k_[v].imm);
            } else if (slot != slots_.end() && !here) {
                Value p = b.emit(Op::tmp, {}, Type::pointer(k_.type(v).elem), slot->second);
                cloner.set(v, b.load(p));
            } else {
                cloner.copy(v, into);
                keep(b, cloner, v);
            }
        }
    }

    /// Stores those values of a copied instruction that other tasks load.
    void keep(Builder &b, const Cloner &cloner, Value v) {
        auto store = [&](Value value) {
            auto slot = slots_.find(value.id);
            if (slot == slots_.end()) return;
            Value p = b.emit(Op::tmp, {}, Type::pointer(k_.type(value).elem), slot->second);
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

    Function serial_task(int s) {
        Function task = empty_task(Role::serial_task);
        Tables tables(k_, task, scratch_);
        Cloner cloner(k_, task, [&](Inst &inst) { tables.adjust(inst); }, &scratch_.values);
        fill(bodies_[size_t(s)], task, cloner, task.body);
        Builder b(task, task.body);
        b.ret();
        serialize_parallel(task);
        return task;
    }

    Function range_task(int s) {
        Function task = empty_task(Role::range_task);
        Tables tables(k_, task, scratch_);
        Cloner cloner(k_, task, [&](Inst &inst) { tables.adjust(inst); }, &scratch_.values);
        task.bounds = task.make_block();
        fill(bounds_[size_t(s)], task, cloner, task.bounds);
        Value loop = segments_[size_t(s)].insts[0];
        emit_bounds(task, cloner, loop);

        fill(bodies_[size_t(s)], task, cloner, task.body);
        cloner.copy(loop, task.body);
        Builder b(task, task.body);
        b.ret();
        serialize_parallel(task);
        if (uses_shared_local(bodies_[size_t(s)])) shared_updates(task);
        task.name = k_.loops[k_[loop].imm].name;
        return task;
    }

    bool uses_shared_local(const Region &r) const {
        return std::any_of(r.needed.begin(), r.needed.end(), [&](Value v) { return k_[v].op == Op::local; });
    }

    /// One axis: its own range. Several: 0 up to the product of their extents.
    void emit_bounds(Function &task, const Cloner &cloner, Value loop) {
        Builder b(task, task.bounds);
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
        Value range[] = {lo, hi};
        b.yield(range);
    }

    const Function &k_;
    Scratch scratch_;
    std::vector<Segment> segments_;
    std::vector<Region> bodies_, bounds_;
    std::vector<bool> has_effect_, kept_;
    std::vector<std::vector<Value>> counts_;       ///< per segment: coverage counts that any region may run
    std::vector<int> home_;                        ///< top-level instructions: their segment; others -1
    std::vector<uint32_t> position_;               ///< order at the top level
    std::vector<uint8_t> remat_;                   ///< 0 unknown, 1 yes, 2 no
    std::unordered_map<uint32_t, uint64_t> slots_; ///< values and locals that live in the tmp buffer
    uint64_t tmp_bytes_ = 0;
    uint64_t order_ = 1;
};

} // namespace

std::vector<Function> offload(const Function &kernel) { return Offloader(kernel).run(); }

} // namespace qd::passes
