// qd.svd and related functions: arguments are checked here; the functions are written in the language, in
// python/quadrants/_language/linalg.py, and inlined like funcs of the user.
#include "frontend/linalg.h"

#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/funcs.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/types.h"

#include <span>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

/// A function for the sizes least .. most. Its sweeps of Jacobi rotations bring even the worst matrices to the precision of the type.
struct Row {
    int least, most;
    const char *function;
};

/// A factorisation: its rows, and the error for matrices of other sizes.
struct Solver {
    std::span<const Row> rows;
    const char *otherwise;

    /// The row for a matrix of this shape; null if there is none.
    const Row *row_for(const Shape &shape) const {
        for (const Row &row : rows)
            if (shape.ndim == 2 && shape.n == shape.m && shape.n >= row.least && shape.n <= row.most) return &row;
        return nullptr;
    }
};

} // namespace

PyRef dtype_object(Scalar type) {
    PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._dtypes"));
    PyRef names = PyRef::steal(module ? PyObject_GetAttrString(module.get(), "names") : nullptr);
    PyObject *found = names ? PyDict_GetItemString(names.get(), ir::to_string(type).c_str()) : nullptr;
    if (!found) fail_internal("no data type object for " + ir::to_string(type));
    return PyRef::borrow(found);
}

/// Inlines a func of quadrants._language.linalg.
Val library_call(Walk &w, const Node *node, const char *name, std::vector<Val> args) {
    PyRef function = library_func(name);
    if (!function) w.python_failed(node);
    w.dependencies.library(name, function.get());
    FuncInfo &info = w.funcs.func_info(node, function.get());
    const std::vector<PyObject *> known(args.size());
    for (size_t i = 0; i < args.size(); ++i)
        args[i] = w.funcs.pass_argument(node, info, i, std::move(args[i]), false, known);
    return w.funcs.inline_body(node, info, std::move(args));
}

static Val real_matrix(Walk &w, const Call &call, size_t i, Scalar type) {
    return cast(w, call.node, to_matrix(w, call.node, call.args[i]), type);
}

/// The matrix argument of a function. Its size, or that of a field's elements, is checked before all else.
static Val matrix_of_size(Walk &w, const Call &call, const Solver &solver) {
    const Val &given = call.args[0];
    const bool is_field = given.is_constant() && w.objects.kind_of(given.object()) == Kind::matrix_field;
    const FieldInfo *field = is_field ? w.places.field_info(call.node, given.object()) : nullptr;
    const Val a = field ? Val{} : to_matrix(w, call.node, given);
    const bool suits = field ? solver.row_for({field->n, field->m, field->element_dim}) != nullptr
                             : solver.row_for(shape_of(a)) != nullptr;
    if (!suits) w.fail(call.node, UserErrorKind::compilation, solver.otherwise);
    return field ? to_matrix(w, call.node, given) : a;
}

/// The real type for the computation: the argument at `dt_at`, or the type of the matrix.
static Scalar real_type(Walk &w, const Call &call, const Val &a, size_t dt_at) {
    const Val *dt = call.args.size() > dt_at ? &call.args[dt_at] : nullptr;
    const bool given = dt && dt->is_constant() && dt->object() != Py_None;
    const Scalar type = given ? dtype_scalar(w, call.node, dt->object())
                              : (ir::is_float(a.matrix().elem) ? a.matrix().elem : w.request.options.default_fp);
    if (!ir::is_float(type))
        w.fail_type(call.node,
                    std::string("`") + call.row->name + "` computes in a real type, not " + ir::to_string(type));
    return type;
}

/// f16 is too coarse to compute in.
static Scalar inner_type(Scalar type) { return type == Scalar::f16 ? Scalar::f32 : type; }

static Val factorise(Walk &w, const Call &call, const Solver &solver) {
    const Node *node = call.node;
    const Val a = matrix_of_size(w, call, solver);
    const Scalar type = real_type(w, call, a, 1), inner = inner_type(type);
    const double eps = inner == Scalar::f64 ? 0x1p-51 : 0x1p-22; // twice the distance from 1 to the next number
    std::vector<Val> args = {real_matrix(w, call, 0, inner), constant(dtype_object(inner)),
                             scalar(w, w.b.number(inner, eps))};
    Val out = library_call(w, node, solver.row_for(shape_of(a))->function, std::move(args));
    if (inner == type) return out;
    if (!out.is_sequence()) return cast(w, node, out, type);
    for (Val &item : out.sequence().items) item = cast(w, node, item, type);
    return out;
}

Val handlers::svd(Walk &w, const Call &call) {
    static constexpr Row rows[] = {{2, 2, "svd2"}, {3, 3, "svd3"}};
    return factorise(w, call, {rows, "SVD only supports 2×2 and 3×3 matrices."});
}

Val handlers::sym_eig(Walk &w, const Call &call) {
    static constexpr Row rows[] = {{2, 6, "sym_eig"}};
    return factorise(w, call, {rows, "Symmetric eigen solver currently supports sizes up to 6×6"});
}

Val handlers::eig(Walk &w, const Call &call) {
    static constexpr Row rows[] = {{2, 2, "eig2"}};
    return factorise(w, call, {rows, "Eigen solver only supports 2×2 matrices."});
}

Val handlers::polar_decompose(Walk &w, const Call &call) {
    static constexpr Row rows[] = {{2, 2, "polar2"}, {3, 3, "polar3"}};
    return factorise(w, call, {rows, "Polar decomposition only supports 2×2 and 3×3 matrices."});
}

Val handlers::make_spd(Walk &w, const Call &call) {
    static constexpr Row rows[] = {{2, 6, "make_spd"}};
    return factorise(w, call, {rows, "Symmetric eigen solver currently supports sizes up to 6×6"});
}

/// Solves A x = b.
Val handlers::solve(Walk &w, const Call &call) {
    static constexpr Row rows[] = {{2, 3, "solve"}};
    const Node *node = call.node;
    const Val a = matrix_of_size(w, call, {rows, "Solver only supports 2×2 and 3×3 matrices."});
    const Scalar type = real_type(w, call, a, 2), inner = inner_type(type);
    const Val matrix = real_matrix(w, call, 0, inner), right = real_matrix(w, call, 1, inner);
    if (right.matrix().ndim != 1 || right.matrix().n != a.matrix().n)
        w.fail_type(node, "`solve` needs a vector of " + std::to_string(a.matrix().n) + " components, not " +
                              type_text(w, right));
    const Val out = library_call(w, node, rows[0].function, {matrix, right, constant(dtype_object(inner))});
    return inner == type ? out : cast(w, node, out, type);
}

/// Returns (mantissa, exponent): x = mantissa * 2^exponent, 0.5 <= |mantissa| < 1. The mantissa of zero, infinity and NaN is the number
/// itself.
Val handlers::frexp(Walk &w, const Call &call) {
    const Node *node = call.node;
    const bool literal = constant_int(call.args[0]).has_value(); // qd.frexp(3): a Python number
    ir::Value exponent;
    const auto split = [&](const Val &given) {
        const Scalar given_type = literal ? w.request.options.default_fp : scalar_type(w, node, given);
        check_domain(w, node, *call.row, given_type);
        const Scalar type = given_type == Scalar::f64 ? Scalar::f64 : Scalar::f32;
        const bool wide = type == Scalar::f64;
        const Scalar bits = wide ? Scalar::i64 : Scalar::i32;
        const int fraction = wide ? 52 : 23;
        const int64_t mask = wide ? 0x7FF : 0xFF, bias = wide ? 1022 : 126;
        const ir::Value x = as(w, node, given, type);
        const auto field_of = [&](ir::Value v) {
            const ir::Value shift = w.b.integer(bits, fraction);
            const ir::Value shifted = w.b.shr(v, shift);
            const ir::Value low = w.b.integer(bits, mask);
            return w.b.band(shifted, low);
        };
        const ir::Value zero = w.b.integer(bits, 0);
        const ir::Value is_small = w.b.eq(field_of(w.b.bitcast(x, bits)), zero);
        const ir::Value lift = w.b.number(type, wide ? 0x1p53 : 0x1p24);
        const ir::Value lifted = w.b.mul(x, lift);
        const ir::Value normal = w.b.select(is_small, lifted, x);
        const ir::Value word = w.b.bitcast(normal, bits);
        const ir::Value field = field_of(word);
        const ir::Value full = w.b.integer(bits, mask);
        const ir::Value no_number = w.b.eq(field, full);
        const ir::Value real_zero = w.b.number(type, 0);
        const ir::Value is_zero = w.b.eq(x, real_zero);
        const ir::Value special = w.b.bor(no_number, is_zero);
        const ir::Value small_bias = w.b.integer(bits, bias + fraction + 1);
        const ir::Value plain_bias = w.b.integer(bits, bias);
        const ir::Value offset = w.b.select(is_small, small_bias, plain_bias);
        const ir::Value power = w.b.sub(field, offset);
        const ir::Value kept = w.b.select(special, zero, power);
        exponent = convert(w, kept, Scalar::i32);
        const ir::Value others = w.b.integer(bits, ~(mask << fraction));
        const ir::Value cleared = w.b.band(word, others);
        const ir::Value half = w.b.integer(bits, bias << fraction);
        const ir::Value joined = w.b.bor(cleared, half);
        const ir::Value mantissa = w.b.bitcast(joined, type);
        const ir::Value chosen = w.b.select(special, x, mantissa);
        return scalar(w, convert(w, chosen, given_type));
    };
    const Val mantissas = map(w, node, call.args[0], split);
    const Val exponents = map(w, node, call.args[0], [&](const Val &x) {
        split(x);
        return scalar(w, exponent);
    });
    return tuple_of({mantissas, exponents});
}

} // namespace qd::frontend
