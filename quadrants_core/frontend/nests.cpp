// The iteration spaces of loops: the bounds of their nests.
#include "frontend/loops.h"

#include "base/stop.h"
#include "frontend/builtins.h"
#include "frontend/cells.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/ranges.h"
#include "frontend/struct_value.h"
#include "frontend/scan.h"
#include "frontend/types.h"
#include "frontend/views.h"

#include <numeric>
#include <utility>

namespace qd::frontend {

using ir::Scalar;

static Nest range_nest(Walk &w, const Node *node, const LoopSource &loop);
static Nest ndrange_nest(Walk &w, const Node *node, const LoopSource &loop);
static Nest target_nest(Walk &w, const Node *node, const LoopSource &loop, std::optional<uint32_t> &cells);
static uint32_t loop_place(Walk &w, const Node *node, PyObject *object, std::vector<int32_t> &first,
                           std::vector<int32_t> &extents, Nest &nest);

/// Checks that `for i in range(...)` has one or two bounds.
static void check_range(Walk &w, const Node *node, const Node *call) {
    const Items args = items_of(call, Field::args);
    if (args.size() == 1 || args.size() == 2) return;
    for (const Node *arg : args)
        if (arg->kind == NodeKind::Starred) return;
    const Val callee = eval(w, child(call, Field::func), Use::forwarded);
    const BuiltinRow *row = callee.is_constant() ? w.objects.builtin_of(callee.object()) : nullptr;
    if (row && row->handler == &handlers::range)
        w.fail_syntax(node, "Range should have 1 or 2 arguments, found " + std::to_string(args.size()),
                      "a step is not supported; scale the index in the body");
}

/// The iterable of a `for`: a loop, a static value that is unrolled, or elements of a mesh.
Val loop_source(Walk &w, const Node *node) {
    if (items_of(node, Field::orelse).size())
        w.fail_syntax(node, "'else' clause for 'for' not supported in Quadrants kernels");
    const Node *source = child(node, Field::iter);
    if (source->kind == NodeKind::Call) check_range(w, node, source);
    if (source->kind == NodeKind::IfExp && !value(w, child(source, Field::test)).is_static)
        w.fail_syntax(source, "Using non static inlined if statement as for-loop iterable is not currently supported.",
                      "make the condition static: `a if qd.static(c) else b`");
    Val over = eval(w, source);
    if (over.is_constant() && w.objects.kind_of(over.object()) == Kind::ndrange) over = host_ndrange(w, source, over);
    if (over.is_static || over.is_loop() || is_of_mesh(w, over)) return over;
    if (over.is_constant() && w.objects.kind_of(over.object()) == Kind::struct_field)
        over = constant(w.structs.leaf_field(over.object()));
    if (over.is_constant() && PyRange_Check(over.object())) {
        over.is_static = true;
        return over;
    }
    const Kind kind = over.is_constant() ? w.objects.kind_of(over.object()) : Kind::foreign;
    if (!over.is_array() && kind != Kind::field && kind != Kind::matrix_field && kind != Kind::snode)
        w.fail_type(source,
                    "Cannot loop over the object " + (over.is_constant() ? repr(over.object()) : type_text(w, over)) +
                        " in Quadrants scope. Only Quadrants fields (via template) or dense arrays (via types.ndarray) "
                        "are supported.",
                    "loop over `range(n)`, `qd.ndrange(...)`, a field or an ndarray, or unroll with `qd.static(...)`");
    return loop_over(over, false);
}

/// The bounds of a run-time loop. `cells` is set if it visits the cells of a sparse tree; the nest then has only settings.
Nest nest_of(Walk &w, const Node *node, const LoopSource &loop, std::optional<uint32_t> &cells) {
    switch (loop.over) {
    case LoopSource::Over::range: return range_nest(w, node, loop);
    case LoopSource::Over::ndrange: return ndrange_nest(w, node, loop);
    case LoopSource::Over::target: return target_nest(w, node, loop, cells);
    }
    fail_internal("a loop over nothing");
}

/// Converts an ndrange that was made in Python.
Val host_ndrange(Walk &w, const Node *node, const Val &v) {
    PyRef bounds = PyRef::steal(PyObject_GetAttrString(v.object(), "bounds"));
    PyRef axes = PyRef::steal(PyObject_GetAttrString(v.object(), "axes"));
    if (!bounds || !axes) w.python_failed(node);
    auto source = std::make_shared<LoopSource>();
    source->over = LoopSource::Over::ndrange;
    for (const Val &pair : sequence_items(w, node, constant(bounds)).sequence().items) {
        source->lower.push_back(pair.sequence().items[0]);
        source->upper.push_back(pair.sequence().items[1]);
    }
    if (axes.get() != Py_None) source->axes = ndrange_axes(w, node, constant(axes), source->lower.size());
    Val out = val::Loop{std::move(source)};
    out.is_static = v.is_static;
    return out;
}

// Run-time loops

/// Asserts in debug mode that a bound fits into an i32.
static void check_bound(Walk &w, ir::Value bound) {
    const Scalar type = w.fn.type(bound).elem;
    const ir::Value high = ir::is_float(type) ? w.b.number(type, 0x1p31) : w.b.integer(type, INT32_MAX);
    ir::Value legal = ir::is_float(type) ? w.b.lt(bound, high) : w.b.le(bound, high);
    if (ir::is_signed(type) || ir::is_float(type)) {
        const ir::Value low = ir::is_float(type) ? w.b.number(type, -0x1p31) : w.b.integer(type, INT32_MIN);
        const ir::Value above = w.b.ge(bound, low);
        legal = w.b.band(legal, above);
    }
    ir::Message message;
    message.pieces.push_back({"(kernel=" + w.fn.name + ") Bounds of a range must fit in i32, but this one is ", -1});
    message.pieces.push_back({"", 0});
    emit_assert(w, legal, std::move(message), std::span(&bound, 1));
}

static ir::Value range_bound(Walk &w, const Node *node, const Val &v) {
    if (!v.is_scalar() && !is_number(v)) w.fail_type(node, "Bounds of a range must be numbers, not " + type_text(w, v));
    const Scalar type = scalar_type(w, node, v);
    if (v.is_scalar() || ir::is_float(type)) {
        if (ir::is_float(type) || type == Scalar::i64 || type == Scalar::u64 || type == Scalar::u32) {
            w.warn(node, "UserWarning",
                   "Casting range_for boundary values from " + ir::to_string(type) +
                       " to i32, which may cause numerical issues");
            if (w.request.options.debug && v.is_scalar() && type != Scalar::f16) check_bound(w, v.scalar().v);
        }
    }
    return as(w, node, v, Scalar::i32);
}

static Nest range_nest(Walk &w, const Node *node, const LoopSource &loop) {
    const Node *target = child(node, Field::target);
    if (target->kind != NodeKind::Name) w.fail_syntax(target, "Loop over a range needs one loop variable");
    const Node *source = child(node, Field::iter);
    Nest nest;
    nest.lower.push_back(range_bound(w, source, loop.lower[0]));
    nest.upper.push_back(range_bound(w, source, loop.upper[0]));
    return nest;
}

static void make_single(Walk &w, Nest &nest) {
    nest.lower.push_back(w.b.i32(0));
    nest.upper.push_back(w.b.i32(1));
    nest.single = nest.grouped;
}

static Nest ndrange_nest(Walk &w, const Node *node, const LoopSource &loop) {
    const Node *target = child(node, Field::target), *source = child(node, Field::iter);
    const size_t rank = loop.lower.size();
    if (loop.grouped && target->kind != NodeKind::Name)
        w.fail_syntax(target, "Group for should have 1 loop target, found " +
                                  std::to_string(items_of(target, Field::elts).size()));
    const size_t targets = target->kind == NodeKind::Tuple ? size_t(items_of(target, Field::elts).size()) : 1;
    if (!loop.grouped && targets != rank)
        w.fail_syntax(target,
                      "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange "
                      "is not supported",
                      std::to_string(rank) + " loop variables are needed here, or `for I in qd.grouped(...)`");
    Nest nest;
    for (size_t axis = 0; axis < rank; ++axis) {
        nest.lower.push_back(range_bound(w, source, loop.lower[axis]));
        nest.upper.push_back(range_bound(w, source, loop.upper[axis]));
    }
    nest.order = loop.axes;
    nest.grouped = loop.grouped;
    if (rank == 0) make_single(w, nest);
    return nest;
}

static Nest target_nest(Walk &w, const Node *node, const LoopSource &loop, std::optional<uint32_t> &cells) {
    const Node *target = child(node, Field::target);
    Nest nest;
    nest.grouped = loop.grouped;
    const Val &over = loop.target;
    if (over.is_array()) {
        for (int axis = 0; axis < over.array().ndim; ++axis) {
            nest.lower.push_back(w.b.i32(0));
            nest.upper.push_back(is_view(w, over) ? view_size(w, over) : w.parameters.extent(over, axis));
        }
        nest.order = w.parameters.array(over.array().parameter).layout;
    }
    const bool is_array = over.is_array();
    std::vector<int32_t> first, extents; // range of a field or a level
    const uint32_t place = is_array ? 0 : loop_place(w, node, over.object(), first, extents, nest);
    const size_t rank = is_array ? nest.lower.size() : extents.size();
    const size_t targets = target->kind == NodeKind::Tuple ? size_t(items_of(target, Field::elts).size()) : 1;
    if (nest.grouped && target->kind != NodeKind::Name)
        w.fail_syntax(target, "Group for should have 1 loop target, found " + std::to_string(targets));
    const bool unit = rank == 0 && targets == 1 && !nest.grouped;
    if (!nest.grouped && targets != rank && !unit)
        w.fail(target, UserErrorKind::index,
               "Number of struct-for indices does not match loop variable dimensionality (" + std::to_string(targets) +
                   " != " + std::to_string(rank) + "). Maybe you wanted to use \"for I in qd.grouped(x)\"?");
    if (!is_array && ir::is_sparse(w.fn.places[place])) {
        cells = place;
        return nest;
    }
    for (size_t axis = 0; axis < extents.size(); ++axis) {
        nest.lower.push_back(w.b.i32(first[axis]));
        nest.upper.push_back(w.b.i32(first[axis] + extents[axis]));
    }
    if (rank == 0) make_single(w, nest);
    return nest;
}

/// The place whose cells a loop over a field or a level visits. Sets the range of its indices.
static uint32_t loop_place(Walk &w, const Node *node, PyObject *object, std::vector<int32_t> &first,
                           std::vector<int32_t> &extents, Nest &nest) {
    if (w.objects.kind_of(object) == Kind::snode) {
        const uint32_t place = level_place(w, node, object);
        first = w.fn.places[place].index_offset;
        extents = w.fn.places[place].shape;
        return place;
    }
    const FieldInfo *info = w.places.field_info(node, object);
    first = info->offset;
    extents = info->shape;
    if (info->is_packed() && !info->packed[0].cells.empty()) nest.array = &info->packed[0];
    return info->places[0];
}

} // namespace qd::frontend
