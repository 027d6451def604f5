// `for`: over ranges, ndranges, fields and arrays at run time; over compile-time sequences by unrolling. A loop at the
// top level of a kernel is parallel, any other is serial.
#include "frontend/loops.h"

#include "base/stop.h"
#include "frontend/builtins.h"
#include "frontend/cells.h"
#include "frontend/control.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/gradients.h"
#include "frontend/mesh.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/real.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/static.h"
#include "frontend/types.h"
#include "ir/trip_count.h"

#include <numeric>
#include <utility>

namespace qd::frontend {

using ir::Scalar;

static std::vector<Val> static_product(const LoopSource &loop, const std::vector<long> &lower,
                                       const std::vector<long> &upper);
static Flow nest_parallel(Walk &w, const Node *node, const Nest &nest);
static Flow parallel_body(Walk &w, Items list, size_t from);
static Flow nest_serial(Walk &w, const Node *node, const Nest &nest, size_t depth, std::vector<ir::Value> &indices);
static Flow nest_flat(Walk &w, const Node *node, const Nest &nest);

bool is_top_level(Walk &w) {
    for (const Frame &frame : w.frames)
        if (frame.dynamic) return false;
    return true;
}

/// True inside a loop that is not unrolled.
bool inside_loop(Walk &w) {
    const auto runs = [](const LoopContext &loop) { return loop.what != LoopContext::What::static_; };
    return std::any_of(w.frames.begin(), w.frames.end(),
                       [&](const Frame &frame) { return std::any_of(frame.loops.begin(), frame.loops.end(), runs); });
}

Flow for_(Walk &w, const Node *node) {
    const Val over = loop_source(w, node);
    if (over.is_static)
        return for_static(w, node, static_items(w, child(node, Field::iter), over), [&] { return loop_body(w, node); });
    if (is_of_mesh(w, over)) return w.meshes.for_elements(node, over);
    if (over.loop().source->over == LoopSource::Over::range && !over.loop().source->grouped && inside_loop(w))
        w.gradients.check_inner_range(node);
    std::optional<uint32_t> cells;
    Nest nest = nest_of(w, node, *over.loop().source, cells);
    return cells ? for_cells(w, node, *cells, nest) : for_nest(w, node, std::move(nest));
}

/// True for the elements of a mesh, and for the elements adjacent to one of them.
bool is_of_mesh(Walk &w, const Val &v) {
    return v.is_relation() || (v.is_constant() && w.objects.kind_of(v.object()) == Kind::mesh_elements);
}

// Unrolled loops

std::vector<Val> static_items(Walk &w, const Node *node, const Val &v, Unrolled by) {
    if (v.is_loop()) {
        const LoopSource &loop = *v.loop().source;
        if (loop.over == LoopSource::Over::ndrange && loop.lower.empty() && !loop.grouped)
            w.fail_syntax(
                node,
                "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange "
                "is not supported",
                "an ndrange without dimensions has no index: write `for I in qd.static(qd.grouped(...))`");
        std::vector<long> lower, upper;
        double count = 1;
        for (size_t axis = 0; axis < loop.lower.size(); ++axis) {
            const std::optional<long> lo = constant_int(loop.lower[axis]), hi = constant_int(loop.upper[axis]);
            if (!lo || !hi) fail_static(w, node, lo ? loop.upper[axis] : loop.lower[axis], by);
            lower.push_back(*lo);
            upper.push_back(*hi);
            count *= std::max(0.0, double(*hi) - double(*lo));
        }
        if (count > max_items) w.fail_too_long(node);
        return static_product(loop, lower, upper);
    }
    if (v.is_scalar() || is_number(v) || (v.is_constant() && is_field(w.objects.kind_of(v.object()))))
        w.fail_type(node, "Cannot loop over the object " + type_text(w, v) + " in 'qd.static'",
                    "unroll a list, a tuple, `range(n)` or `qd.ndrange(...)` known at compile time");
    return sequence_items(w, node, v).sequence().items;
}

/// Every index tuple of an ndrange; the last axis (or the last of `axes`) varies fastest.
static std::vector<Val> static_product(const LoopSource &loop, const std::vector<long> &lower,
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
        val::Sequence item;
        item.flavour = loop.grouped ? Flavour::vector : Flavour::plain;
        for (const long k : index) item.items.push_back(integer(k));
        out.push_back(loop.over == LoopSource::Over::range ? item.items[0] : Val(std::move(item)));
        size_t at = order.size();
        while (at > 0 && ++index[size_t(order[at - 1])] == upper[size_t(order[at - 1])]) {
            index[size_t(order[at - 1])] = lower[size_t(order[at - 1])];
            --at;
        }
        if (at == 0) return out;
    }
}

Flow for_static(Walk &w, const Node *node, const std::vector<Val> &items, const std::function<Flow()> &body) {
    w.loops.drop_settings();
    if (int(items.size()) > w.request.options.unrolling_limit && w.request.options.unrolling_limit > 0)
        w.warn(
            node, "SyntaxWarning",
            "You are unrolling more than " + std::to_string(w.request.options.unrolling_limit) +
                " iterations, so the compile time may be extremely long. You can use a non-static for loop if you want "
                "to decrease the compile time. You can disable this warning by setting "
                "qd.init(unrolling_limit=0).");
    const Node *target = child(node, Field::target);
    w.frames.back().loops.push_back({LoopContext::What::static_, 0});
    Flow flow = Flow::next;
    for (const Val &item : items) {
        poll_stop();
        Scope scope(w);
        bind_static(w, target, item);
        w.coverage.set_line(node->at.line);
        flow = body();
        if (flow != Flow::next && flow != Flow::continue_) break;
    }
    w.frames.back().loops.pop_back();
    return flow == Flow::return_ || flow == Flow::stop ? flow : Flow::next;
}

void bind_static(Walk &w, const Node *target, const Val &item) {
    if (target->kind == NodeKind::Name) {
        Val v = item;
        v.is_static = false;
        w.scopes.bind(word_of(target, Field::id), std::move(v));
        return;
    }
    const Items elements = items_of(target, Field::elts);
    const std::vector<Val> parts = sequence_items(w, target, item).sequence().items;
    if (parts.size() != elements.size())
        w.fail_syntax(target,
                      "Ndrange for loop with number of the loop variables not equal to the dimension of the ndrange "
                      "is not supported, expected " +
                          std::to_string(parts.size()) + ", got " + std::to_string(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) bind_static(w, elements[i], parts[i]);
}

void check_loop_target(Walk &w, const Node *target) {
    if (target->kind == NodeKind::Tuple) {
        for (const Node *item : items_of(target, Field::elts)) check_loop_target(w, item);
        return;
    }
    if (target->kind != NodeKind::Name) w.fail_syntax(target, "A loop variable must be a name");
    PyObject *name = word_of(target, Field::id);
    if (w.scopes.find_local(name) && text(name) != "_")
        w.fail_syntax(target,
                      "Variable '" + text(name) +
                          "' is already declared in the outer scope and cannot be used as loop "
                          "variable",
                      "use another name");
}

static void bind_target(Walk &w, const Node *target, ir::Value index) {
    PyObject *name = word_of(target, Field::id);
    const bool assigned = w.frames.back().assigned && w.frames.back().assigned->count(name);
    Val v = scalar(w, index);
    w.scopes.bind(name, assigned ? w.places.new_variable(target, v) : std::move(v));
}

void bind_loop_targets(Walk &w, const Node *node, std::span<const ir::Value> indices, const Nest &nest) {
    const Node *target = child(node, Field::target);
    if (!nest.elements.is_none()) return w.meshes.bind_element(node, nest.elements, indices[0]);
    if (nest.single) {
        w.scopes.bind(word_of(target, Field::id), val::Sequence{{}, val::Sequence::Type::tuple, Flavour::vector});
        return;
    }
    if (nest.grouped) {
        Val v = val::Matrix{{indices.begin(), indices.end()}, int(indices.size()), 1, 1, Scalar::i32};
        PyObject *name = word_of(target, Field::id);
        const bool assigned = w.frames.back().assigned && w.frames.back().assigned->count(name);
        w.scopes.bind(name, assigned ? w.places.new_variable(target, v) : std::move(v));
        return;
    }
    if (target->kind == NodeKind::Name) {
        bind_target(w, target, indices[0]);
        return;
    }
    const Items elements = items_of(target, Field::elts);
    for (size_t i = 0; i < elements.size(); ++i) bind_target(w, elements[i], indices[i]);
}

Flow for_nest(Walk &w, const Node *node, Nest nest) {
    check_loop_target(w, child(node, Field::target));
    if (nest.order.empty()) {
        nest.order.resize(nest.lower.size());
        std::iota(nest.order.begin(), nest.order.end(), 0);
    }
    w.loops.take_settings(nest.settings);
    const bool parallel = is_top_level(w) && !nest.settings.serialize;
    if (parallel) return nest_parallel(w, node, nest);
    std::vector<ir::Value> indices(nest.lower.size());
    if (nest.lower.size() > 1 && has_break(items_of(node, Field::body))) return nest_flat(w, node, nest);
    w.frames.back().loops.push_back({LoopContext::What::serial, 0});
    nest_serial(w, node, nest, 0, indices);
    w.frames.back().loops.pop_back();
    return Flow::next;
}

static Flow nest_parallel(Walk &w, const Node *node, const Nest &nest) {
    std::vector<ir::Value> bounds;
    for (const int axis : nest.order) {
        bounds.push_back(nest.lower[size_t(axis)]);
        bounds.push_back(nest.upper[size_t(axis)]);
    }
    const ir::Value loop = w.b.parallel(bounds, nest.settings);
    const ir::BlockId body = w.fn[loop].blocks[0];
    std::vector<ir::Value> indices(nest.lower.size());
    for (size_t k = 0; k < nest.order.size(); ++k) indices[size_t(nest.order[k])] = w.fn[body].params[k];
    w.frames.back().loops.push_back({LoopContext::What::parallel, 0});
    const ir::BlockId outer_region = std::exchange(w.region, body);
    body_in(w, body, [&] {
        bind_loop_targets(w, node, indices, nest);
        return iteration(w, node);
    });
    w.region = outer_region;
    w.frames.back().loops.pop_back();
    return Flow::next;
}

/// One iteration of a parallel loop.
Flow iteration(Walk &w, const Node *node) {
    w.coverage.cover_one_line(node);
    const Items statements = items_of(node, Field::body);
    const Continues continues = scan_continues(statements);
    if (continues == Continues::none) return block(w, statements);
    if (continues == Continues::guards) return parallel_body(w, statements, 0);
    const ir::Value once = w.b.loop({}, {});
    const ir::BlockId outer = w.b.block;
    w.b.block = w.fn[once].blocks[0];
    if (block(w, statements) != Flow::stop) w.b.break_();
    w.b.block = outer;
    return Flow::next;
}

/// Walks a body whose `continue`s all have the form `if c: ...; continue` at its own level: the statements after such an `if` become its
/// else branch.
static Flow parallel_body(Walk &w, Items statements, size_t from) {
    size_t at = from;
    while (at < statements.size() && !is_guard(statements[at])) ++at;
    const Flow flow = block(w, statements, from, at);
    if (flow != Flow::next || at >= statements.size()) return flow;
    const Node *guard = statements[at];
    w.coverage.cover_line(guard);
    AtNode place(w, guard);
    const Items yes = items_of(guard, Field::body);
    const Choice chosen = choice(w, child(guard, Field::test), value(w, child(guard, Field::test)));
    const auto leave = [&] {
        const Flow flow = block(w, yes, 0, yes.size() - 1);
        if (flow == Flow::next) w.coverage.cover_line(yes.back());
        return flow;
    };
    if (chosen.fixed) {
        w.coverage.cover(*chosen.fixed ? ir::Counter::What::taken : ir::Counter::What::not_taken, guard);
        return *chosen.fixed ? leave() : parallel_body(w, statements, at + 1);
    }
    const ir::Value branch = w.b.if_(chosen.taken);
    body_in(w, w.fn[branch].blocks[0], [&] {
        w.coverage.cover(ir::Counter::What::taken, guard);
        return chosen.walked[0] ? leave() : Flow::next;
    });
    body_in(w, w.fn[branch].blocks[1], [&] {
        w.coverage.cover(ir::Counter::What::not_taken, guard);
        return parallel_body(w, statements, at + 1);
    });
    return Flow::next;
}

/// Makes a serial loop that may run long poll for Stop: a loop outside parallel loops, or around other loops. The innermost loops of
/// parallel ones do not poll; nor do short loops, or loops around loops that poll themselves.
void poll_in(Walk &w, ir::Value loop, bool has_loops) {
    const bool serial = w.region == w.fn.body;
    const int64_t trips = ir::trips(w.fn, loop);
    if (trips <= ir::few_trips) {
        const int64_t inside = serial ? ir::iterations(w.fn, w.fn[loop].blocks[0]) : 0;
        if (inside == ir::unbounded || ir::times(trips, inside) <= ir::few_iterations) return;
    }
    if (!has_loops && !serial) return;
    const ir::BlockId outer = std::exchange(w.b.block, w.fn[loop].blocks[0]);
    w.b.at = 0;
    poll(w);
    w.b.at = size_t(-1);
    w.b.block = outer;
}

static Flow nest_serial(Walk &w, const Node *node, const Nest &nest, size_t depth, std::vector<ir::Value> &indices) {
    const size_t axis = size_t(nest.order[depth]);
    if (depth == 0) w.coverage.count_trips(node, nest.lower, nest.upper);
    const ir::Value loop = w.b.for_(nest.lower[axis], nest.upper[axis], {}, nest.settings);
    const ir::BlockId body = w.fn[loop].blocks[0];
    indices[axis] = w.fn[body].params[0];
    const size_t loops_before = w.fn.loops.size();
    const int returns = returns_so_far(w);
    const Flow flow = body_in(w, body, [&] {
        if (depth + 1 < nest.order.size()) return nest_serial(w, node, nest, depth + 1, indices), Flow::next;
        bind_loop_targets(w, node, indices, nest);
        return loop_body(w, node);
    });
    poll_in(w, loop, w.fn.loops.size() > loops_before);
    leave_if_returned(w, returns);
    return flow;
}

/// One loop over all index tuples, so that `break` leaves the whole nest.
static Flow nest_flat(Walk &w, const Node *node, const Nest &nest) {
    const ir::Value zero = w.b.i32(0);
    std::vector<ir::Value> extents(nest.lower.size());
    ir::Value total = w.b.i32(1);
    for (const int axis : nest.order) {
        const ir::Value trips = w.b.sub(nest.upper[size_t(axis)], nest.lower[size_t(axis)]);
        extents[size_t(axis)] = w.b.max(trips, zero);
        total = w.b.mul(total, extents[size_t(axis)]);
    }
    w.coverage.count_trips(node, nest.lower, nest.upper);
    const ir::Value loop = w.b.for_(zero, total, {}, nest.settings);
    const ir::BlockId body = w.fn[loop].blocks[0];
    const int returns = returns_so_far(w);
    w.frames.back().loops.push_back({LoopContext::What::serial, 0});
    body_in(w, body, [&] {
        ir::Value rest = w.fn[body].params[0];
        std::vector<ir::Value> indices(nest.lower.size());
        for (size_t k = nest.order.size(); k > 0; --k) {
            const size_t axis = size_t(nest.order[k - 1]);
            const ir::Value step = k > 1 ? w.b.rem(rest, extents[axis]) : rest;
            indices[axis] = w.b.add(step, nest.lower[axis]);
            if (k > 1) rest = w.b.div(rest, extents[axis]);
        }
        bind_loop_targets(w, node, indices, nest);
        return loop_body(w, node);
    });
    w.frames.back().loops.pop_back();
    poll_in(w, loop, false);
    leave_if_returned(w, returns);
    return Flow::next;
}

} // namespace qd::frontend
