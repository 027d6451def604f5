// `for`: over ranges, ndranges, fields and arrays at run time; over compile-time sequences by unrolling. A loop at the
// top level of a kernel is parallel, any other is serial.
#include "frontend/builtins.h"
#include "frontend/walker.h"

#include "base/stop.h"
#include "frontend/scan.h"

#include <numeric>
#include <utility>

namespace qd::frontend {

using ir::Scalar;

bool Walker::is_top_level() const {
    for (const Frame &frame : frames_)
        if (frame.dynamic) return false;
    return true;
}

/// Inside of a loop that is not unrolled.
bool Walker::inside_loop() const {
    const auto runs = [](const LoopContext &loop) { return loop.what != LoopContext::What::static_; };
    return std::any_of(frames_.begin(), frames_.end(),
                       [&](const Frame &frame) { return std::any_of(frame.loops.begin(), frame.loops.end(), runs); });
}

Flow Walker::for_(const Node *node) {
    const Val over = loop_source(node);
    if (over.is_static) return for_static(node, static_items(child(node, Field::iter), over));
    if (is_of_mesh(over)) return for_elements(node, over);
    std::optional<uint32_t> cells;
    Nest nest = nest_of(node, *over.extra, cells);
    return cells ? for_cells(node, *cells, nest) : for_nest(node, std::move(nest));
}

/// Elements of a mesh, or what touches one of them.
bool Walker::is_of_mesh(const Val &v) {
    return v.tag == Tag::relation || (v.is_constant() && kind_of(v.object.get()) == Kind::mesh_elements);
}

/// `for i in range(...)` has one or two bounds.
void Walker::check_range(const Node *node, const Node *call) {
    const Items args = items_of(call, Field::args);
    if (args.size() == 1 || args.size() == 2) return;
    for (const Node *arg : args)
        if (arg->kind == NodeKind::Starred) return;
    const Val callee = eval_handed_on(child(call, Field::func));
    const BuiltinRow *row = callee.is_constant() ? builtin_of(callee.object.get()) : nullptr;
    if (row && row->handler == &Walker::range)
        fail_syntax(node, "Range should have 1 or 2 arguments, found " + std::to_string(args.size()),
                    "a step is not supported; scale the index in the body");
}

/// What a `for` runs over: a loop, something static that is unrolled, or elements of a mesh.
Val Walker::loop_source(const Node *node) {
    if (items_of(node, Field::orelse).size())
        fail_syntax(node, "'else' clause for 'for' not supported in Quadrants kernels");
    const Node *source = child(node, Field::iter);
    if (source->kind == NodeKind::Call) check_range(node, source);
    if (source->kind == NodeKind::IfExp && !value(child(source, Field::test)).is_static)
        fail_syntax(source, "Using non static inlined if statement as for-loop iterable is not currently supported.",
                    "make the condition static: `a if qd.static(c) else b`");
    Val over = eval(source);
    if (over.is_constant() && kind_of(over.object.get()) == Kind::ndrange) over = host_ndrange(source, over);
    if (over.is_static || over.tag == Tag::loop || is_of_mesh(over)) return over;
    if (over.is_constant() && kind_of(over.object.get()) == Kind::struct_field)
        over = constant(leaf_field(over.object.get()));
    if (over.is_constant() && PyRange_Check(over.object.get())) {
        over.is_static = true;
        return over;
    }
    const Kind kind = over.is_constant() ? kind_of(over.object.get()) : Kind::foreign;
    if (over.tag != Tag::array && kind != Kind::field && kind != Kind::matrix_field && kind != Kind::snode)
        fail_type(source,
                  "Cannot loop over the object " + (over.is_constant() ? repr(over.object.get()) : type_text(over)) +
                      " in Quadrants scope. Only Quadrants fields (via template) or dense arrays (via types.ndarray) "
                      "are supported.",
                  "loop over `range(n)`, `qd.ndrange(...)`, a field or an ndarray, or unroll with `qd.static(...)`");
    Val out;
    out.tag = Tag::loop;
    out.extra = std::make_shared<Extra>();
    out.extra->over = Extra::Over::target;
    out.extra->target = over;
    return out;
}

/// The bounds of a run-time loop; `cells`: it visits those of a sparse tree, and the nest says how alone.
Nest Walker::nest_of(const Node *node, const Extra &loop, std::optional<uint32_t> &cells) {
    switch (loop.over) {
    case Extra::Over::range: return range_nest(node, loop);
    case Extra::Over::ndrange: return ndrange_nest(node, loop);
    case Extra::Over::target: return target_nest(node, loop, cells);
    }
    fail_internal("a loop over nothing");
}

/// An ndrange that was made in Python.
Val Walker::host_ndrange(const Node *node, const Val &v) {
    PyRef bounds = PyRef::steal(PyObject_GetAttrString(v.object.get(), "bounds"));
    PyRef axes = PyRef::steal(PyObject_GetAttrString(v.object.get(), "axes"));
    if (!bounds || !axes) python_failed(node);
    Val out;
    out.tag = Tag::loop;
    out.is_static = v.is_static;
    out.extra = std::make_shared<Extra>();
    out.extra->over = Extra::Over::ndrange;
    for (const Val &pair : sequence_items(node, constant(bounds)).items) {
        out.extra->lower.push_back(pair.items[0]);
        out.extra->upper.push_back(pair.items[1]);
    }
    if (axes.get() != Py_None) out.extra->axes = ndrange_axes(node, constant(axes), out.extra->lower.size());
    return out;
}

// Unrolled loops

std::vector<Val> Walker::static_items(const Node *node, const Val &v) {
    if (v.tag == Tag::loop) {
        const Extra &loop = *v.extra;
        if (loop.over == Extra::Over::ndrange && loop.lower.empty() && !loop.grouped)
            fail_syntax(node,
                        "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange "
                        "is not supported",
                        "an ndrange without dimensions has no index: write `for I in qd.static(qd.grouped(...))`");
        std::vector<long> lower, upper;
        double count = 1;
        for (size_t axis = 0; axis < loop.lower.size(); ++axis) {
            const std::optional<long> lo = constant_int(loop.lower[axis]), hi = constant_int(loop.upper[axis]);
            if (!lo || !hi) fail_static(node, lo ? loop.upper[axis] : loop.lower[axis]);
            lower.push_back(*lo);
            upper.push_back(*hi);
            count *= std::max(0.0, double(*hi) - double(*lo));
        }
        if (count > most_items) fail_too_long(node);
        return static_product(loop, lower, upper);
    }
    if (v.tag == Tag::scalar || is_number(v) || (v.is_constant() && is_field(kind_of(v.object.get()))))
        fail_type(node, "Cannot loop over the object " + type_text(v) + " in 'qd.static'",
                  "unroll a list, a tuple, `range(n)` or `qd.ndrange(...)` known at compile time");
    return sequence_items(node, v).items;
}

/// Every index tuple of an ndrange, the last axis (or the last of `axes`) running fastest.
std::vector<Val> Walker::static_product(const Extra &loop, const std::vector<long> &lower,
                                        const std::vector<long> &upper) {
    std::vector<Val> out;
    for (size_t axis = 0; axis < lower.size(); ++axis)
        if (lower[axis] >= upper[axis]) return out;
    std::vector<int> order = loop.axes;
    if (order.empty()) {
        order.resize(lower.size());
        std::iota(order.begin(), order.end(), 0);
    }
    std::vector<long> index = lower;
    for (;;) {
        poll_stop();
        Val item;
        item.tag = Tag::tuple;
        item.element_dim = loop.grouped;
        for (const long k : index) item.items.push_back(integer(k));
        out.push_back(loop.over == Extra::Over::range ? item.items[0] : item);
        size_t at = order.size();
        while (at > 0 && ++index[size_t(order[at - 1])] == upper[size_t(order[at - 1])]) {
            index[size_t(order[at - 1])] = lower[size_t(order[at - 1])];
            --at;
        }
        if (at == 0) return out;
    }
}

Flow Walker::for_static(const Node *node, const std::vector<Val> &items) {
    next_loop_.reset();
    if (int(items.size()) > request_.options.unrolling_limit && request_.options.unrolling_limit > 0)
        warn(
            node, "SyntaxWarning",
            "You are unrolling more than " + std::to_string(request_.options.unrolling_limit) +
                " iterations, so the compile time may be extremely long. You can use a non-static for loop if you want "
                "to decrease the compile time. You can disable this warning by setting "
                "qd.init(unrolling_limit=0).");
    const Node *target = child(node, Field::target);
    frames_.back().loops.push_back({LoopContext::What::static_, 0});
    Flow flow = Flow::next;
    for (const Val &item : items) {
        poll_stop();
        Scope scope(*this);
        bind_static(target, item);
        covered_line_ = node->at.line;
        flow = loop_body(node);
        if (flow != Flow::next && flow != Flow::continue_) break;
    }
    frames_.back().loops.pop_back();
    return flow == Flow::return_ || flow == Flow::stop ? flow : Flow::next;
}

void Walker::bind_static(const Node *target, const Val &item) {
    if (target->kind == NodeKind::Name) {
        Val v = item;
        v.is_static = false;
        bind(word_of(target, Field::id), std::move(v));
        return;
    }
    const Items elements = items_of(target, Field::elts);
    const std::vector<Val> parts = sequence_items(target, item).items;
    if (parts.size() != elements.size())
        fail_syntax(target,
                    "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange "
                    "is not supported, expected " +
                        std::to_string(parts.size()) + ", got " + std::to_string(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) bind_static(elements[i], parts[i]);
}

// Run-time loops

ir::Value Walker::range_bound(const Node *node, const Val &v) {
    if (v.tag != Tag::scalar && !is_number(v))
        fail_type(node, "Bounds of a range must be numbers, not " + type_text(v));
    const Scalar type = scalar_type(node, v);
    if (v.tag == Tag::scalar || ir::is_float(type)) {
        if (ir::is_float(type) || type == Scalar::i64 || type == Scalar::u64 || type == Scalar::u32)
            warn(node, "UserWarning",
                 "Casting range_for boundary values from " + ir::to_string(type) +
                     " to i32, which may cause numerical issues");
    }
    return as(node, v, Scalar::i32);
}

Nest Walker::range_nest(const Node *node, const Extra &loop) {
    const Node *target = child(node, Field::target);
    if (target->kind != NodeKind::Name) fail_syntax(target, "Loop over a range needs one loop variable");
    const Node *source = child(node, Field::iter);
    Nest nest;
    nest.lower.push_back(range_bound(source, loop.lower[0]));
    nest.upper.push_back(range_bound(source, loop.upper[0]));
    return nest;
}

void Walker::make_single(Nest &nest) {
    nest.lower.push_back(b_.i32(0));
    nest.upper.push_back(b_.i32(1));
    nest.single = nest.grouped;
}

Nest Walker::ndrange_nest(const Node *node, const Extra &loop) {
    const Node *target = child(node, Field::target), *source = child(node, Field::iter);
    const size_t rank = loop.lower.size();
    if (loop.grouped && target->kind != NodeKind::Name)
        fail_syntax(target, "Group for should have 1 loop target, found " +
                                std::to_string(items_of(target, Field::elts).size()));
    const size_t targets = target->kind == NodeKind::Tuple ? size_t(items_of(target, Field::elts).size()) : 1;
    if (!loop.grouped && targets != rank)
        fail_syntax(target,
                    "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange "
                    "is not supported",
                    std::to_string(rank) + " loop variables are needed here, or `for I in qd.grouped(...)`");
    Nest nest;
    for (size_t axis = 0; axis < rank; ++axis) {
        nest.lower.push_back(range_bound(source, loop.lower[axis]));
        nest.upper.push_back(range_bound(source, loop.upper[axis]));
    }
    nest.order = loop.axes;
    nest.grouped = loop.grouped;
    if (rank == 0) make_single(nest);
    return nest;
}

Nest Walker::target_nest(const Node *node, const Extra &loop, std::optional<uint32_t> &cells) {
    const Node *target = child(node, Field::target);
    Nest nest;
    nest.grouped = loop.grouped;
    const Val &over = loop.target;
    if (over.tag == Tag::array) {
        for (int axis = 0; axis < over.ndim; ++axis) {
            nest.lower.push_back(b_.i32(0));
            nest.upper.push_back(is_view(over) ? view_size(over) : extent(over, axis));
        }
        nest.order = arrays_.at(over.v.id).layout;
    }
    const bool is_array = over.tag == Tag::array;
    std::vector<int32_t> first, extents; // of a field or a level
    const uint32_t place = is_array ? 0 : loop_place(node, over.object.get(), first, extents, nest);
    const size_t rank = is_array ? nest.lower.size() : extents.size();
    const size_t targets = target->kind == NodeKind::Tuple ? size_t(items_of(target, Field::elts).size()) : 1;
    if (nest.grouped && target->kind != NodeKind::Name)
        fail_syntax(target, "Group for should have 1 loop target, found " + std::to_string(targets));
    const bool unit = rank == 0 && targets == 1 && !nest.grouped;
    if (!nest.grouped && targets != rank && !unit)
        fail(target, UserErrorKind::index,
             "Number of struct-for indices does not match loop variable dimensionality (" + std::to_string(targets) +
                 " != " + std::to_string(rank) + "). Maybe you wanted to use \"for I in qd.grouped(x)\"?");
    if (!is_array && ir::is_sparse(fn_.places[place])) {
        cells = place;
        return nest;
    }
    for (size_t axis = 0; axis < extents.size(); ++axis) {
        nest.lower.push_back(b_.i32(first[axis]));
        nest.upper.push_back(b_.i32(first[axis] + extents[axis]));
    }
    if (rank == 0) make_single(nest);
    return nest;
}

/// The place whose cells a loop over a field or a level visits, and the range of its indices.
uint32_t Walker::loop_place(const Node *node, PyObject *object, std::vector<int32_t> &first,
                            std::vector<int32_t> &extents, Nest &nest) {
    if (kind_of(object) == Kind::snode) {
        const uint32_t place = level_place(node, object);
        first = fn_.places[place].index_offset;
        extents = fn_.places[place].shape;
        return place;
    }
    const FieldInfo *info = field_info(node, object);
    first = info->offset;
    extents = info->shape;
    if (info->is_packed() && !info->packing[0].cells.empty()) nest.array = &info->packing[0];
    return info->places[0];
}

void Walker::check_loop_target(const Node *target) {
    if (target->kind == NodeKind::Tuple) {
        for (const Node *item : items_of(target, Field::elts)) check_loop_target(item);
        return;
    }
    if (target->kind != NodeKind::Name) fail_syntax(target, "A loop variable must be a name");
    PyObject *name = word_of(target, Field::id);
    if (find_local(name) && text(name) != "_")
        fail_syntax(target,
                    "Variable '" + text(name) +
                        "' is already declared in the outer scope and cannot be used as loop "
                        "variable",
                    "use another name");
}

void Walker::bind_target(const Node *target, ir::Value index) {
    PyObject *name = word_of(target, Field::id);
    const bool assigned = frames_.back().assigned && frames_.back().assigned->count(name);
    Val v = scalar(index);
    bind(name, assigned ? new_variable(target, v) : std::move(v));
}

void Walker::bind_loop_targets(const Node *node, std::span<const ir::Value> indices, const Nest &nest) {
    const Node *target = child(node, Field::target);
    if (nest.elements.tag != Tag::none) return bind_element(node, nest.elements, indices[0]);
    if (nest.single) {
        Val none;
        none.tag = Tag::tuple;
        none.element_dim = is_vector;
        bind(word_of(target, Field::id), std::move(none));
        return;
    }
    if (nest.grouped) {
        Val v;
        v.tag = Tag::matrix;
        v.elem = Scalar::i32;
        v.n = int(indices.size());
        v.ndim = 1;
        v.comps.assign(indices.begin(), indices.end());
        PyObject *name = word_of(target, Field::id);
        const bool assigned = frames_.back().assigned && frames_.back().assigned->count(name);
        bind(name, assigned ? new_variable(target, v) : std::move(v));
        return;
    }
    if (target->kind == NodeKind::Name) {
        bind_target(target, indices[0]);
        return;
    }
    const Items elements = items_of(target, Field::elts);
    for (size_t i = 0; i < elements.size(); ++i) bind_target(elements[i], indices[i]);
}

Flow Walker::for_nest(const Node *node, Nest nest) {
    check_loop_target(child(node, Field::target));
    if (nest.order.empty()) {
        nest.order.resize(nest.lower.size());
        std::iota(nest.order.begin(), nest.order.end(), 0);
    }
    if (next_loop_) nest.settings = *next_loop_;
    next_loop_.reset();
    const bool parallel = is_top_level() && !nest.settings.serialize;
    if (parallel) return nest_parallel(node, nest);
    std::vector<ir::Value> indices(nest.lower.size());
    if (nest.lower.size() > 1 && has_break(items_of(node, Field::body))) return nest_flat(node, nest);
    frames_.back().loops.push_back({LoopContext::What::serial, 0});
    nest_serial(node, nest, 0, indices);
    frames_.back().loops.pop_back();
    return Flow::next;
}

Flow Walker::nest_parallel(const Node *node, const Nest &nest) {
    std::vector<ir::Value> bounds;
    for (const int axis : nest.order) {
        bounds.push_back(nest.lower[size_t(axis)]);
        bounds.push_back(nest.upper[size_t(axis)]);
    }
    const ir::Value loop = b_.parallel(bounds, nest.settings);
    const ir::BlockId body = fn_[loop].blocks[0];
    std::vector<ir::Value> indices(nest.lower.size());
    for (size_t k = 0; k < nest.order.size(); ++k) indices[size_t(nest.order[k])] = fn_[body].params[k];
    frames_.back().loops.push_back({LoopContext::What::parallel, 0});
    const ir::BlockId outer_region = std::exchange(region_, body);
    body_in(body, [&] {
        bind_loop_targets(node, indices, nest);
        return iteration(node);
    });
    region_ = outer_region;
    frames_.back().loops.pop_back();
    return Flow::next;
}

/// One iteration of a parallel loop.
Flow Walker::iteration(const Node *node) {
    cover_one_line(node);
    const Items statements = items_of(node, Field::body);
    const Continues continues = scan_continues(statements);
    if (continues == Continues::none) return block(statements);
    if (continues == Continues::guards) return parallel_body(statements, 0);
    const ir::Value once = b_.loop({}, {});
    const ir::BlockId outer = b_.block;
    b_.block = fn_[once].blocks[0];
    if (block(statements) != Flow::stop) b_.break_();
    b_.block = outer;
    return Flow::next;
}

/// A body whose `continue`s are all of the form `if c: ...; continue` at its own level: what follows becomes the else
/// branch.
Flow Walker::parallel_body(Items statements, size_t from) {
    size_t at = from;
    while (at < statements.size() && !is_guard(statements[at])) ++at;
    const Flow flow = block(statements, from, at);
    if (flow != Flow::next || at >= statements.size()) return flow;
    const Node *guard = statements[at];
    cover_line(guard);
    AtNode place(*this, guard);
    const Items yes = items_of(guard, Field::body);
    const Choice chosen = choice(child(guard, Field::test), value(child(guard, Field::test)));
    const auto leave = [&] {
        const Flow flow = block(yes, 0, yes.size() - 1);
        if (flow == Flow::next) cover_line(yes.back());
        return flow;
    };
    if (chosen.fixed) {
        cover(*chosen.fixed ? ir::Counter::What::taken : ir::Counter::What::not_taken, guard);
        return *chosen.fixed ? leave() : parallel_body(statements, at + 1);
    }
    const ir::Value branch = b_.if_(chosen.taken);
    body_in(fn_[branch].blocks[0], [&] {
        cover(ir::Counter::What::taken, guard);
        return chosen.walked[0] ? leave() : Flow::next;
    });
    body_in(fn_[branch].blocks[1], [&] {
        cover(ir::Counter::What::not_taken, guard);
        return parallel_body(statements, at + 1);
    });
    return Flow::next;
}

/// A serial loop that may run long polls for Stop: one outside of parallel loops, or around other loops. The innermost
/// loops of parallel ones stay as they are; so do short loops.
void Walker::poll_in(ir::Value loop, bool has_loops) {
    constexpr int64_t short_trips = 4096;
    const auto bound = [&](int k) { return fn_[fn_.args(loop)[size_t(k)]]; };
    const bool known = bound(0).op == ir::Op::constant && bound(1).op == ir::Op::constant;
    const int64_t trips = int64_t(int32_t(bound(1).imm)) - int64_t(int32_t(bound(0).imm));
    if (known && trips <= short_trips) return;
    if (!has_loops && region_ != fn_.body) return;
    const ir::BlockId outer = std::exchange(b_.block, fn_[loop].blocks[0]);
    b_.at = 0;
    poll();
    b_.at = size_t(-1);
    b_.block = outer;
}

Flow Walker::nest_serial(const Node *node, const Nest &nest, size_t depth, std::vector<ir::Value> &indices) {
    const size_t axis = size_t(nest.order[depth]);
    if (depth == 0) count_trips(node, nest.lower, nest.upper);
    const ir::Value loop = b_.for_(nest.lower[axis], nest.upper[axis], {}, nest.settings);
    const ir::BlockId body = fn_[loop].blocks[0];
    indices[axis] = fn_[body].params[0];
    const size_t loops_before = fn_.loops.size();
    const int returns = returns_so_far();
    const Flow flow = body_in(body, [&] {
        if (depth + 1 < nest.order.size()) return nest_serial(node, nest, depth + 1, indices), Flow::next;
        bind_loop_targets(node, indices, nest);
        return loop_body(node);
    });
    poll_in(loop, fn_.loops.size() > loops_before);
    leave_if_returned(returns);
    return flow;
}

/// One loop over all index tuples, so that `break` leaves them all.
Flow Walker::nest_flat(const Node *node, const Nest &nest) {
    const ir::Value zero = b_.i32(0);
    std::vector<ir::Value> extents(nest.lower.size());
    ir::Value total = b_.i32(1);
    for (const int axis : nest.order) {
        const ir::Value trips = b_.sub(nest.upper[size_t(axis)], nest.lower[size_t(axis)]);
        extents[size_t(axis)] = b_.max(trips, zero);
        total = b_.mul(total, extents[size_t(axis)]);
    }
    count_trips(node, nest.lower, nest.upper);
    const ir::Value loop = b_.for_(zero, total, {}, nest.settings);
    const ir::BlockId body = fn_[loop].blocks[0];
    const int returns = returns_so_far();
    frames_.back().loops.push_back({LoopContext::What::serial, 0});
    body_in(body, [&] {
        ir::Value rest = fn_[body].params[0];
        std::vector<ir::Value> indices(nest.lower.size());
        for (size_t k = nest.order.size(); k > 0; --k) {
            const size_t axis = size_t(nest.order[k - 1]);
            const ir::Value step = k > 1 ? b_.rem(rest, extents[axis]) : rest;
            indices[axis] = b_.add(step, nest.lower[axis]);
            if (k > 1) rest = b_.div(rest, extents[axis]);
        }
        bind_loop_targets(node, indices, nest);
        return loop_body(node);
    });
    frames_.back().loops.pop_back();
    poll_in(loop, false);
    leave_if_returned(returns);
    return Flow::next;
}

} // namespace qd::frontend
