// Coverage probes: a counter for each statement on a new line and for each direction of a branch or loop. Counters that are always
// incremented together are merged by `count_predicates`.
#include "frontend/coverage.h"

#include "frontend/bounds.h"
#include "frontend/control.h"
#include "frontend/graph.h"

namespace qd::frontend {

namespace {

bool is_docstring(const Node *statement) {
    if (statement->kind != NodeKind::Expr) return false;
    const Node *inner = child(statement, Field::value);
    return inner->kind == NodeKind::Constant && PyUnicode_Check(constant_of(inner));
}

} // namespace

void Coverage::cover_line(const Node *statement) {
    if (!counts()) return;
    if (covered_line_ == 0 && is_docstring(statement)) return;
    const long line = statement->at.line;
    if (line == covered_line_) return; // a second statement on the line, or the body of a one-line `if` or loop
    covered_line_ = line;
    cover(ir::Counter::What::line, statement);
}

void Coverage::cover(ir::Counter::What what, const Node *node, ir::Value amount) {
    if (!counts(what)) return;
    AtNode at(w_, node);
    ir::Counter counter;
    counter.what = what;
    counter.span = b_.span;
    const Span &place = fn_.spans[b_.span];
    counter.copy = copies_[std::array{uint32_t(what), place.file, place.line, place.column}]++;
    fn_.counters.push_back(counter);
    w_.graphs.before_region([&] {
        if (!amount) amount = b_.i64(1);
        b_.count(uint32_t(fn_.counters.size() - 1), amount);
    });
}

/// Counts the body of a loop that is on the line of its header and so has no line counter.
void Coverage::cover_one_line(const Node *loop) {
    const Items body = items_of(loop, Field::body);
    if (body[0]->at.line == loop->at.line) cover(ir::Counter::What::taken, loop);
}

Flow loop_body(Walk &w, const Node *node) {
    w.coverage.cover_one_line(node);
    return block(w, items_of(node, Field::body));
}

/// Counts whether a serial loop is entered or has no iterations.
void Coverage::count_trips(const Node *node, std::span<const ir::Value> lower, std::span<const ir::Value> upper) {
    if (!counts(ir::Counter::What::entered)) return;
    const ir::Value any = inside(w_, lower, lower, upper);
    const ir::Value entered = b_.cast(any, ir::Scalar::i64);
    const ir::Value one = b_.i64(1);
    const ir::Value skipped = b_.sub(one, entered);
    cover(ir::Counter::What::entered, node, entered);
    cover(ir::Counter::What::zero_trips, node, skipped);
}

} // namespace qd::frontend
