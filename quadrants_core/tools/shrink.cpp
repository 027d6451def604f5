#include "tools/shrink.h"

#include "ir/text.h"
#include "ir/verify.h"
#include "tools/run_line.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace qd::tools {

using namespace ir;

namespace {

void replace_uses(Function &fn, Value from, Value to) {
    for (uint32_t i = 1; i < fn.insts.size(); ++i) {
        Inst &in = fn.insts[i];
        if (in.op == Op::result) continue;
        for (Value &arg : fn.list(in.args))
            if (arg == from) arg = to;
    }
}

bool has_uses(const Function &fn, Value v) {
    for (uint32_t i = 1; i < fn.insts.size(); ++i) {
        if (fn.insts[i].op == Op::result) continue;
        for (Value arg : fn.list(fn.insts[i].args))
            if (arg == v) return true;
    }
    return false;
}

/// The position of an instruction.
struct Place {
    BlockId block;
    size_t at;
};

/// Collects the positions of all instructions, outermost first.
void collect(const Function &fn, BlockId b, std::vector<Place> &places) {
    if (!b) return;
    for (size_t i = 0; i < fn[b].insts.size(); ++i) {
        places.push_back({b, i});
        for (BlockId child : fn[fn[b].insts[i]].blocks) collect(fn, child, places);
    }
}

std::vector<Value> values_of(const Function &fn, Value v) {
    std::vector<Value> list(fn.results(v).begin(), fn.results(v).end());
    if (fn.type(v).kind != Kind::none) list.push_back(v);
    return list;
}

/// Removes the instruction and replaces its values by zeros.
bool erase(Function &fn, Place p) {
    Value v = fn[p.block].insts[p.at];
    if (is_terminator(fn[v].op)) return false;
    std::vector<Value> zeros;
    for (Value r : values_of(fn, v)) {
        if (!has_uses(fn, r)) continue;
        Type t = fn.type(r);
        if (!t.is_scalar() || t.lanes != 1 || fn[v].op == Op::constant) return false;
        Inst zero;
        zero.op = Op::constant;
        zero.type = t;
        Value z = fn.make(zero);
        replace_uses(fn, r, z);
        zeros.push_back(z);
    }
    std::vector<Value> &list = fn[p.block].insts;
    list.erase(list.begin() + ptrdiff_t(p.at));
    list.insert(list.begin() + ptrdiff_t(p.at), zeros.begin(), zeros.end());
    return true;
}

/// Replaces the value by operand `k`.
bool forward(Function &fn, Place p, size_t k) {
    Value v = fn[p.block].insts[p.at];
    if (k >= fn.args(v).size() || fn[v].type.kind == Kind::none) return false;
    Value arg = fn.args(v)[k];
    if (fn.type(arg) != fn.type(v) || !has_uses(fn, v)) return false;
    replace_uses(fn, v, arg);
    return true;
}

/// Replaces the instruction by the contents of block `k`: one side of an if, one iteration of a loop.
bool unwrap(Function &fn, Place p, int k) {
    Value v = fn[p.block].insts[p.at];
    BlockId child = fn[v].blocks[k];
    if (!child) return false;
    std::vector<Value> inner = fn[child].insts, params = fn[child].params;
    Value last = inner.back();
    if (fn[last].op != Op::yield && fn[last].op != Op::continue_ && fn[last].op != Op::break_) return false;
    inner.pop_back();
    std::vector<Value> args(fn.args(v).begin(), fn.args(v).end());
    std::vector<Value> given;
    if (fn[v].op == Op::for_) {
        given = {args[0]};
        given.insert(given.end(), args.begin() + 2, args.end());
    } else if (fn[v].op == Op::loop) {
        given = args;
    } else if (fn[v].op == Op::parallel) {
        for (size_t i = 0; i < args.size(); i += 2) given.push_back(args[i]);
    }
    for (size_t i = 0; i < params.size() && i < given.size(); ++i) replace_uses(fn, params[i], given[i]);
    std::vector<Value> results(fn.results(v).begin(), fn.results(v).end());
    std::vector<Value> yielded(fn.args(last).begin(), fn.args(last).end());
    for (size_t i = 0; i < results.size() && i < yielded.size(); ++i) replace_uses(fn, results[i], yielded[i]);
    fn[child].insts.clear();
    std::vector<Value> &list = fn[p.block].insts;
    list.erase(list.begin() + ptrdiff_t(p.at));
    list.insert(list.begin() + ptrdiff_t(p.at), inner.begin(), inner.end());
    return true;
}

/// Replaces a constant by 1.
bool smaller(Function &fn, Place p) {
    Inst &in = fn[fn[p.block].insts[p.at]];
    if (in.op != Op::constant) return false;
    uint64_t one = from_int(in.type.elem, 1).bits;
    if (in.imm == 0 || in.imm == one) return false;
    in.imm = one;
    return true;
}

/// Drops a value that a loop or an if carries; `slot` counts from 0.
bool drop_result(Function &fn, Place p, size_t slot) {
    Value v = fn[p.block].insts[p.at];
    if (slot >= fn[v].results.size || has_uses(fn, fn.results(v)[slot])) return false;
    Op op = fn[v].op;
    auto without = [&](Value inst, size_t at) {
        std::vector<Value> args(fn.args(inst).begin(), fn.args(inst).end());
        if (at >= args.size()) return;
        args.erase(args.begin() + ptrdiff_t(at));
        fn.set_args(inst, args);
    };
    auto leave = [&](auto &&self, BlockId b, bool inner) -> void {
        for (Value i : fn[b].insts) {
            Op o = fn[i].op;
            if (o == Op::yield ? !inner : op != Op::if_ && (o == Op::break_ || o == Op::continue_)) without(i, slot);
            bool nested_loop = o == Op::for_ || o == Op::loop || o == Op::parallel;
            if (!nested_loop && op != Op::if_)
                for (BlockId child : fn[i].blocks)
                    if (child) self(self, child, true);
        }
    };
    for (BlockId b : fn[v].blocks)
        if (b) leave(leave, b, false);
    if (op != Op::if_) {
        size_t first = op == Op::for_ ? 1 : 0;
        BlockId body = fn[v].blocks[0];
        Value param = fn[body].params[first + slot];
        if (has_uses(fn, param)) return false;
        fn[body].params.erase(fn[body].params.begin() + ptrdiff_t(first + slot));
        without(v, (op == Op::for_ ? 2 : 0) + slot);
    }
    std::vector<Value> results(fn.results(v).begin(), fn.results(v).end());
    results.erase(results.begin() + ptrdiff_t(slot));
    fn[v].results = fn.make_list(results);
    for (size_t i = 0; i < results.size(); ++i) fn[results[i]].imm = i;
    return true;
}

/// Drops the k-th returned value.
bool drop_return(Function &fn, size_t k) {
    Value last = fn[fn.body].insts.back();
    if (fn[last].op != Op::ret || k >= fn.returns.size()) return false;
    std::vector<Value> args(fn.args(last).begin(), fn.args(last).end());
    args.erase(args.begin() + ptrdiff_t(k));
    fn.set_args(last, args);
    fn.returns.erase(fn.returns.begin() + ptrdiff_t(k));
    return true;
}

/// Tries one kind of step at one position; the kinds are numbered so that a loop can try them all.
constexpr int kinds = 11;
bool step(Function &fn, Place p, int kind) {
    switch (kind) {
    case 0: return erase(fn, p);
    case 1: return unwrap(fn, p, 0);
    case 2: return unwrap(fn, p, 1);
    case 3:
    case 4:
    case 5: return forward(fn, p, size_t(kind - 3));
    case 6: return smaller(fn, p);
    default: return drop_result(fn, p, size_t(kind - 7));
    }
}

/// Returns the same function without unused ids, by way of its text.
Function compact(const Function &fn) {
    ParseResult read = parse(print(fn));
    return read.error ? fn : std::move(read.functions[0]);
}

using Clock = std::chrono::steady_clock;

struct Shrinker {
    const Shows &shows;
    Clock::time_point deadline;

    bool time_left() const { return Clock::now() < deadline; }

    bool accept(const Function &candidate) {
        if (!verify(candidate).empty()) return false;
        try {
            return shows(candidate);
        } catch (const std::exception &) {
            return false;
        }
    }

    /// Deletes runs of instructions, long ones first.
    bool delete_runs(Function &fn) {
        bool changed = false;
        for (size_t run = 128; run > 1; run /= 2) {
            std::vector<Place> places;
            collect(fn, fn.body, places);
            for (size_t end = places.size(); end > run / 2 && time_left();) {
                size_t begin = end > run ? end - run : 0;
                Function candidate = fn;
                bool any = false;
                for (size_t i = end; i-- > begin;) any = erase(candidate, places[i]) || any;
                if (any && accept(candidate)) {
                    fn = std::move(candidate);
                    changed = true;
                }
                end = begin; // the positions before are unchanged
            }
        }
        return changed;
    }

    /// Makes one sweep, last instruction first. Returns true if anything became smaller.
    bool sweep(Function &fn) {
        bool changed = false;
        for (size_t k = fn.returns.size(); k-- > 0 && time_left();) {
            Function candidate = fn;
            if (drop_return(candidate, k) && accept(candidate)) fn = std::move(candidate), changed = true;
        }
        std::vector<Place> places;
        collect(fn, fn.body, places);
        for (size_t i = places.size(); i-- > 0 && time_left();) {
            for (int kind = 0; kind < kinds; ++kind) {
                Function candidate = fn;
                if (!step(candidate, places[i], kind) || !accept(candidate)) continue;
                fn = std::move(candidate);
                changed = true;
                break; // the positions before this one are unchanged
            }
        }
        return changed;
    }
};

} // namespace

Function shrink(const Function &fn, const Shows &shows, double seconds) {
    auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    Shrinker shrinker{shows, Clock::now() + limit};
    Function best = compact(fn);
    if (!shrinker.accept(best)) best = fn;
    while (shrinker.delete_runs(best) && shrinker.time_left()) best = compact(best);
    while (shrinker.time_left() && shrinker.sweep(best)) {
        Function small = compact(best);
        if (shrinker.accept(small)) best = std::move(small);
    }
    return best;
}

std::string write_case(const std::string &name, const Function &fn, const Inputs &inputs, const std::string &why) {
    const char *folder = std::getenv("QD_CASES");
    std::filesystem::path path = folder ? std::filesystem::path(folder) : std::filesystem::temp_directory_path();
    path /= "quadrants_" + name + ".qir";
    std::ofstream out(path);
    out << "; test: run\n";
    if (inputs.lanes) out << "; lanes: " << inputs.lanes << "\n";
    size_t begin = 0;
    while (begin < why.size()) {
        size_t end = std::min(why.find('\n', begin), why.size());
        out << "; " << why.substr(begin, end - begin) << "\n";
        begin = end + 1;
    }
    out << print(fn);
    RunLine run;
    run.inputs = inputs;
    out << "; run: " << write_run(run, fn, interpret(fn, inputs)) << "\n";
    return path.string();
}

} // namespace qd::tools
