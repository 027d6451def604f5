#include "autodiff/refuse.h"

#include "autodiff/partials.h"
#include "base/error.h"

namespace qd::autodiff {

using namespace ir;

namespace {

constexpr const char *no_dual =
    "FwdMode cannot differentiate writes to an array: arrays have no dual. Write to a field with `needs_dual=True`";

struct Refusal {
    const Function &fn;
    const Companions &companions;
    const Activity &activity;
    Mode mode;
    std::vector<Value> loops;    ///< around the current instruction
    std::vector<uint8_t> inside; ///< by value: a local inside the current parallel loop
    bool in_parallel = false;

    [[noreturn]] void fail(Value v, const char *message, const char *hint = "") const {
        fail_user(UserErrorKind::runtime, message, fn.trace(fn[v].span), hint);
    }

    void block(BlockId b) {
        for (Value v : fn[b].insts) {
            pure(v);
            if (mode == Mode::reverse)
                order(v);
            else
                follow(v);
            const bool is_loop = fn[v].op == Op::for_ || fn[v].op == Op::loop;
            const bool is_parallel = fn[v].op == Op::parallel;
            if (is_loop) loops.push_back(v);
            in_parallel |= is_parallel;
            for (BlockId inner : fn[v].blocks)
                if (inner) block(inner);
            if (is_loop) loops.pop_back();
            if (is_parallel) in_parallel = false;
        }
    }

    static const char *why_refused(Op op) {
        return op == Op::round ? "Hint: `qd.round` has no derivative; that of `qd.floor(x + 0.5)` is 0"
                               : "Hint: the bits of a number (`qd.bit_cast`, `qd.frexp`) have no derivative: compute "
                                 "them in a separate kernel, or from an integer";
    }

    void pure(Value v) const {
        const Op op = fn[v].op;
        if (op == Op::random) fail(v, "RandStmt not supported in AutoDiff.");
        if (info(op).traits & (convergent | fences)) fail(v, not_supported); // a derivative repeats and reverses them
        if (info(op).effect != Effect::pure) return;
        for (size_t i = 0; i < fn.args(v).size(); ++i)
            if (activity.varied(fn.args(v)[i]) && slope(op, i) == Slope::refused)
                fail(v, not_supported, why_refused(op));
    }

    /// Forward mode cannot track values stored in arrays.
    void follow(Value v) const {
        if (fn[v].op != Op::store && !is_atomic(fn[v].op)) return;
        const auto args = fn.args(v);
        if (!activity.varied(args.back())) return;
        const Target t = target_of(fn, companions, args[0]);
        if (t.kind == Target::Kind::global && !t.has_companion && fn[t.base].op != Op::place) fail(v, no_dual);
    }

    void order(Value v) {
        const Op op = fn[v].op;
        constexpr const char *endless = "WhileStmt is not supported in AutoDiff.";
        if (op == Op::loop && activity.is_differentiated(v))
            fail(v, endless,
                 "Hint: a `while` loop cannot be differentiated in reverse mode. Loop over a `range` of the largest "
                 "number of iterations that it may need, with the condition in an `if`");
        if ((op == Op::break_ || op == Op::continue_) && activity.is_differentiated(loops.back()))
            fail(v, endless, "Hint: `break` cannot be differentiated in reverse mode: let the range end the loop");
        if (op == Op::graph_begin) fail(v, "A graph of kernels cannot be differentiated");
        if (op == Op::local) {
            inside.resize(fn.insts.size());
            inside[v.id] = in_parallel;
        }
        if (in_parallel && (op == Op::store || is_atomic(op))) {
            const Target t = target_of(fn, companions, fn.args(v)[0]);
            if (t.kind == Target::Kind::local && !inside[t.base.id]) fail(v, mixture);
        }
    }
};

} // namespace

void refuse(const Function &kernel, const Companions &companions, const Activity &activity, Mode mode) {
    Refusal{kernel, companions, activity, mode, {}, {}}.block(kernel.body);
}

} // namespace qd::autodiff
