#include "frontend/scan.h"

#include "frontend/py.h"

namespace qd::frontend {
namespace {

void scan_target(const Node *target, std::unordered_set<PyObject *> &out) {
    using Kind = TargetKind;
    switch (Kind(target->kind)) {
    case Kind::Name: out.insert(word_of(target, Field::id)); return;
    case Kind::Tuple:
    case Kind::List:
        for (const Node *item : items_of(target, Field::elts)) scan_target(item, out);
        return;
    case Kind::Subscript:
    case Kind::Attribute:
    case Kind::Starred: scan_target(child(target, Field::value), out); return;
    }
}

/// The name that a call uses: "f" for `f(...)` and `x.f(...)`.
std::string called(const Node *call) {
    const Node *callee = child(call, Field::func);
    const NodeKind kind = callee->kind;
    if (kind != NodeKind::Name && kind != NodeKind::Attribute) return {};
    return text(word_of(callee, kind == NodeKind::Name ? Field::id : Field::attr));
}

void scan_expression(const Node *node, std::unordered_set<PyObject *> &out) {
    const NodeKind kind = node->kind;
    if (kind == NodeKind::NamedExpr) scan_target(child(node, Field::target), out);
    if (kind != NodeKind::Call) return;
    const std::string name = called(node);
    const bool fills = name == "fill", updates = name.rfind("atomic_", 0) == 0;
    if (fills) scan_target(child(node, Field::func), out);
    if (!fills && !updates) return;
    if (const Items args = items_of(node, Field::args); args.size() > size_t(fills)) // qd.Vector.fill(v, value)
        scan_target(args[0], out);
    if (fills) return;
    for (const Node *keyword : items_of(node, Field::keywords))
        if (word_of(keyword, Field::arg) && text(word_of(keyword, Field::arg)) == "x")
            scan_target(child(keyword, Field::value), out);
}

/// The number of statements of this kind that belong to the loop whose body is `list`.
int count(Items list, NodeKind wanted) {
    check_stack();
    int found = 0;
    for (const Node *statement : list) {
        const NodeKind kind = statement->kind;
        if (kind == wanted)
            ++found;
        else if (kind == NodeKind::If)
            found +=
                count(items_of(statement, Field::body), wanted) + count(items_of(statement, Field::orelse), wanted);
        else if (kind == NodeKind::With)
            found += count(items_of(statement, Field::body), wanted);
    }
    return found;
}

} // namespace

void scan_assigned(Items list, std::unordered_set<PyObject *> &out) {
    check_stack();
    for (const Node *statement : list) {
        using Kind = StatementKind;
        switch (Kind(statement->kind)) {
        case Kind::Assign:
            for (const Node *target : items_of(statement, Field::targets)) scan_target(target, out);
            break;
        case Kind::AugAssign:
        case Kind::AnnAssign: scan_target(child(statement, Field::target), out); break;
        case Kind::For:
        case Kind::While:
        case Kind::If:
            scan_assigned(items_of(statement, Field::body), out);
            scan_assigned(items_of(statement, Field::orelse), out);
            break;
        case Kind::With: scan_assigned(items_of(statement, Field::body), out); break;
        case Kind::Return:
        case Kind::Assert:
        case Kind::Expr:
        case Kind::Pass:
        case Kind::Break:
        case Kind::Continue: break;
        }
    }
}

void scan_changed(const Source &source, std::unordered_set<PyObject *> &out) {
    const Items body = items_of(source.tree, Field::body);
    scan_assigned(body, out);
    const auto mentions = [&](const char *words) { return source.text.find(words) != std::string::npos; };
    if (!mentions("atomic_") && !mentions(":=") && !mentions("fill")) return; // spares most functions the walk
    for (const Node *statement : body) each_node(statement, [&](const Node *node) { scan_expression(node, out); });
}

void scan_receivers(Items list, std::unordered_set<PyObject *> &out) {
    const auto visit = [&](const Node *node) {
        if (node->kind == NodeKind::Call && child(node, Field::func)->kind == NodeKind::Attribute)
            scan_target(child(node, Field::func), out);
    };
    for (const Node *statement : list) each_node(statement, visit);
}

void scan_certain(const Node *node, std::optional<bool> truth, std::unordered_set<PyObject *> &out) {
    check_stack();
    const NodeKind kind = node->kind;
    const auto all = [&](const Items &operands, std::optional<bool> of_each) {
        for (const Node *one : operands) scan_certain(one, of_each, out);
    };
    if (kind == NodeKind::NamedExpr) {
        scan_target(child(node, Field::target), out);
        scan_certain(child(node, Field::value), truth, out);
    } else if (kind == NodeKind::UnaryOp) {
        const bool flips = truth && child(node, Field::op)->kind == NodeKind::Not;
        scan_certain(child(node, Field::operand), flips ? std::optional(!*truth) : std::nullopt, out);
    } else if (kind == NodeKind::BoolOp) {
        const bool evaluates_all = truth == (child(node, Field::op)->kind == NodeKind::And);
        const Items values = items_of(node, Field::values);
        all(evaluates_all ? values : values.to(1), evaluates_all ? truth : std::nullopt);
    } else if (kind == NodeKind::Compare) {
        const Items others = items_of(node, Field::comparators);
        scan_certain(child(node, Field::left), std::nullopt, out);
        all(truth == true ? others : others.to(1), std::nullopt);
    } else if (kind == NodeKind::IfExp) {
        scan_certain(child(node, Field::test), std::nullopt, out);
    } else {
        each_child(node, [&](const Node *below) { scan_certain(below, std::nullopt, out); });
    }
}

bool binds_names(Items expressions) {
    bool found = false;
    for (const Node *one : expressions)
        each_node(one, [&](const Node *node) { found = found || node->kind == NodeKind::NamedExpr; });
    return found;
}

bool has_break(Items list) { return count(list, NodeKind::Break) > 0; }

bool is_guard(const Node *statement) {
    if (statement->kind != NodeKind::If || items_of(statement, Field::orelse).size()) return false;
    const Items body = items_of(statement, Field::body);
    return body.back()->kind == NodeKind::Continue && count(body, NodeKind::Continue) == 1;
}

Continues scan_continues(Items list) {
    int guards = 0;
    for (const Node *statement : list) guards += is_guard(statement);
    const int all = count(list, NodeKind::Continue);
    return all == 0 ? Continues::none : all == guards ? Continues::guards : Continues::general;
}

} // namespace qd::frontend
