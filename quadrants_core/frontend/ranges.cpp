// Iteration spaces of loops, and qd.loop_config.
#include "frontend/ranges.h"

#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/expr.h"
#include "frontend/loops.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/static.h"
#include "frontend/types.h"

namespace qd::frontend {

Val handlers::range(Walk &w, const Call &call) {
    const size_t count = call.args.size();
    if (w.static_depth) {
        Call plain = call;
        return call_python(w, call.node, reinterpret_cast<PyObject *>(&PyRange_Type), plain);
    }
    if (count < 1 || count > 2)
        w.fail_syntax(call.node, "Range should have 1 or 2 arguments, found " + std::to_string(count),
                      "a step is not supported; scale the index in the body");
    auto source = std::make_shared<LoopSource>();
    source->over = LoopSource::Over::range;
    source->lower.push_back(count == 2 ? call.args[0] : integer(0));
    source->upper.push_back(call.args[count - 1]);
    return val::Loop{std::move(source)};
}

Val handlers::ndrange(Walk &w, const Call &call) {
    const Node *node = call.node;
    if (const Node *first = call.arg_node(0); first != node && first->kind == NodeKind::Call) {
        const Val callee = eval(w, child(first, Field::func), Use::forwarded);
        const BuiltinRow *row = callee.is_constant() ? w.objects.builtin_of(callee.object()) : nullptr;
        if (row && (row->handler == &handlers::static_ || row->handler == &handlers::grouped ||
                    row->handler == &handlers::ndrange))
            w.fail_syntax(first, "No decorator is allowed inside 'qd.ndrange'");
    }
    auto source = std::make_shared<LoopSource>();
    LoopSource &loop = *source;
    loop.over = LoopSource::Over::ndrange;
    const auto check = [&](const Val &v) {
        if (ir::is_float(scalar_type(w, node, v)))
            w.fail_type(
                node, "Every argument of ndrange should be an integer scalar or a tuple/list of (int, int), but got " +
                          type_text(w, v));
        return v;
    };
    for (const Val &arg : call.args) {
        if (arg.is_scalar() || is_number(arg)) {
            loop.lower.push_back(integer(0));
            loop.upper.push_back(check(arg));
            continue;
        }
        const Val pair = arg.is_matrix() ? sequence_items(w, node, arg) : unpacked(w, node, arg);
        if (!pair.is_sequence() || pair.sequence().items.size() != 2)
            w.fail_syntax(node, "Every argument of ndrange should be a scalar or a tuple/list like (begin, end)");
        loop.lower.push_back(check(w.places.load(pair.sequence().items[0])));
        loop.upper.push_back(check(w.places.load(pair.sequence().items[1])));
    }
    if (const Val *axes = call.keyword("axes"); axes && !(axes->is_constant() && axes->object() == Py_None))
        loop.axes = ndrange_axes(w, node, *axes, loop.lower.size());
    return val::Loop{std::move(source)};
}

Val loop_over(const Val &target, bool grouped) {
    auto source = std::make_shared<LoopSource>();
    source->over = LoopSource::Over::target;
    source->grouped = grouped;
    source->target = target;
    return val::Loop{std::move(source)};
}

std::vector<int> ndrange_axes(Walk &w, const Node *node, const Val &axes, size_t rank) {
    const PyRef object = to_python(axes);
    const std::string shown = object ? repr(object.get()) : "...";
    std::vector<int> out;
    std::vector<bool> seen(rank);
    for (const Val &item : sequence_items(w, node, axes).sequence().items) {
        const std::optional<long> axis = constant_int(item);
        if (!axis || PyBool_Check(item.object()))
            w.fail_type(node, "qd.ndrange(axes=" + shown + ") entries must be Python ints");
        out.push_back(int(*axis));
    }
    if (out.size() != rank)
        w.fail_syntax(node, "qd.ndrange(axes=" + shown + ") has " + std::to_string(out.size()) +
                                " entries but ndrange has " + std::to_string(rank) + " dimensions");
    for (const int axis : out) {
        if (axis < 0 || axis >= int(rank) || seen[size_t(axis)])
            w.fail_syntax(node,
                          "qd.ndrange(axes=" + shown + ") is not a permutation of range(" + std::to_string(rank) + ")");
        seen[size_t(axis)] = true;
    }
    return out;
}

Val handlers::grouped(Walk &w, const Call &call) {
    refuse_keywords(w, call);
    const Node *source = call.arg_node(0);
    if (w.grouped_depth) w.fail_syntax(call.node, "'qd.grouped' cannot be nested");
    ++w.grouped_depth;
    Val inner = eval(w, source);
    --w.grouped_depth;
    if (inner.is_constant() && w.objects.kind_of(inner.object()) == Kind::ndrange)
        inner = host_ndrange(w, source, inner);
    if (inner.is_loop() && inner.loop().source->over == LoopSource::Over::ndrange) {
        auto grouped = std::make_shared<LoopSource>(*inner.loop().source);
        grouped->grouped = true;
        inner.loop().source = std::move(grouped);
        return inner;
    }
    if (w.static_depth) w.fail_syntax(call.node, "Only 'qd.ndrange' is allowed in 'qd.static(qd.grouped(...))'.");
    if (inner.is_constant() && w.objects.kind_of(inner.object()) == Kind::struct_field)
        inner = constant(w.structs.leaf_field(inner.object()));
    const bool is_field = inner.is_constant() && (w.objects.kind_of(inner.object()) == Kind::field ||
                                                  w.objects.kind_of(inner.object()) == Kind::matrix_field ||
                                                  w.objects.kind_of(inner.object()) == Kind::snode);
    if (!inner.is_array() && !is_field)
        w.fail_type(call.node, "Cannot loop over the object " + type_text(w, inner) +
                                   " in Quadrants scope. 'qd.grouped' takes "
                                   "a field, an ndarray or 'qd.ndrange(...)'.");
    return loop_over(inner, true);
}

static uint32_t block_dim(Walk &w, const Node *node, const Val &v) {
    const std::optional<long> size = constant_int(v);
    if (!size || *size < 1 || *size > 1024 || (*size & (*size - 1)))
        w.fail(node, UserErrorKind::compilation,
               "block_dim must be a power of two from 1 to 1024, not " + repr(v.object()));
    return uint32_t(*size);
}

Val handlers::loop_config(Walk &w, const Call &call) {
    ir::Loop settings;
    for (const auto &[key, v] : call.kwargs) {
        const std::string name = text(key);
        if (!v.is_constant()) w.fail_type(call.node, "Arguments of `loop_config` must be known at compile time");
        PyObject *object = v.object();
        const bool given = object != Py_None;
        if (name == "serialize") {
            settings.serialize = truth(w, call.node, object);
        } else if (name == "deterministic") {
            settings.ordered = truth(w, call.node, object);
        } else if (name == "block_dim") {
            if (given) settings.block_dim = block_dim(w, call.node, v);
        } else if (name == "name") {
            if (given && !PyUnicode_Check(object))
                w.fail_type(call.node, "`name` of loop_config is a string, not " + repr(object));
            if (given) settings.name = text(object);
        } else if (name == "parallelize") {
            if (given && !constant_int(v))
                w.fail_type(call.node, "`parallelize` of loop_config is a number of threads, not " + repr(object));
            if (given && constant_int(v) == 1) settings.serialize = true;
        } else if (name != "block_dim_adaptive" && name != "bit_vectorize") {
            w.fail_type(call.node, "loop_config() got an unexpected keyword argument '" + name + "'");
        }
    }
    if (!settings.name.empty() && inside_loop(w)) {
        w.warn(call.node, "log",
               "qd.loop_config(name=\"" + settings.name +
                   "\") is ignored: the loop is nested inside another for-loop, and only outermost loops have names");
        settings.name.clear();
    }
    w.loops.configure(settings);
    return Val{};
}

} // namespace qd::frontend
