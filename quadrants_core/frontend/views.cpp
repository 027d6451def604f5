// Buffer views: a part of a 1-dimensional array. In an argument, the array's address points to the first element of the view and its extent
// is the size; in a view made in a kernel (`qd.BufferView(a, offset, size)`, `v[i:j]`), offset and size are values stored with the array.
#include "frontend/views.h"

#include "frontend/bounds.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/message.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/subscript.h"
#include "frontend/types.h"

namespace qd::frontend {

bool is_view(Walk &w, const Val &v) {
    return v.is_array() && (v.array().size || w.parameters.array(v.array().parameter).is_view);
}

ir::Value view_size(Walk &w, const Val &view) {
    return view.array().size ? view.array().size : w.parameters.extent(view, 0);
}

/// The number of elements between the start of the whole array and that of the view.
static ir::Value view_offset(Walk &w, const Node *node, const Val &view) {
    ir::Value within;
    const val::Array &array = view.array();
    if (w.parameters.array(array.parameter).is_view)
        within = w.parameters.member(node, view, w.objects.intern("offset"), false).scalar().v;
    if (!array.size) return within;
    return within ? w.b.add(within, array.begin) : array.begin;
}

bool checks_bounds(Walk &w) { return w.request.options.check_out_of_bound || w.request.options.debug; }

/// Asserts 0 <= first <= last <= size; the message contains these values.
static void check_view(Walk &w, const Node *node, const char *what, ir::Value first, ir::Value last, const Val &of) {
    if (!checks_bounds(w)) return;
    const ir::Value zero = w.b.i32(0), size = is_view(w, of) ? view_size(w, of) : w.parameters.extent(of, 0);
    const ir::Value starts = w.b.ge(first, zero), ordered = w.b.le(first, last), ends = w.b.le(last, size);
    const ir::Value both = w.b.band(starts, ordered);
    const ir::Value legal = w.b.band(both, ends);
    ir::Message message;
    message.pieces.push_back({std::string(what) + ": kernel[" + w.request.source.name + "], got [", -1});
    message.pieces.push_back({"", 0});
    message.pieces.push_back({", ", -1});
    message.pieces.push_back({"", 1});
    message.pieces.push_back({") of ", -1});
    message.pieces.push_back({"", 2});
    message.pieces.push_back({" elements", -1});
    const ir::Value values[] = {w.places.wide_index(first), w.places.wide_index(last), size};
    AtNode at(w, node);
    emit_assert(w, legal, std::move(message), values);
}

static Val make_view(Walk &w, const Val &array, ir::Value offset, ir::Value size) {
    Val out = array;
    val::Array &view = out.array();
    view.begin = view.size ? w.b.add(view.begin, offset) : offset;
    view.size = size;
    return out;
}

/// qd.BufferView(array, offset, size)
Val handlers::new_view(Walk &w, const Call &call) {
    const Val &array = call.args[0];
    if (!array.is_array() || array.array().ndim != 1)
        w.fail_type(call.node, "BufferView requires a 1D ndarray, got " + type_text(w, array));
    const ir::Value offset = index_value(w, call.node, w.places.load(call.args[1]));
    const ir::Value size = index_value(w, call.node, w.places.load(call.args[2]));
    const ir::Value end = w.b.add(offset, size);
    check_view(w, call.node, "BufferView construction out of range", offset, end, array);
    return make_view(w, array, offset, size);
}

/// view[first:last]
Val slice_view(Walk &w, const Node *node, const Val &view, const Node *slice) {
    if (slice->kind != NodeKind::Slice) w.fail_type(node, "A BufferView has one index");
    const auto bound = [&](Field field) -> std::optional<Val> {
        const Node *part = child(slice, field);
        if (!part) return std::nullopt;
        const Val v = value(w, part);
        if (constant_int(v).value_or(0) < 0 && field != Field::step)
            w.fail_syntax(part, "Negative indices are not supported in Quadrants kernels.");
        return v;
    };
    if (bound(Field::step)) w.fail_syntax(node, "BufferView slice does not support an explicit step in kernels");
    const std::optional<Val> lower = bound(Field::lower), upper = bound(Field::upper);
    AtNode at(w, node);
    const ir::Value first = lower ? index_value(w, node, *lower) : w.b.i32(0);
    const ir::Value last = upper ? index_value(w, node, *upper) : view_size(w, view);
    check_view(w, node, "BufferView subview Out Of Range", first, last, view);
    const ir::Value size = w.b.sub(last, first);
    return make_view(w, view, first, size);
}

/// view.subview(offset, size)
Val view_method(Walk &w, const Val &bound, Call call) {
    const Node *node = call.node;
    const Val &view = bound.method().bound->self;
    for (const char *name : {"offset", "size"})
        if (const Val *given = call.keyword(name)) call.args.push_back(*given);
    AtNode at(w, node);
    if (call.args.size() != 2) w.fail_type(node, "subview(offset, size) takes 2 arguments");
    const ir::Value first = index_value(w, node, w.places.load(call.args[0])),
                    size = index_value(w, node, w.places.load(call.args[1]));
    const ir::Value last = w.b.add(first, size);
    check_view(w, node, "BufferView subview Out Of Range", first, last, view);
    return make_view(w, view, first, size);
}

/// The kernel and the funcs being inlined, one per line.
static std::string call_stack(Walk &w, const Node *node) {
    std::string out, indent = "\n";
    for (const Location &at : w.fn.trace(w.span_of(node))) {
        out += indent + std::string(plain_name(at.scope)) + " (" + at.file + ":" + std::to_string(at.line) + ")";
        indent += "  ";
    }
    return out;
}

Val subscript_view(Walk &w, const Node *node, const Val &view, const std::vector<Val> &indices) {
    if (indices.size() != 1)
        w.fail(node, UserErrorKind::index, "BufferView indexed with " + std::to_string(indices.size()) + "d indices");
    ir::Value index = index_values(w, node, indices, false)[0];
    if (w.parameters.array(view.array().parameter).clamp) {
        index = clamped(w, index, view_size(w, view));
    } else if (checks_bounds(w)) {
        const ir::Value zero = w.b.i32(0), size = view_size(w, view), offset = view_offset(w, node, view);
        const ir::Value above = w.b.ge(index, zero), below = w.b.lt(index, size);
        const ir::Value legal = w.b.band(above, below);
        ir::Message message;
        message.pieces.push_back({"BufferView Out Of Range: kernel[" + w.request.source.name + "] tid=", -1});
        message.pieces.push_back({"", 0});
        message.pieces.push_back({", got index ", -1});
        message.pieces.push_back({"", 1});
        message.pieces.push_back({" (offset=", -1});
        message.pieces.push_back({"", 2});
        message.pieces.push_back({", size=", -1});
        message.pieces.push_back({"", 3});
        message.pieces.push_back({").\nCallstack:" + call_stack(w, node), -1});
        const ir::Value thread = w.b.emit(ir::Op::thread_index, {}, ir::Scalar::i32);
        const ir::Value values[] = {thread, w.places.wide_index(index), offset, size};
        emit_assert(w, legal, std::move(message), values);
    }
    if (view.array().size) index = w.b.add(index, view.array().begin);
    return element_place(w, view, {index});
}

Val view_attribute(Walk &w, const Node *node, const Val &view, const std::string &what) {
    if (what == "size") return scalar(w, view_size(w, view));
    if (what == "offset") return scalar(w, view_offset(w, node, view));
    if (what == "shape") {
        return tuple_of({scalar(w, view_size(w, view))});
    }
    w.fail(node, UserErrorKind::compilation, "'BufferView' has no attribute '" + what + "' in a kernel",
           "kernels know its `shape`, `size`, `offset` and `subview(offset, size)`");
}

} // namespace qd::frontend
