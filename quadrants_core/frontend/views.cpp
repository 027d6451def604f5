// Buffer views: a stretch of a 1-dimensional array. As an argument, the array's address points at its first element and
// its extent is the size; made in a kernel (`qd.BufferView(a, offset, size)`, `v[i:j]`), offset and size are values
// beside the array.
#include "frontend/builtins.h"
#include "frontend/message.h"
#include "frontend/walker.h"

namespace qd::frontend {

bool Walker::is_view(const Val &v) const {
    return v.tag == Tag::array && (!v.comps.empty() || arrays_.at(v.v.id).is_view);
}

ir::Value Walker::view_size(const Val &view) { return view.comps.empty() ? extent(view, 0) : view.comps[1]; }

/// Elements between the start of the whole array and that of the view.
ir::Value Walker::view_offset(const Node *node, const Val &view) {
    ir::Value within;
    if (arrays_.at(view.v.id).is_view) within = member(node, view, intern("offset"), false).v;
    if (view.comps.empty()) return within;
    return within ? b_.add(within, view.comps[0]) : view.comps[0];
}

bool Walker::checks_bounds() const { return request_.options.check_bounds || request_.options.debug; }

/// 0 <= first <= last <= size, or the message with these values.
void Walker::check_view(const Node *node, const char *what, ir::Value first, ir::Value last, const Val &of) {
    if (!checks_bounds()) return;
    const ir::Value zero = b_.i32(0), size = is_view(of) ? view_size(of) : extent(of, 0);
    const ir::Value starts = b_.ge(first, zero), ordered = b_.le(first, last), ends = b_.le(last, size);
    const ir::Value both = b_.band(starts, ordered);
    const ir::Value legal = b_.band(both, ends);
    ir::Message message;
    message.pieces.push_back({std::string(what) + ": kernel[" + request_.source.name + "], got [", -1});
    message.pieces.push_back({"", 0});
    message.pieces.push_back({", ", -1});
    message.pieces.push_back({"", 1});
    message.pieces.push_back({") of ", -1});
    message.pieces.push_back({"", 2});
    message.pieces.push_back({" elements", -1});
    const ir::Value values[] = {first, last, size};
    AtNode at(*this, node);
    emit_assert(legal, std::move(message), values);
}

Val Walker::make_view(const Val &array, ir::Value offset, ir::Value size) {
    Val out = array;
    out.comps = {array.comps.empty() ? offset : b_.add(array.comps[0], offset), size};
    return out;
}

/// qd.BufferView(array, offset, size)
Val Walker::new_view(const Call &call) {
    const Val &array = call.args[0];
    if (array.tag != Tag::array || array.ndim != 1)
        fail_type(call.node, "BufferView requires a 1D ndarray, got " + type_text(array));
    const ir::Value offset = index_value(call.node, load(call.args[1]));
    const ir::Value size = index_value(call.node, load(call.args[2]));
    const ir::Value end = b_.add(offset, size);
    check_view(call.node, "BufferView construction out of range", offset, end, array);
    return make_view(array, offset, size);
}

/// view[first:last]
Val Walker::slice_view(const Node *node, const Val &view, const Node *slice) {
    if (slice->kind != NodeKind::Slice) fail_type(node, "A BufferView has one index");
    const auto bound = [&](Field field) -> std::optional<Val> {
        const Node *part = child(slice, field);
        if (!part) return std::nullopt;
        const Val v = value(part);
        if (constant_int(v).value_or(0) < 0 && field != Field::step)
            fail_syntax(part, "Negative indices are not supported in Quadrants kernels.");
        return v;
    };
    if (bound(Field::step)) fail_syntax(node, "BufferView slice does not support an explicit step in kernels");
    const std::optional<Val> lower = bound(Field::lower), upper = bound(Field::upper);
    AtNode at(*this, node);
    const ir::Value first = lower ? index_value(node, *lower) : b_.i32(0);
    const ir::Value last = upper ? index_value(node, *upper) : view_size(view);
    check_view(node, "BufferView subview Out Of Range", first, last, view);
    const ir::Value size = b_.sub(last, first);
    return make_view(view, first, size);
}

/// view.subview(offset, size)
Val Walker::view_method(const Node *node, const Val &bound) {
    Call call = arguments(node, false);
    const Val &view = bound.extra->self;
    for (const char *name : {"offset", "size"})
        if (const Val *given = call.keyword(name)) call.args.push_back(*given);
    AtNode at(*this, node);
    if (call.args.size() != 2) fail_type(node, "subview(offset, size) takes 2 arguments");
    const ir::Value first = index_value(node, load(call.args[0])), size = index_value(node, load(call.args[1]));
    const ir::Value last = b_.add(first, size);
    check_view(node, "BufferView subview Out Of Range", first, last, view);
    return make_view(view, first, size);
}

/// The kernel and the funcs that are being inlined, one a line.
std::string Walker::call_stack(const Node *node) {
    std::string out, indent = "\n";
    for (const Location &at : fn_.trace(span_of(node))) {
        out += indent + std::string(plain_name(at.scope)) + " (" + at.file + ":" + std::to_string(at.line) + ")";
        indent += "  ";
    }
    return out;
}

Val Walker::subscript_view(const Node *node, const Val &view, const std::vector<Val> &indices) {
    if (indices.size() != 1)
        fail(node, UserErrorKind::index, "BufferView indexed with " + std::to_string(indices.size()) + "d indices");
    ir::Value index = index_values(node, indices, false)[0];
    if (arrays_.at(view.v.id).clamp) {
        index = clamped(index, view_size(view));
    } else if (checks_bounds()) {
        const ir::Value zero = b_.i32(0), size = view_size(view), offset = view_offset(node, view);
        const ir::Value above = b_.ge(index, zero), below = b_.lt(index, size);
        const ir::Value legal = b_.band(above, below);
        ir::Message message;
        message.pieces.push_back({"BufferView Out Of Range: kernel[" + request_.source.name + "] tid=", -1});
        message.pieces.push_back({"", 0});
        message.pieces.push_back({", got index ", -1});
        message.pieces.push_back({"", 1});
        message.pieces.push_back({" (offset=", -1});
        message.pieces.push_back({"", 2});
        message.pieces.push_back({", size=", -1});
        message.pieces.push_back({"", 3});
        message.pieces.push_back({").\nCallstack:" + call_stack(node), -1});
        const ir::Value thread = b_.emit(ir::Op::thread_index, {}, ir::Scalar::i32);
        const ir::Value values[] = {thread, index, offset, size};
        emit_assert(legal, std::move(message), values);
    }
    if (!view.comps.empty()) index = b_.add(index, view.comps[0]);
    return element_place(view, {index});
}

Val Walker::view_attribute(const Node *node, const Val &view, const std::string &what) {
    if (what == "size") return scalar(view_size(view));
    if (what == "offset") return scalar(view_offset(node, view));
    if (what == "shape") {
        Val out;
        out.tag = Tag::tuple;
        out.items.push_back(scalar(view_size(view)));
        return out;
    }
    fail(node, UserErrorKind::compilation, "'BufferView' has no attribute '" + what + "' in a kernel",
         "kernels know its `shape`, `size`, `offset` and `subview(offset, size)`");
}

} // namespace qd::frontend
