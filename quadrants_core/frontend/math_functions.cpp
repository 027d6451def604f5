// Functions of qd.math, and random numbers.
#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/matrix.h"
#include "frontend/types.h"

#include <numbers>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

Val handlers::is_nan(Walk &w, const Call &call) {
    return map(w, call.node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, call.node, x);
        return scalar(w, w.b.ne(v, v));
    });
}

Val handlers::is_infinite(Walk &w, const Call &call) {
    return map(w, call.node, call.args[0], [&](const Val &x) {
        const ir::Value v = as_is(w, call.node, x);
        const Scalar type = w.fn.type(v).elem;
        if (!ir::is_float(type)) return scalar(w, w.b.ne(v, v)); // always false
        const ir::Value size = w.b.abs(v);
        const ir::Value infinity = w.b.number(type, std::numeric_limits<double>::infinity());
        return scalar(w, w.b.eq(size, infinity));
    });
}

Val handlers::random(Walk &w, const Call &call) {
    Scalar type = w.request.options.default_fp;
    const Val *dtype = call.args.empty() ? nullptr : &call.args[0];
    if (dtype && dtype->is_constant()) type = dtype_scalar(w, call.node, dtype->object());
    return scalar(w, w.b.random(type));
}

/// Box-Muller: sqrt(-2 ln(1 - u)) cos(2 pi v).
Val handlers::randn(Walk &w, const Call &call) {
    Scalar type = w.request.options.default_fp;
    const Val *dtype = call.args.empty() ? nullptr : &call.args[0];
    if (dtype && dtype->is_constant() && dtype->object() != Py_None) type = dtype_scalar(w, call.node, dtype->object());
    if (!ir::is_float(type)) w.fail_type(call.node, "`randn` gives real numbers, not " + ir::to_string(type));
    const ir::Value u = w.b.random(type);
    const ir::Value v = w.b.random(type);
    const ir::Value one = w.b.number(type, 1);
    const ir::Value positive = w.b.sub(one, u);
    const ir::Value logarithm = w.b.log(positive);
    const ir::Value minus_two = w.b.number(type, -2);
    const ir::Value square = w.b.mul(minus_two, logarithm);
    const ir::Value radius = w.b.sqrt(square);
    const ir::Value turn = w.b.number(type, 2 * std::numbers::pi);
    const ir::Value angle = w.b.mul(turn, v);
    const ir::Value cosine = w.b.cos(angle);
    return scalar(w, w.b.mul(radius, cosine));
}

Val handlers::clamp(Walk &w, const Call &call) {
    const Node *node = call.node;
    const auto pick = [&](Op op, const Val &a, const Val &b) {
        return broadcast(w, node, "clamp", a, b, [&](const Val &x, const Val &y) {
            const Scalar type = promote(scalar_type(w, node, x), scalar_type(w, node, y));
            const ir::Value p = as(w, node, x, type);
            const ir::Value q = as(w, node, y, type);
            return scalar(w, emit2(w, op, p, q));
        });
    };
    const Val raised = pick(Op::max, call.args[1], call.args[0]);
    return pick(Op::min, call.args[2], raised);
}

/// x * (1 - a) + y * a
Val handlers::mix(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val &x = call.args[0], &y = call.args[1], a = typed(w, node, call.args[2]);
    const Val rest = binary(w, node, NodeKind::Sub, constant(PyRef::steal(PyFloat_FromDouble(1))), a);
    const Val left = binary(w, node, NodeKind::Mult, x, rest);
    const Val right = binary(w, node, NodeKind::Mult, y, a);
    return binary(w, node, NodeKind::Add, left, right);
}

Val handlers::step(Walk &w, const Call &call) {
    const Node *node = call.node;
    return broadcast(w, node, "step", call.args[0], call.args[1], [&](const Val &edge, const Val &x) {
        Scalar type = promote(scalar_type(w, node, edge), scalar_type(w, node, x));
        if (!ir::is_float(type)) type = w.request.options.default_fp;
        const ir::Value e = as(w, node, edge, type);
        const ir::Value v = as(w, node, x, type);
        const ir::Value above = w.b.ge(v, e);
        return scalar(w, w.b.cast(above, type));
    });
}

Val handlers::fract(Walk &w, const Call &call) {
    const Node *node = call.node;
    return map(w, node, call.args[0], [&](const Val &x) {
        Scalar type = scalar_type(w, node, x);
        if (!ir::is_float(type)) type = w.request.options.default_fp;
        const ir::Value v = as(w, node, x, type);
        const ir::Value whole = w.b.floor(v);
        return scalar(w, w.b.sub(v, whole));
    });
}

/// t * t * (3 - 2t) with t = clamp((x - e0) / (e1 - e0), 0, 1)
Val handlers::smoothstep(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val e0 = typed(w, node, call.args[0]);
    const Val distance = binary(w, node, NodeKind::Sub, call.args[2], e0);
    const Val range = binary(w, node, NodeKind::Sub, call.args[1], e0);
    const Val ratio = binary(w, node, NodeKind::Div, distance, range);
    const Val t = map(w, node, ratio, [&](const Val &r) {
        const ir::Value zero = w.b.number(r.scalar().elem, 0);
        const ir::Value one = w.b.number(r.scalar().elem, 1);
        const ir::Value low = w.b.max(r.scalar().v, zero);
        return scalar(w, w.b.min(low, one));
    });
    return map(w, node, t, [&](const Val &r) {
        const ir::Value two = w.b.number(r.scalar().elem, 2);
        const ir::Value three = w.b.number(r.scalar().elem, 3);
        const ir::Value twice = w.b.mul(two, r.scalar().v);
        const ir::Value slope = w.b.sub(three, twice);
        const ir::Value square = w.b.mul(r.scalar().v, r.scalar().v);
        return scalar(w, w.b.mul(square, slope));
    });
}

static Val scaled(Walk &w, const Call &call, double factor) {
    const Val number = constant(PyRef::steal(PyFloat_FromDouble(factor)));
    return binary(w, call.node, NodeKind::Mult, typed(w, call.node, call.args[0]), number);
}

Val handlers::to_degrees(Walk &w, const Call &call) { return scaled(w, call, 180 / std::numbers::pi); }

Val handlers::to_radians(Walk &w, const Call &call) { return scaled(w, call, std::numbers::pi / 180); }

/// x % y of reals.
Val handlers::floor_mod(Walk &w, const Call &call) {
    const auto real = [&](const Val &arg) {
        return map(w, call.node, typed(w, call.node, arg), [&](const Val &x) {
            const bool is_real = ir::is_float(x.scalar().elem);
            return is_real ? x : cast(w, call.node, x, w.request.options.default_fp);
        });
    };
    return binary(w, call.node, NodeKind::Mod, real(call.args[0]), real(call.args[1]));
}

// qd.math of vectors and matrices

Val handlers::vector_length(Walk &w, const Call &call) {
    return norm(w, call.node, to_matrix(w, call.node, call.args[0]), nullptr);
}

Val handlers::vector_inverse(Walk &w, const Call &call) {
    return inverse(w, call.node, to_matrix(w, call.node, call.args[0]));
}

Val handlers::vector_determinant(Walk &w, const Call &call) {
    return determinant(w, call.node, to_matrix(w, call.node, call.args[0]));
}

Val handlers::vector_normalize(Walk &w, const Call &call) {
    const Val a = to_matrix(w, call.node, call.args[0]);
    const Val one = constant(PyRef::steal(PyFloat_FromDouble(1)));
    const Val scale = scalar_binary(w, call.node, NodeKind::Div, one, norm(w, call.node, a, nullptr));
    return binary(w, call.node, NodeKind::Mult, a, scale);
}

Val handlers::vector_dot(Walk &w, const Call &call) {
    const Val a = to_matrix(w, call.node, call.args[0]), b = to_matrix(w, call.node, call.args[1]);
    return dot(w, call.node, a, b);
}

Val handlers::vector_cross(Walk &w, const Call &call) {
    const Val a = to_matrix(w, call.node, call.args[0]), b = to_matrix(w, call.node, call.args[1]);
    return cross(w, call.node, a, b);
}

Val handlers::vector_distance(Walk &w, const Call &call) {
    const Val a = to_matrix(w, call.node, call.args[0]), b = to_matrix(w, call.node, call.args[1]);
    return norm(w, call.node, binary(w, call.node, NodeKind::Sub, a, b), nullptr);
}

/// a - 2 (a . b) b
Val handlers::vector_reflect(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val a = to_matrix(w, node, call.args[0]), b = to_matrix(w, node, call.args[1]);
    const Val twice = scalar_binary(w, node, NodeKind::Mult, integer(2), dot(w, node, a, b));
    return binary(w, node, NodeKind::Sub, a, binary(w, node, NodeKind::Mult, twice, b));
}

} // namespace qd::frontend
