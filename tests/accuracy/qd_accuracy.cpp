// Measures the errors of functions of reals:   qd_accuracy [--inputs all|N] [--type f32|f64] [--lanes N]
// [--exact] [function..]
//
// Prints the largest error of each function, in units of the last place of the exact result, and where it is. One argument of f32: all
// 2^32, or N at equal distances and some at random; else N at random, over all exponents, over the ordinary range and next to special
// points. The reference is the C library's function of the next wider type. Results too small to be normal may be zero under fast_math, and
// such arguments are left out. --exact measures without fast_math. With --check (the test of the suite), few inputs, and the errors may not
// be larger than functions.def says.
#include "../codegen/op_task.h"
#include "base/error.h"
#include "runtime/launcher.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>

using namespace qd;
using ir::Op;
using ir::Scalar;

namespace {

template <class T> struct Wider;
template <> struct Wider<float> {
    using type = double;
};
template <> struct Wider<double> {
    using type = long double;
};

template <class R> R exact(Op op, R x, R y) {
    switch (op) {
    case Op::sqrt: return std::sqrt(x);
    case Op::rsqrt: return 1 / std::sqrt(x);
    case Op::exp: return std::exp(x);
    case Op::log: return std::log(x);
    case Op::log2: return std::log2(x);
    case Op::sin: return std::sin(x);
    case Op::cos: return std::cos(x);
    case Op::tan: return std::tan(x);
    case Op::asin: return std::asin(x);
    case Op::acos: return std::acos(x);
    case Op::atan: return std::atan(x);
    case Op::tanh: return std::tanh(x);
    case Op::atan2: return std::atan2(x, y);
    case Op::pow: return std::pow(x, y);
    default: fail_internal("no reference");
    }
}

/// Returns infinity if one of the two is NaN or infinite and the other is not.
template <class T> double error(T got, typename Wider<T>::type want, bool keeps_subnormals) {
    constexpr T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
    const T rounded = T(want);
    if (std::isnan(got) || std::isnan(rounded))
        return std::isnan(got) == std::isnan(rounded) ? 0 : std::numeric_limits<double>::infinity();
    if (got == rounded && (std::isinf(got) || got == 0)) return 0;
    if (std::isinf(rounded))
        return got == std::copysign(greatest, rounded) ? 0 : std::numeric_limits<double>::infinity();
    const double size = std::fabs(double(rounded));
    if (!keeps_subnormals && size <= double(least) && std::fabs(double(got)) <= double(least)) return 0;
    const double binade =
        std::bit_cast<double>(std::bit_cast<uint64_t>(std::max(size, double(least))) & 0x7ff0000000000000);
    return double(std::fabs(got - want) / (binade * std::numeric_limits<T>::epsilon()));
}

/// Machine code that applies a function to arrays.
template <class T> struct Code {
    static constexpr size_t block = 1 << 14;
    const int operands, lanes;
    const bool keeps; ///< true if subnormals are kept, as in code without fast_math
    std::unique_ptr<backends::MappedCode> loaded;
    qd::abi::Body body;
    std::vector<T> x = std::vector<T>(block), y = x, out = x;

    Code(Op op, int count, int width, bool fast) : operands(count), lanes(width), keeps(!fast) {
        const Scalar type = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
        const std::vector<Scalar> inputs(size_t(count), type);
        ir::Function fn = test::make_task(op, inputs, type, width);
        fn.fast_math = fast;
        std::string problem;
        loaded = backends::load_elf(test::compile(std::move(fn)), &problem);
        if (!loaded) fail_internal(problem);
        body = reinterpret_cast<qd::abi::Body>(loaded->symbol(qd::abi::body_symbol));
    }

    void run() {
        test::Launch launch;
        std::vector<T> *arrays[] = {&x, &y, &out};
        size_t slot = 0;
        for (int i = 0; i < 3; ++i) {
            if (i == 1 && operands == 1) continue;
            launch.args[slot++] = reinterpret_cast<uint64_t>(arrays[i]->data());
            launch.args[slot++] = block;
        }
        launch.args[slot] = block / size_t(lanes);
        const qd::abi::Launch &start = launch.start();
        const runtime::FloatMode mode(keeps ? runtime::Subnormals::kept : runtime::Subnormals::flushed);
        body(&start, &launch.thread, 0, 1);
    }
};

/// Random arguments.
template <class T> class Draw {
  public:
    explicit Draw(Op op) : op_(op) {}
    void next(T &x, T &y) {
        using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
        const uint64_t kind = random_() % 4;
        x = std::bit_cast<T>(Word(random_()));
        y = std::bit_cast<T>(Word(random_()));
        if (kind == 1) x = uniform(20), y = uniform(20);
        if (kind == 2) x = beside(), y = beside();
        if (kind == 3) x = std::exp2(uniform(10)), y = op_ == Op::pow ? uniform(100) : std::exp2(uniform(10));
        if (op_ == Op::pow && kind != 0 && x < 0 && random_() % 2) x = -x;
    }

  private:
    T uniform(double size) { return T(size * (2 * double(random_() >> 11) * 0x1p-53 - 1)); }
    /// Returns a value a few steps from a multiple of a quarter turn, an integer or a power of two.
    T beside() {
        const double n = double(int64_t(random_() % 4001) - 2000);
        const uint64_t kind = random_() % 4;
        T at = T(kind == 0   ? n * std::numbers::pi / 2
                 : kind == 1 ? n / 8
                 : kind == 2 ? std::exp2(double(int(n) % 120))
                             : 1);
        for (uint64_t steps = random_() % 8; steps; --steps) at = std::nextafter(at, T(random_() % 2 ? 1e30 : -1e30));
        return at;
    }
    Op op_;
    std::mt19937_64 random_{11};
};

struct Wanted {
    uint64_t inputs = 0; ///< 0: all
    std::string type;
    int lanes = 0;
    bool exact = false, check = false;
    std::vector<std::string> names;
};

struct Worst {
    double error = 0;
    double x = 0, y = 0, got = 0, want = 0;
    uint64_t measured = 0;
};

template <class T> void compare(Op op, Code<T> &code, Worst &worst) {
    using Wide = typename Wider<T>::type;
    constexpr T least = std::numeric_limits<T>::min();
    code.run();
    for (size_t i = 0; i < code.block; ++i) {
        const T x = code.x[i], y = code.operands > 1 ? code.y[i] : T(1);
        if (!code.keeps && ((std::fabs(x) < least && x != 0) || (std::fabs(y) < least && y != 0))) continue;
        const Wide want = exact(op, Wide(x), Wide(y));
        const double e = error(code.out[i], want, code.keeps);
        ++worst.measured;
        if (e > worst.error) worst = {e, double(x), double(y), double(code.out[i]), double(want), worst.measured};
    }
}

template <class T> Worst measure(Op op, int operands, int lanes, bool fast, uint64_t inputs) {
    Code<T> code(op, operands, lanes, fast);
    Worst worst;
    const bool over_all = sizeof(T) == 4 && operands == 1;
    if (over_all) {
        const uint64_t every = inputs ? (uint64_t(1) << 32) / inputs : 1;
        for (uint64_t at = 0; at < uint64_t(1) << 32;) {
            for (T &x : code.x) x = T(std::bit_cast<float>(uint32_t(at))), at += every;
            compare(op, code, worst);
        }
    }
    const uint64_t drawn = over_all ? std::min<uint64_t>(inputs, 1'000'000) : inputs ? inputs : 100'000'000;
    Draw<T> draw(op);
    for (uint64_t done = 0; done < drawn; done += code.block) {
        for (size_t i = 0; i < code.block; ++i) draw.next(code.x[i], code.y[i]);
        compare(op, code, worst);
    }
    return worst;
}

template <class T> bool report(const Wanted &w, Op op, int operands, int lanes, double lanes_bound, double bound) {
    const Worst worst = measure<T>(op, operands, lanes, !w.exact, w.inputs);
    const bool is_f32 = sizeof(T) == 4;
    const double most = is_f32 && lanes > 1 && !w.exact ? lanes_bound : bound;
    const bool good = worst.error <= most;
    if (w.check && good) return true;
    std::printf("%-6s %s x%-2d %s  %10llu inputs  %8.3f ulp at %.9g", ir::info(op).name, is_f32 ? "f32" : "f64", lanes,
                w.exact ? "exact" : "fast ", static_cast<unsigned long long>(worst.measured), worst.error, worst.x);
    if (operands > 1) std::printf(", %.9g", worst.y);
    std::printf(": %.9g, not %.9g%s\n", worst.got, worst.want, w.check && !good ? "   TOO FAR" : "");
    std::fflush(stdout);
    return good;
}

bool measure_all(const Wanted &w) {
    bool good = true;
    const auto one = [&](const char *name, Op op, int operands, double lanes_bound, double f32_bound,
                         double f64_bound) {
        if (!w.names.empty() && std::ranges::find(w.names, name) == w.names.end()) return;
        for (const int lanes : {16, 8, 4, 1}) {
            if (w.lanes && w.lanes != lanes) continue;
            if (w.type != "f64") good &= report<float>(w, op, operands, lanes, lanes_bound, f32_bound);
            if (w.type != "f32") good &= report<double>(w, op, operands, lanes, f64_bound, f64_bound);
        }
    };
#define FUNCTION(op, operands, lanes, f32, f64) one(#op, Op::op, operands, lanes, f32, f64);
#include "functions.def"
    return good;
}

} // namespace

int main(int count, char **arguments) {
    Wanted w;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        const auto next = [&] { return std::string(i + 1 < count ? arguments[++i] : ""); };
        if (word == "--inputs") {
            const std::string many = next();
            w.inputs = many == "all" ? 0 : std::strtoull(many.c_str(), nullptr, 10);
        } else if (word == "--type") {
            w.type = next();
        } else if (word == "--lanes") {
            w.lanes = std::atoi(next().c_str());
        } else if (word == "--exact") {
            w.exact = true;
        } else if (word == "--check") {
            w.check = true;
        } else {
            w.names.push_back(word);
        }
    }
    if (!w.check) return measure_all(w), 0;
    w.inputs = 1 << 15;
    bool good = measure_all(w);
    w.exact = true;
    good &= measure_all(w);
    return good ? 0 : 1;
}
