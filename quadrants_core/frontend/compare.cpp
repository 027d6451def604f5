// Comparisons, `and`/`or` and `a if c else b`. With run-time scalars the last two are branches that evaluate only one side.
#include "frontend/compare.h"

#include "frontend/arithmetic.h"
#include "frontend/control.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/instance.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/operators.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/recursion.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/static.h"
#include "frontend/types.h"

namespace qd::frontend {

using ir::Scalar;

static Val compare_static(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b);
static Val choose(Walk &w, const Node *node, ir::Value test, const std::function<Val()> &yes,
                  const std::function<Val()> &no, bool cut = false);
static Val boolop_of(Walk &w, const Node *node, bool is_and, const Items &values, bool cut);
static bool decides_type(Walk &w, const Val &v);
static Val with_type_of(Walk &w, const Node *node, const char *word, const Val &first, const Val &rest);
static void walk_unreached(Walk &w, const Node *node, const std::function<void()> &walk);
static bool is_choosable(Walk &w, const Val &v);

Val compare(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b) {
    if ((op == NodeKind::In || op == NodeKind::NotIn) && b.is_structure())
        if (const std::optional<Val> found = class_method(w, node, b, "contains", {a}))
            return op == NodeKind::In ? *found : unary(w, node, NodeKind::Not, *found);
    if (op == NodeKind::Is || op == NodeKind::IsNot || op == NodeKind::In || op == NodeKind::NotIn)
        return compare_static(w, node, op, a, b);
    if (are_computed(w, a, b)) return known(w, scalar_compare(w, node, op, a, b));
    if (is_scalar(a) && is_scalar(b) && !(a.is_constant() && b.is_constant())) return scalar_compare(w, node, op, a, b);
    const PyRef left = to_python(a), right = to_python(b);
    const bool host_matrix = (a.is_constant() && w.objects.kind_of(a.object()) == Kind::matrix) ||
                             (b.is_constant() && w.objects.kind_of(b.object()) == Kind::matrix);
    if (left && right && !host_matrix) {
        w.dependencies.use_within(left.get());
        w.dependencies.use_within(right.get());
        PyObject *result = PyObject_RichCompare(left.get(), right.get(), *operator_of(op).compare);
        if (!result)
            if (std::optional<Val> made = instead_of_python([&] { return class_compare(w, node, op, a, b); }))
                return *made;
        if (!result) w.python_failed(node);
        return wrap(w, PyRef::steal(result));
    }
    if (std::optional<Val> made = class_compare(w, node, op, a, b)) return *made;
    return broadcast(w, node, symbol_of(op), a, b,
                     [&](const Val &x, const Val &y) { return scalar_compare(w, node, op, x, y); });
}

static Val compare_static(Walk &w, const Node *node, NodeKind op, const Val &a, const Val &b) {
    const bool membership = op == NodeKind::In || op == NodeKind::NotIn;
    const char *of_run = op == NodeKind::In ? "compare a run-time value with each item: `a == 1 or a == 2`"
                                            : "compare a run-time value with each item: `a != 1 and a != 2`";
    if (!w.static_depth) {
        if (membership)
            w.fail_syntax(node, "\"In\" is only supported inside `qd.static`.",
                          to_python(a) && to_python(b) ? "write `qd.static(a in b)`" : of_run);
        w.fail_syntax(node,
                      std::string("Operator \"") + (op == NodeKind::Is ? "is" : "is not") +
                          "\" in Quadrants scope is not supported.",
                      "use `==`, or `qd.static(x is None)` for a template argument");
    }
    const PyRef left = to_python(a), right = to_python(b);
    if (membership) {
        const Val &unknown = left ? b : a;
        if (unknown.is_scalar() && !w.parameters.is_runtime_number(unknown.scalar().v))
            w.fail(node, UserErrorKind::compilation,
                   "Input to qd.static must be compile-time constants or global pointers, instead of " +
                       type_text(w, unknown),
                   std::string("pass it as a `qd.template()` argument, or ") + of_run);
        if (!left || !right) fail_static(w, node, unknown);
        w.dependencies.use_within(right.get());
        const int found = PySequence_Contains(right.get(), left.get());
        if (found < 0) w.python_failed(node);
        return constant(PyRef::borrow((found == 1) == (op == NodeKind::In) ? Py_True : Py_False));
    }
    const bool right_none = right && right.get() == Py_None, left_none = left && left.get() == Py_None;
    const auto is_computed = [](const Val &v) { return v.is_scalar() || v.is_matrix() || v.is_ref(); };
    if ((!left_none && !right_none) || is_computed(a) || is_computed(b))
        w.fail_syntax(node,
                      std::string("Operator \"") + (op == NodeKind::Is ? "is" : "is not") +
                          "\" inside `qd.static` requires a direct `qd.template()` or `qd.Tensor` kernel argument "
                          "and `None`.");
    const bool same = left_none && right_none;
    return constant(PyRef::borrow(same == (op == NodeKind::Is) ? Py_True : Py_False));
}

/// True if reading the operand has no effect and cannot fail, so that it needs no branch of its own.
static bool is_plain(const Node *operand) {
    while (operand->kind == NodeKind::Attribute) operand = child(operand, Field::value);
    return operand->kind == NodeKind::Name || operand->kind == NodeKind::Constant;
}

/// left ops[i] others[i] ops[i + 1] ...: an operand is evaluated only if the links before it hold.
static Val links_from(Walk &w, const Node *node, Val left, size_t i, Use use) {
    const Items ops = items_of(node, Field::ops), others = items_of(node, Field::comparators);
    Val result;
    for (const size_t first = i; i < ops.size(); ++i) {
        const bool holds = i > first && result.is_constant() && w.objects.kind_of(result.object()) != Kind::matrix;
        if (holds && !truth(w, node, result.object())) return result;
        if (i > first && result.is_scalar() && !is_plain(others[i]) && w.request.options.short_circuit_operators)
            return choose(
                w, node, as(w, node, result, Scalar::u1), [&] { return links_from(w, node, left, i, use); },
                [&] { return result; });
        const Val right = value(w, others[i], use);
        AtNode at(w, node);
        const Val link = compare(w, node, ops[i]->kind, left, right);
        result = i == first || holds ? link : broadcast(w, node, "and", result, link, [&](const Val &x, const Val &y) {
            return scalar_binary(w, node, NodeKind::BitAnd, x, y);
        });
        left = right;
    }
    return result;
}

Val eval_compare(Walk &w, const Node *node) {
    const Items ops = items_of(node, Field::ops);
    const bool with_none = ops.size() == 1 && (ops[0]->kind == NodeKind::Is || ops[0]->kind == NodeKind::IsNot);
    const Use use = with_none ? Use::forwarded : Use::value; // only the identity of the object matters
    return links_from(w, node, value(w, child(node, Field::left), use), 0, use);
}

/// Makes names readable that `:=` has bound if `test` has this truth value.
void bind_certain(Walk &w, const Node *test, bool truth) {
    if (!w.scopes.has_maybes()) return;
    std::unordered_set<PyObject *> names;
    scan_certain(test, truth, names);
    w.scopes.reveal(names);
}

Val eval_boolop(Walk &w, const Node *node, bool cut) {
    const bool is_and = child(node, Field::op)->kind == NodeKind::And;
    return boolop_of(w, node, is_and, items_of(node, Field::values), cut);
}

/// A part of an expression.
static Val part(Walk &w, const Node *node, bool cut) {
    if (cut) w.recursion.lower_calls(node);
    return value(w, node);
}

/// Long chains are split in halves, so that branches nest no deeper than the logarithm of their length.
static size_t first_part(const Items &values) {
    constexpr size_t max_nested = 8;
    return values.size() > max_nested ? values.size() / 2 : 1;
}

/// values[0] and/or values[1] and/or ...
static Val boolop_of(Walk &w, const Node *node, bool is_and, const Items &values, bool cut) {
    if (values.size() == 1) return part(w, values[0], cut);
    const size_t middle = first_part(values);
    const Items before = values.to(middle), after = values.from(middle);
    const Val first = boolop_of(w, node, is_and, before, cut);
    const auto more_of = [&] {
        for (const Node *known : before) bind_certain(w, known, is_and);
        return boolop_of(w, node, is_and, after, cut);
    };
    const char *word = is_and ? "and" : "or";
    if (first.is_constant() && w.objects.kind_of(first.object()) != Kind::matrix) {
        if (truth(w, node, first.object()) != is_and) {
            if (!cut && decides_type(w, first) && binds_names(after)) walk_unreached(w, node, more_of);
            return first;
        }
        const Val rest = more_of();
        return decides_type(w, first) ? with_type_of(w, node, word, first, rest) : rest;
    }
    AtNode at(w, node);
    if (w.static_depth) fail_static(w, node, first);
    if (!first.is_scalar() || !w.request.options.short_circuit_operators) {
        if (cut) {
            for (const Node *one : after) w.recursion.lower_calls(one);
            return boolop_of(w, node, is_and, values, false); // its calls are done
        }
        const Val rest = boolop_of(w, node, is_and, after, false);
        const bool scalars = first.is_scalar() && (rest.is_scalar() || is_number(rest));
        return broadcast(w, node, word, first, rest, [&](const Val &x, const Val &y) {
            check_integral(w, node, word, x);
            check_integral(w, node, word, y);
            if (scalars) return scalar_binary(w, node, is_and ? NodeKind::BitAnd : NodeKind::BitOr, x, y);
            const ir::Value p = as(w, node, x, Scalar::u1);
            const ir::Value q = as(w, node, y, Scalar::u1);
            return scalar(w, emit2(w, is_and ? ir::Op::band : ir::Op::bor, p, q));
        });
    }
    check_integral(w, node, word, first);
    const ir::Value test = as(w, node, first, Scalar::u1);
    const Val kept = cut ? w.places.new_variable(node, first) : first;
    const auto keep = [&] { return w.places.load(kept); };
    const auto more = [&] {
        const Val rest = more_of();
        if (rest.is_matrix()) fail_unsupported(w, node, word, first, rest); // its shape would depend on the run
        if (rest.is_scalar() || is_number(rest)) check_integral(w, node, word, rest);
        return rest;
    };
    return is_and ? choose(w, node, test, more, keep, cut) : choose(w, node, test, keep, more, cut);
}

/// True if a compile-time number chooses as a run-time one would, so that both sides decide the type. Results of `qd.static` do not.
static bool decides_type(Walk &w, const Val &v) { return !w.static_depth && !v.is_static && is_number(v); }

/// Converts `rest` of `first and rest`, where `first` is a compile-time number, to the type that holds both.
static Val with_type_of(Walk &w, const Node *node, const char *word, const Val &first, const Val &rest) {
    if (!rest.is_scalar()) return rest;
    AtNode at(w, node);
    check_integral(w, node, word, first);
    check_integral(w, node, word, rest);
    return scalar(w, convert(w, rest.scalar().v, promote(scalar_type(w, node, first), rest.scalar().elem)));
}

void check_integral(Walk &w, const Node *node, const char *word, const Val &v) {
    const Scalar type = scalar_type(w, node, v);
    if (ir::is_float(type))
        w.fail_type(node,
                    std::string("unsupported operand type(s) for '") + word + "': '" + ir::to_string(type) +
                        "' is not an integer",
                    "compare it with something, e.g. `x != 0`");
}

/// One side of a run-time choice, with all constants made run-time numbers.
Val chosen_value(Walk &w, const Node *node, const Val &side) {
    Val v = typed(w, node, side);
    switch (v.tag()) {
    case Tag::scalar:
    case Tag::matrix:
    case Tag::element: return v;
    case Tag::sequence:
    case Tag::structure:
        if (v.is(Flavour::text)) break;
        for (Val &item : v.parts()) item = chosen_value(w, node, item);
        return v;
    case Tag::none:
    case Tag::constant:
    case Tag::array:
    case Tag::bundle:
    case Tag::dict:
    case Tag::loop:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break;
    }
    w.fail_type(node,
                "A run-time choice needs numbers, vectors, matrices, structs or tuples of them on both sides, not " +
                    type_text(w, v),
                "evaluate the condition with `qd.static`");
}

/// A value like both sides, with the types that hold both. A number paired with a vector or matrix has its shape.
Val chosen_type(Walk &w, const Node *node, const Val &a, const Val &b) {
    if (a.is_element() && b.is_element() && a.element().elements.get() != b.element().elements.get())
        w.fail_type(node, "Both sides of a run-time choice must be elements of one kind of one mesh");
    const auto same = [](const PyRef &x, const PyRef &y) { return x.get() == y.get(); };
    const bool one_struct = !a.is_structure() || !b.is_structure() ||
                            (a.structure().type->cls.get() == b.structure().type->cls.get() &&
                             std::equal(a.structure().type->names.begin(), a.structure().type->names.end(),
                                        b.structure().type->names.begin(), b.structure().type->names.end(), same));
    const bool one_shape = shape_of(a) == shape_of(b);
    if (a.is_matrix() && b.is_matrix() && !one_shape)
        w.fail(node, UserErrorKind::compilation,
               "Cannot broadcast tensor to tensor: '" + type_text(w, a) + "' and '" + type_text(w, b) + "'");
    if ((a.is_scalar() && b.is_matrix()) || (a.is_matrix() && b.is_scalar())) {
        Val out = a.is_matrix() ? a : b;
        out.matrix().elem = promote(scalar_type(w, node, a), scalar_type(w, node, b));
        return out;
    }
    if (a.tag() != b.tag() || !one_struct || !one_shape || a.parts().size() != b.parts().size())
        w.fail_type(node, "Both sides of a run-time choice must have one shape: '" + type_text(w, a) + "' and '" +
                              type_text(w, b) + "'");
    Val out = a;
    if (val::Scalar *number = out.if_scalar()) number->elem = promote(number->elem, b.scalar().elem);
    if (val::Matrix *matrix = out.if_matrix()) matrix->elem = promote(matrix->elem, b.matrix().elem);
    for (size_t k = 0; k < out.parts().size(); ++k) out.parts()[k] = chosen_type(w, node, a.parts()[k], b.parts()[k]);
    return out;
}

/// Appends the numbers of one side, in the types that hold both.
static void append_chosen(Walk &w, const Val &v, const Val &like, std::vector<ir::Value> &out) {
    for (size_t k = 0; k < v.parts().size(); ++k) append_chosen(w, v.parts()[k], like.parts()[k], out);
    if (v.is_scalar() && like.is_matrix()) // the number is used for every component
        out.insert(out.end(), like.matrix().comps.size(), convert(w, v.scalar().v, like.matrix().elem));
    else if (v.is_scalar())
        out.push_back(convert(w, v.scalar().v, like.scalar().elem));
    else if (v.is_element())
        out.push_back(convert(w, v.element().number, Scalar::i32));
    else if (v.is_matrix())
        for (const ir::Value c : v.matrix().comps) out.push_back(convert(w, c, like.matrix().elem));
}

/// Makes the numbers of `out` results of `branch`, in the order of append_chosen.
static void take_results(Walk &w, ir::Value branch, Val &out) {
    for (Val &item : out.parts()) take_results(w, branch, item);
    if (val::Scalar *number = out.if_scalar()) number->v = w.fn.add_result(branch, number->elem);
    if (val::Element *element = out.if_element()) element->number = w.fn.add_result(branch, Scalar::i32);
    if (val::Matrix *matrix = out.if_matrix())
        for (ir::Value &c : matrix->comps) c = w.fn.add_result(branch, matrix->elem);
}

Arm walk_arm(Walk &w, const Node *node, const std::function<Val()> &walk) {
    const Scope scope(w);
    Arm arm;
    arm.value = chosen_value(w, node, walk());
    for (const Binding &bound : w.scopes.bindings().subspan(scope.size)) {
        const Val v = w.places.load(bound.value);
        if (is_choosable(w, v)) arm.names.push_back({bound.name, chosen_value(w, node, v), bound.maybe});
    }
    arm.end = w.b.block;
    return arm;
}

/// The names that two arms bind, each with the type that holds the values of both.
std::vector<ArmName> names_of_arms(Walk &w, const Node *node, const Arm (&arms)[2]) {
    std::vector<ArmName> out;
    for (int k = 0; k < 2; ++k)
        for (const BoundInArm &bound : arms[k].names) {
            const auto is_it = [&](const ArmName &known) { return known.name == bound.name; };
            auto known = std::find_if(out.begin(), out.end(), is_it);
            if (known == out.end()) known = out.insert(known, {bound.name, bound.value, {}, bound.maybe});
            known->sides[k] = &bound.value;
            known->maybe |= bound.maybe;
            if (k == 1 && known->sides[0]) known->like = chosen_type(w, node, known->like, bound.value);
        }
    for (ArmName &name : out) name.maybe |= !name.sides[0] || !name.sides[1];
    return out;
}

/// Appends zeros of the types of append_chosen.
static void append_zeros(Walk &w, const Val &like, std::vector<ir::Value> &out) {
    for (const Val &part : like.parts()) append_zeros(w, part, out);
    if (like.is_scalar()) out.push_back(w.b.constant(like.scalar().elem, 0));
    if (like.is_element()) out.push_back(w.b.i32(0));
    if (const val::Matrix *matrix = like.if_matrix())
        out.insert(out.end(), matrix->comps.size(), w.b.constant(matrix->elem, 0));
}

/// A branch with a value: one side is evaluated at run time. Names that `:=` binds in a side are results of the branch, too.
static Val choose(Walk &w, const Node *node, ir::Value test, const std::function<Val()> &yes,
                  const std::function<Val()> &no, bool cut) {
    if (cut) return w.places.load(w.recursion.lower_choice(node, test, yes, no));
    const Nested nested(w);
    const ir::Value branch = w.b.if_(test);
    const ir::BlockId outer = w.b.block;
    const auto side = [&](int k, const std::function<Val()> &f) {
        w.b.block = w.fn[branch].blocks[k];
        return walk_arm(w, node, f);
    };
    ++w.frames.back().dynamic;
    Arm arms[2];
    arms[0] = side(0, yes);
    arms[1] = side(1, no);
    --w.frames.back().dynamic;
    Val out = chosen_type(w, node, arms[0].value, arms[1].value);
    std::vector<ArmName> names = names_of_arms(w, node, arms);
    for (int k = 0; k < 2; ++k) {
        w.b.block = arms[k].end;
        std::vector<ir::Value> values;
        append_chosen(w, arms[k].value, out, values);
        for (const ArmName &name : names)
            name.sides[k] ? append_chosen(w, *name.sides[k], name.like, values) : append_zeros(w, name.like, values);
        w.b.yield(values);
    }
    w.b.block = outer;
    take_results(w, branch, out);
    for (ArmName &name : names) take_results(w, branch, name.like);
    for (const ArmName &name : names)
        w.scopes.bind_from_arm(name.name, w.places.new_variable(node, name.like), name.maybe);
    return out;
}

/// Walks code that is never reached, for its errors and types. Names that it binds may be unbound.
static void walk_unreached(Walk &w, const Node *node, const std::function<void()> &walk) {
    const auto nothing = [&] { return scalar(w, w.b.i32(0)); };
    const ir::Value never = w.b.constant(Scalar::u1, 0);
    choose(
        w, node, never,
        [&] {
            walk();
            return nothing();
        },
        nothing);
}

/// True for values that a run-time choice can yield. Others (fields, funcs, text, None) can only be chosen at compile time.
static bool is_choosable(Walk &w, const Val &v) {
    switch (v.tag()) {
    case Tag::scalar:
    case Tag::matrix:
    case Tag::structure:
    case Tag::ref: // an item of a tuple in a variable
    case Tag::element: return true;
    case Tag::constant: return is_number(v) || w.objects.kind_of(v.object()) == Kind::matrix;
    case Tag::sequence:
        return !v.is(Flavour::text) && std::all_of(v.sequence().items.begin(), v.sequence().items.end(),
                                                   [&](const Val &item) { return is_choosable(w, item); });
    case Tag::none:
    case Tag::array:
    case Tag::bundle:
    case Tag::dict:
    case Tag::loop:
    case Tag::method:
    case Tag::container:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: return false;
    }
    return false;
}

static bool is_known(const Val &v) {
    return v.is_constant() ||
           (v.is_sequence() && std::all_of(v.sequence().items.begin(), v.sequence().items.end(), is_known));
}

/// Converts a value to the form of another, which chosen_type made from it.
static Val in_type(Walk &w, const Val &v, const Val &like) {
    Val out = like;
    for (size_t k = 0; k < v.parts().size(); ++k) out.parts()[k] = in_type(w, v.parts()[k], like.parts()[k]);
    std::vector<ir::Value> numbers;
    if (v.parts().empty()) append_chosen(w, v, like, numbers);
    if (val::Matrix *matrix = out.if_matrix()) matrix->comps = std::move(numbers);
    if (val::Scalar *number = out.if_scalar()) number->v = numbers[0];
    if (val::Element *element = out.if_element()) element->number = numbers[0];
    return out;
}

/// The value of the side that is taken, in the type of a run-time choice: one that holds both sides. The other side is walked in a branch
/// that never runs. Two Python values are unchanged.
static Val known_choice(Walk &w, const Node *node, bool is_yes) {
    const auto walk = [&](bool yes) {
        w.coverage.cover(yes ? ir::Counter::What::taken : ir::Counter::What::not_taken, node);
        bind_certain(w, child(node, Field::test), yes);
        return w.places.load(eval(w, child(node, yes ? Field::body : Field::orelse)));
    };
    const Val taken = walk(is_yes);
    if (!is_choosable(w, taken)) return taken;
    Val other;
    walk_unreached(w, node, [&] {
        other = walk(!is_yes);
        if (is_choosable(w, other) && !is_known(other)) other = chosen_value(w, node, other);
    });
    if (!is_choosable(w, other) || (is_known(taken) && is_known(other))) return taken;
    const Val value = chosen_value(w, node, taken);
    return in_type(w, value, chosen_type(w, node, value, is_known(other) ? chosen_value(w, node, other) : other));
}

Val eval_ifexp(Walk &w, const Node *node, bool cut) {
    const Node *yes = child(node, Field::body), *no = child(node, Field::orelse);
    const Val test = part(w, child(node, Field::test), cut);
    AtNode at(w, node);
    const bool known = test.is_constant() && w.objects.kind_of(test.object()) != Kind::matrix;
    if (known && !(cut && decides_type(w, test))) {
        const bool taken = truth(w, child(node, Field::test), test.object());
        if (decides_type(w, test)) return known_choice(w, node, taken);
        if (cut) w.recursion.lower_calls(taken ? yes : no);
        return eval(w, taken ? yes : no);
    }
    if (w.static_depth) fail_static(w, node, test);
    if (test.is_matrix() || (test.is_constant() && !known) || test.is_sequence())
        w.fail_syntax(node,
                      "Using conditional expression for element-wise select operation on Quadrants vectors/matrices "
                      "is deprecated and removed starting from Quadrants v1.5.0. Please use \"qd.select\" instead.");
    const ir::Value taken = condition(w, node, test, "if");
    const auto side = [&](bool is_yes) {
        w.coverage.cover(is_yes ? ir::Counter::What::taken : ir::Counter::What::not_taken, node);
        bind_certain(w, child(node, Field::test), is_yes);
        return part(w, is_yes ? yes : no, cut);
    };
    return choose(w, node, taken, [&] { return side(true); }, [&] { return side(false); }, cut);
}

} // namespace qd::frontend
