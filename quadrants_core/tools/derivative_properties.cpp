#include "tools/derivative_properties.h"

#include "base/error.h"
#include "engine/pipeline.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/rewrite.h"
#include "tools/random_numbers.h"
#include "tools/random_smooth.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace qd::tools {

using namespace ir;
using autodiff::Mode;

namespace {

/// Returns the function as `differentiate` takes it.
Function simplified(const Function &fn) {
    static const passes::Pass list[] = {*passes::find("promote"), *passes::find("fold")};
    Function kernel = fn;
    passes::run(list, kernel, {}, true, nullptr);
    return kernel;
}

std::vector<double> numbers_of(const Array &array) {
    std::vector<double> list(array.bytes.size() / sizeof(double));
    std::memcpy(list.data(), array.bytes.data(), array.bytes.size());
    return list;
}

void set_numbers(Array &array, const std::vector<double> &list) {
    std::memcpy(array.bytes.data(), list.data(), array.bytes.size());
}

/// Indices among the array parameters: arrays with a companion, and their companions.
struct Pairs {
    std::vector<size_t> values, companions;

    explicit Pairs(const Function &fn) {
        const autodiff::Companions found = paired_companions(fn);
        std::vector<size_t> number(fn.insts.size());
        size_t arrays = 0;
        for (Value p : fn.params)
            if (fn.type(p).is_array()) number[p.id] = arrays++;
        for (size_t i = 0; i < fn.params.size(); ++i)
            if (const Value companion = found.array(i)) {
                values.push_back(number[fn.params[i].id]);
                companions.push_back(number[companion.id]);
            }
    }
};

using Vectors = std::vector<std::vector<double>>;

Vectors take(const std::vector<Array> &arrays, const std::vector<size_t> &which) {
    Vectors list;
    for (size_t i : which) list.push_back(numbers_of(arrays[i]));
    return list;
}

void give(std::vector<Array> &arrays, const std::vector<size_t> &which, const Vectors &list) {
    for (size_t k = 0; k < which.size(); ++k) set_numbers(arrays[which[k]], list[k]);
}

Vectors direction(const std::vector<Array> &arrays, const std::vector<size_t> &which, uint64_t seed) {
    Numbers rng(seed);
    Vectors list = take(arrays, which);
    for (std::vector<double> &line : list)
        for (double &v : line) v = double(rng.between(-1000, 1000)) / 1024;
    return list;
}

/// The dot product, and the sum of the magnitudes of its terms.
struct Product {
    double sum = 0, size = 0;
};
Product dot(const Vectors &a, const Vectors &b) {
    Product p;
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t k = 0; k < a[i].size(); ++k) {
            p.sum += a[i][k] * b[i][k];
            p.size += std::fabs(a[i][k] * b[i][k]);
        }
    return p;
}

/// True if processors round the result.
bool is_rounded(Op op) {
    static constexpr Op arithmetic[] = {Op::add, Op::sub, Op::mul, Op::div, Op::mod, Op::pow};
    return std::ranges::find(arithmetic, op) != std::end(arithmetic) ||
           (family(op) == Family::real && !(info(op).traits & integral));
}

/// Returns the function with its results perturbed by a unit in the last place, some up, some down.
Function rounded_otherwise(const Function &fn, uint64_t seed) {
    Function made = fn;
    Numbers rng(seed);
    const auto wanted = [&](Value v) { return fn.type(v).is_float() && is_rounded(fn[v].op); };
    passes::expand_each(made, wanted, [&](Builder &b, Value v) {
        const std::vector<Value> args(made.args(v).begin(), made.args(v).end());
        const Value result = b.emit(made[v].op, args, made.type(v), made[v].imm);
        const Value factor =
            b.number(made.type(v), 1 + double(rng.between(-1, 1)) * std::numeric_limits<double>::epsilon());
        return b.mul(result, factor);
    });
    return made;
}

/// Returns the uncertainty of `plain` due to rounding: how far the result of `of`, which runs the function it is given, moves
/// for perturbed functions. Cancellation of large numbers and jumps at a threshold show up here.
template <class Of> double rounding(const Function &fn, const Product &plain, const Of &of) {
    double most = plain.size * std::numeric_limits<double>::epsilon();
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        const double gap = std::fabs(of(rounded_otherwise(fn, seed)).sum - plain.sum);
        if (!std::isfinite(gap)) return gap;
        most = std::max(most, gap);
    }
    return 4 * most;
}

std::string text(double v) { return std::to_string(v) + " (" + to_text(from_double(Scalar::f64, v)) + ")"; }

/// Returns the derivative; nothing if reverse mode refuses the function.
std::optional<Function> derivative(const Function &kernel, Mode mode, uint64_t budget = 0) {
    try {
        Function made = autodiff::differentiate(kernel, paired_companions(kernel), mode,
                                                {.enabled = true, .capacity = 0, .budget = budget});
        if (std::vector<Problem> problems = verify(made); !problems.empty())
            fail_internal("not well formed:\n" + explain(made, problems));
        return made;
    } catch (const UserError &) {
        if (mode == Mode::forward) throw;
        return std::nullopt;
    }
}

std::string check_transpose(const Function &fn, const Inputs &inputs) {
    const Function kernel = simplified(fn);
    const std::optional<Function> backward = derivative(kernel, Mode::reverse);
    if (!backward) return "";
    const Function forward = *derivative(kernel, Mode::forward);
    const Pairs pairs(fn);
    Inputs begin = inputs;
    const Vectors tangents = direction(inputs.arrays, pairs.companions, 1);
    give(begin.arrays, pairs.companions, tangents);
    const Outputs there = interpret(forward, begin);

    const Vectors adjoints = direction(inputs.arrays, pairs.companions, 2);
    Inputs end = inputs;
    end.arrays = there.arrays;
    give(end.arrays, pairs.companions, adjoints);
    const Outputs back = interpret(*backward, end);
    if (take(back.arrays, pairs.values) != take(there.arrays, pairs.values))
        return "reverse mode writes values again:\n" + print(*backward);
    const Product behind = dot(adjoints, take(there.arrays, pairs.companions));
    const Product before = dot(take(back.arrays, pairs.companions), tangents);
    if (const std::optional<Function> frugal = derivative(kernel, Mode::reverse, 40)) {
        const std::string gap = difference(back, interpret(*frugal, end), 1e-9);
        if (!gap.empty()) return "another gradient within a budget: " + gap + "\n" + print(*frugal);
    }
    if (std::fabs(behind.sum - before.sum) <= 1e-9 * (behind.size + before.size)) return "";
    if (!std::isfinite(behind.sum)) return "";
    const auto run_forward = [&](const Function &f) {
        return dot(adjoints, take(interpret(f, begin).arrays, pairs.companions));
    };
    const auto run_backward = [&](const Function &f) {
        return dot(take(interpret(f, end).arrays, pairs.companions), tangents);
    };
    const double unknown = rounding(forward, behind, run_forward) + rounding(*backward, before, run_backward);
    if (!(std::fabs(behind.sum - before.sum) > unknown)) return "";
    return "not the transpose: " + text(behind.sum) + " forward, " + text(before.sum) + " reverse\n" + print(*backward);
}

std::string check_differences(const Function &fn, const Inputs &inputs) {
    const Function kernel = simplified(fn);
    const Function forward = *derivative(kernel, Mode::forward);
    const Pairs pairs(fn);
    Inputs begin = inputs;
    const Vectors tangents = direction(inputs.arrays, pairs.companions, 3),
                  weights = direction(inputs.arrays, pairs.values, 4);
    give(begin.arrays, pairs.companions, tangents);
    const auto slope = [&](const Function &f) {
        return dot(weights, take(interpret(f, begin).arrays, pairs.companions));
    };
    const auto moved = [&](const Function &f, double step) {
        Inputs at = inputs;
        Vectors values = take(inputs.arrays, pairs.values);
        for (size_t i = 0; i < values.size(); ++i)
            for (size_t k = 0; k < values[i].size(); ++k) values[i][k] += step * tangents[i][k];
        give(at.arrays, pairs.values, values);
        return dot(weights, take(interpret(f, at).arrays, pairs.values));
    };
    const Product found = slope(forward);
    std::string gaps;
    for (double step : {1e-4, 1e-5, 1e-6}) { // above rounding errors, below kinks
        const Product ahead = moved(kernel, step), behind = moved(kernel, -step);
        const double expected = (ahead.sum - behind.sum) / (2 * step), gap = std::fabs(expected - found.sum);
        if (!std::isfinite(expected) || gap <= 1e-4 * (1 + found.size)) return "";
        const auto there = [&](double by) { return [&moved, by](const Function &f) { return moved(f, by); }; };
        const double unknown =
            (rounding(kernel, ahead, there(step)) + rounding(kernel, behind, there(-step))) / (2 * step) +
            rounding(forward, found, slope);
        if (!(gap > unknown)) return "";
        gaps += text(expected) + " by differences of " + std::to_string(step) + ", good to " + text(unknown) + "\n";
    }
    return "not the slope: " + text(found.sum) + " in forward mode\n" + gaps + print(forward);
}

std::string check_backends(const Function &fn, const Inputs &inputs) {
    const Function kernel = simplified(fn);
    Inputs given = inputs;
    const Pairs pairs(fn);
    give(given.arrays, pairs.companions, direction(inputs.arrays, pairs.companions, 5));
    for (Mode mode : {Mode::forward, Mode::reverse}) {
        const std::optional<Function> made = derivative(kernel, mode);
        if (!made) continue;
        const Outputs expected = interpret(*made, given);
        for (const backends::Backend *backend : {&backends::cpu, &backends::far}) {
            if (!why_not(*backend).empty()) continue;
            BackendRun how;
            how.backend = backend;
            how.stages = engine::all_stages();
            const std::string gap = difference(expected, run_on(how, *made, given), 1e-6);
            if (!gap.empty()) return std::string(backend->name) + ": " + gap + "\n" + print(*made);
        }
    }
    return "";
}

} // namespace

std::vector<Property> derivative_properties() {
    return {{"derivative_transpose", check_transpose},
            {"derivative_differences", check_differences},
            {"derivative_backends", check_backends}};
}

} // namespace qd::tools
