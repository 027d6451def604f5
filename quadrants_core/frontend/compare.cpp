// Comparisons, `and`/`or` and `a if c else b`. On run-time scalars the last two are branches: one side alone is
// evaluated.
#include "frontend/walker.h"

namespace qd::frontend {

using ir::Scalar;

namespace {

int python_compare_op(NodeKind op) {
    switch (op) {
    case NodeKind::Lt: return Py_LT;
    case NodeKind::LtE: return Py_LE;
    case NodeKind::Gt: return Py_GT;
    case NodeKind::GtE: return Py_GE;
    case NodeKind::Eq: return Py_EQ;
    default: return Py_NE;
    }
}

} // namespace

Val Walker::compare(const Node *node, NodeKind op, const Val &a, const Val &b) {
    if (op == NodeKind::Is || op == NodeKind::IsNot || op == NodeKind::In || op == NodeKind::NotIn)
        return compare_static(node, op, a, b);
    if (is_scalar(a) && is_scalar(b) && !(a.is_constant() && b.is_constant())) return scalar_compare(node, op, a, b);
    const PyRef left = to_python(a), right = to_python(b);
    const bool host_matrix = (a.is_constant() && kind_of(a.object.get()) == Kind::matrix) ||
                             (b.is_constant() && kind_of(b.object.get()) == Kind::matrix);
    if (left && right && !host_matrix) {
        reads_.use_within(left.get());
        reads_.use_within(right.get());
        PyObject *result = PyObject_RichCompare(left.get(), right.get(), python_compare_op(op));
        if (!result) python_failed(node);
        return wrap(PyRef::steal(result));
    }
    const char *symbol = op == NodeKind::Eq      ? "=="
                         : op == NodeKind::NotEq ? "!="
                         : op == NodeKind::Lt    ? "<"
                         : op == NodeKind::LtE   ? "<="
                         : op == NodeKind::Gt    ? ">"
                                                 : ">=";
    return broadcast(node, symbol, a, b, [&](const Val &x, const Val &y) { return scalar_compare(node, op, x, y); });
}

Val Walker::compare_static(const Node *node, NodeKind op, const Val &a, const Val &b) {
    const bool membership = op == NodeKind::In || op == NodeKind::NotIn;
    if (!static_depth_) {
        if (membership) fail_syntax(node, "\"In\" is only supported inside `qd.static`.", "write `qd.static(a in b)`");
        fail_syntax(node,
                    std::string("Operator \"") + (op == NodeKind::Is ? "is" : "is not") +
                        "\" in Quadrants scope is not supported.",
                    "use `==`, or `qd.static(x is None)` for a template argument");
    }
    const PyRef left = to_python(a), right = to_python(b);
    if (membership) {
        if (!left || !right) fail_static(node, left ? b : a);
        reads_.use_within(right.get());
        const int found = PySequence_Contains(right.get(), left.get());
        if (found < 0) python_failed(node);
        return constant(PyRef::borrow((found == 1) == (op == NodeKind::In) ? Py_True : Py_False));
    }
    const bool right_none = right && right.get() == Py_None, left_none = left && left.get() == Py_None;
    const auto is_computed = [](const Val &v) {
        return v.tag == Tag::scalar || v.tag == Tag::matrix || v.tag == Tag::ref;
    };
    if ((!left_none && !right_none) || is_computed(a) || is_computed(b))
        fail_syntax(node, std::string("Operator \"") + (op == NodeKind::Is ? "is" : "is not") +
                              "\" inside `qd.static` requires a direct `qd.template()` or `qd.Tensor` kernel argument "
                              "and `None`.");
    const bool same = left_none && right_none;
    return constant(PyRef::borrow(same == (op == NodeKind::Is) ? Py_True : Py_False));
}

Val Walker::eval_compare(const Node *node) {
    const Items ops = items_of(node, Field::ops), others = items_of(node, Field::comparators);
    const bool with_none = ops.size() == 1 && (ops[0]->kind == NodeKind::Is || ops[0]->kind == NodeKind::IsNot);
    handed_on_ = with_none; // what an object is tells the answer
    Val left = value(child(node, Field::left));
    Val result;
    for (size_t i = 0; i < ops.size(); ++i) {
        handed_on_ = with_none;
        const Val right = value(others[i]);
        AtNode at(*this, node);
        const Val link = compare(node, ops[i]->kind, left, right);
        if (i == 0)
            result = link;
        else if (result.is_constant() && link.is_constant())
            result = constant(
                PyRef::borrow(truth(node, result.object.get()) && truth(node, link.object.get()) ? Py_True : Py_False));
        else
            result = broadcast(node, "and", result, link,
                               [&](const Val &x, const Val &y) { return scalar_binary(node, NodeKind::BitAnd, x, y); });
        left = right;
    }
    return result;
}

Val Walker::eval_boolop(const Node *node) {
    const bool is_and = child(node, Field::op)->kind == NodeKind::And;
    const Items values = items_of(node, Field::values);
    return boolop_from(node, is_and, values, 0);
}

/// values[i] and/or (values[i + 1] and/or ...)
Val Walker::boolop_from(const Node *node, bool is_and, const Items &values, size_t i) {
    const Val first = value(values[i]);
    if (i + 1 == values.size()) return first;
    const char *word = is_and ? "and" : "or";
    if (first.is_constant() && kind_of(first.object.get()) != Kind::matrix) {
        if (truth(node, first.object.get()) != is_and) return first;
        const Val rest = boolop_from(node, is_and, values, i + 1);
        return decides_type(first) ? with_type_of(node, word, first, rest) : rest;
    }
    AtNode at(*this, node);
    if (static_depth_) fail_static(node, first);
    if (first.tag != Tag::scalar || !request_.options.short_circuit) {
        const Val rest = boolop_from(node, is_and, values, i + 1);
        const bool scalars = first.tag == Tag::scalar && (rest.tag == Tag::scalar || is_number(rest));
        return broadcast(node, word, first, rest, [&](const Val &x, const Val &y) {
            check_integral(node, word, x);
            check_integral(node, word, y);
            if (scalars) return scalar_binary(node, is_and ? NodeKind::BitAnd : NodeKind::BitOr, x, y);
            const ir::Value p = as(node, x, Scalar::u1);
            const ir::Value q = as(node, y, Scalar::u1);
            return scalar(emit2(is_and ? ir::Op::band : ir::Op::bor, p, q));
        });
    }
    check_integral(node, word, first);
    const ir::Value test = as(node, first, Scalar::u1);
    const auto keep = [&] { return first; };
    const auto more = [&] {
        const Val rest = boolop_from(node, is_and, values, i + 1);
        if (rest.tag == Tag::matrix) fail_unsupported(node, word, first, rest); // what it gives depends on the run
        if (rest.tag == Tag::scalar || is_number(rest)) check_integral(node, word, rest);
        return rest;
    };
    return is_and ? choose(node, test, more, keep) : choose(node, test, keep, more);
}

/// Whether a value known at compile time chooses as one of the run does: only `qd.static` says that it does not.
bool Walker::decides_type(const Val &v) const { return !static_depth_ && !v.is_static && is_number(v); }

/// `rest` of `first and rest`, where `first` is a number that is known: it has the type of both.
Val Walker::with_type_of(const Node *node, const char *word, const Val &first, const Val &rest) {
    if (rest.tag != Tag::scalar) return rest;
    AtNode at(*this, node);
    check_integral(node, word, first);
    check_integral(node, word, rest);
    return scalar(convert(rest.v, promote(scalar_type(node, first), rest.elem)));
}

void Walker::check_integral(const Node *node, const char *word, const Val &v) {
    const Scalar type = scalar_type(node, v);
    if (ir::is_float(type))
        fail_type(node,
                  std::string("unsupported operand type(s) for '") + word + "': '" + ir::to_string(type) +
                      "' is not an integer",
                  "compare it with something, e.g. `x != 0`");
}

/// One side of a choice made at run time: numbers all through.
Val Walker::chosen_value(const Node *node, const Val &side) {
    Val v = typed(node, side);
    if (v.tag == Tag::record || (v.is_sequence() && v.element_dim != is_text))
        for (Val &item : v.items) item = chosen_value(node, item);
    else if (v.tag != Tag::scalar && v.tag != Tag::matrix && v.tag != Tag::element)
        fail_type(node,
                  "A run-time choice needs numbers, vectors, matrices, structs or tuples of them on both sides, not " +
                      type_text(v),
                  "evaluate the condition with `qd.static`");
    return v;
}

/// A value like both sides, with the types that hold both. A number beside a vector or matrix has its shape.
Val Walker::chosen_type(const Node *node, const Val &a, const Val &b) {
    if (a.tag == Tag::element && b.tag == Tag::element && a.object.get() != b.object.get())
        fail_type(node, "Both sides of a run-time choice must be elements of one kind of one mesh");
    const bool one_tag = a.tag == b.tag || (a.is_sequence() && b.is_sequence());
    const auto same = [](const PyRef &x, const PyRef &y) { return x.get() == y.get(); };
    const bool one_struct = a.tag != Tag::record || b.tag != Tag::record ||
                            std::equal(a.record->names.begin(), a.record->names.end(), b.record->names.begin(),
                                       b.record->names.end(), same);
    const bool one_shape = a.n == b.n && a.m == b.m && a.ndim == b.ndim;
    if (a.tag == Tag::matrix && b.tag == Tag::matrix && !one_shape)
        fail(node, UserErrorKind::compilation,
             "Cannot broadcast tensor to tensor: '" + type_text(a) + "' and '" + type_text(b) + "'");
    if ((a.tag == Tag::scalar && b.tag == Tag::matrix) || (a.tag == Tag::matrix && b.tag == Tag::scalar)) {
        Val out = a.tag == Tag::matrix ? a : b;
        out.elem = promote(a.elem, b.elem);
        return out;
    }
    if (!one_tag || !one_struct || !one_shape || a.items.size() != b.items.size())
        fail_type(node, "Both sides of a run-time choice must have one shape: '" + type_text(a) + "' and '" +
                            type_text(b) + "'");
    Val out = a;
    if (a.elem != Scalar::none) out.elem = promote(a.elem, b.elem);
    for (size_t k = 0; k < out.items.size(); ++k) out.items[k] = chosen_type(node, a.items[k], b.items[k]);
    return out;
}

/// The numbers of one side, with the types that hold both.
void Walker::append_chosen(const Val &v, const Val &like, std::vector<ir::Value> &out) {
    for (size_t k = 0; k < v.items.size(); ++k) append_chosen(v.items[k], like.items[k], out);
    if (v.tag == Tag::scalar && like.tag == Tag::matrix) // a number stands for every component
        out.insert(out.end(), like.comps.size(), convert(v.v, like.elem));
    else if (v.tag == Tag::scalar || v.tag == Tag::element)
        out.push_back(convert(v.v, like.elem));
    for (const ir::Value c : v.comps) out.push_back(convert(c, like.elem));
}

/// Makes the numbers of `out` results of `branch`, in the order of append_chosen.
void Walker::take_results(ir::Value branch, Val &out) {
    for (Val &item : out.items) take_results(branch, item);
    if (out.tag == Tag::scalar || out.tag == Tag::element) out.v = fn_.add_result(branch, out.elem);
    for (ir::Value &c : out.comps) c = fn_.add_result(branch, out.elem);
}

/// A branch with a value: evaluates one side at run time.
Val Walker::choose(const Node *node, ir::Value test, const std::function<Val()> &yes, const std::function<Val()> &no) {
    const Nested nested(*this);
    const ir::Value branch = b_.if_(test);
    const ir::BlockId outer = b_.block;
    const auto side = [&](int k, const std::function<Val()> &f) {
        b_.block = fn_[branch].blocks[k];
        Val v = chosen_value(node, f());
        const ir::BlockId end = b_.block;
        return std::pair(std::move(v), end);
    };
    ++frames_.back().dynamic;
    auto [a, a_end] = side(0, yes);
    auto [b, b_end] = side(1, no);
    --frames_.back().dynamic;
    Val out = chosen_type(node, a, b);
    const auto finish = [&](const Val &v, ir::BlockId end) {
        b_.block = end;
        std::vector<ir::Value> values;
        append_chosen(v, out, values);
        b_.yield(values);
    };
    finish(a, a_end);
    finish(b, b_end);
    b_.block = outer;
    take_results(branch, out);
    return out;
}

/// What a choice of the run can be made of. Others (fields, funcs, text, None) are for a choice at compile time.
bool Walker::is_choosable(const Val &v) {
    switch (v.tag) {
    case Tag::scalar:
    case Tag::matrix:
    case Tag::record:
    case Tag::element: return true;
    case Tag::constant: return is_number(v) || kind_of(v.object.get()) == Kind::matrix;
    case Tag::tuple:
    case Tag::list:
        return v.element_dim != is_text &&
               std::all_of(v.items.begin(), v.items.end(), [&](const Val &item) { return is_choosable(item); });
    default: return false;
    }
}

bool Walker::is_known(const Val &v) {
    return v.is_constant() || (v.is_sequence() && std::all_of(v.items.begin(), v.items.end(), is_known));
}

/// The value of the side that is taken, as the run would choose it: in the type that holds both. The other side is
/// walked, in a branch that never runs. Two values of Python stay what they are.
Val Walker::known_choice(const Node *node, bool is_yes) {
    const auto walk = [&](bool yes) {
        cover(yes ? ir::Counter::What::taken : ir::Counter::What::not_taken, node);
        return load(eval(child(node, yes ? Field::body : Field::orelse)));
    };
    const Val taken = walk(is_yes);
    if (!is_choosable(taken)) return taken;
    Val other;
    {
        const Nested nested(*this);
        const ir::Value branch = b_.if_(b_.constant(Scalar::u1, 0));
        const ir::BlockId outer = b_.block;
        ++frames_.back().dynamic;
        b_.block = fn_[branch].blocks[0];
        other = walk(!is_yes);
        if (is_choosable(other) && !is_known(other)) other = chosen_value(node, other);
        b_.yield();
        b_.block = fn_[branch].blocks[1];
        b_.yield();
        --frames_.back().dynamic;
        b_.block = outer;
    }
    if (!is_choosable(other) || (is_known(taken) && is_known(other))) return taken;
    const Val value = chosen_value(node, taken);
    return in_type(value, chosen_type(node, value, is_known(other) ? chosen_value(node, other) : other));
}

/// A value in the form of another, which chosen_type made of it.
Val Walker::in_type(const Val &v, const Val &like) {
    Val out = like;
    for (size_t k = 0; k < v.items.size(); ++k) out.items[k] = in_type(v.items[k], like.items[k]);
    std::vector<ir::Value> parts;
    if (v.items.empty()) append_chosen(v, like, parts);
    if (out.tag == Tag::matrix)
        out.comps = std::move(parts);
    else if (parts.size() == 1)
        out.v = parts[0];
    return out;
}

Val Walker::eval_ifexp(const Node *node) {
    const Node *yes = child(node, Field::body), *no = child(node, Field::orelse);
    const Val test = value(child(node, Field::test));
    AtNode at(*this, node);
    if (test.is_constant() && kind_of(test.object.get()) != Kind::matrix) {
        const bool taken = truth(child(node, Field::test), test.object.get());
        return decides_type(test) ? known_choice(node, taken) : eval(taken ? yes : no);
    }
    if (static_depth_) fail_static(node, test);
    if (test.tag == Tag::matrix || test.is_constant() || test.is_sequence())
        fail_syntax(node,
                    "Using conditional expression for element-wise select operation on Quadrants vectors/matrices "
                    "is deprecated and removed starting from Quadrants v1.5.0. Please use \"qd.select\" instead.");
    const ir::Value taken = condition(node, test, "if");
    const auto side = [&](ir::Counter::What what, const Node *expression) {
        cover(what, node);
        return value(expression);
    };
    return choose(
        node, taken, [&] { return side(ir::Counter::What::taken, yes); },
        [&] { return side(ir::Counter::What::not_taken, no); });
}

} // namespace qd::frontend
