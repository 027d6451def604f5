#include "frontend/scan.h"

namespace qd::frontend {
namespace {

void scan_target(PyObject *target, std::unordered_set<PyObject *> &out) {
    const Names &n = names();
    switch (node_kind(target)) {
    case Node::Name: out.insert(child(target, n.id)); return;
    case Node::Tuple:
    case Node::List:
        for (PyObject *item : Items(child(target, n.elts))) scan_target(item, out);
        return;
    case Node::Subscript:
    case Node::Attribute:
    case Node::Starred: scan_target(child(target, n.value), out); return;
    default: return;
    }
}

/// Calls `visit` for every node of a tree or list of trees.
template <class Visit> void each_node(PyObject *tree, const Visit &visit) {
    if (PyList_Check(tree)) {
        for (PyObject *item : Items(tree)) each_node(item, visit);
        return;
    }
    if (Py_TYPE(tree)->tp_dictoffset == 0) return; // no node of the tree
    PyRef children = attribute(tree, names().__dict__);
    if (!children || !PyDict_Check(children.get())) return;
    visit(tree);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(children.get(), &at, &key, &value)) each_node(value, visit);
}

/// The name by which a call calls: `f(...)` and `x.f(...)` give "f".
std::string called(PyObject *call) {
    PyObject *callee = child(call, names().func);
    const Node kind = node_kind(callee);
    if (kind != Node::Name && kind != Node::Attribute) return {};
    return text(child(callee, kind == Node::Name ? names().id : names().attr));
}

void scan_expression(PyObject *node, std::unordered_set<PyObject *> &out) {
    const Names &n = names();
    const Node kind = node_kind(node);
    if (kind == Node::NamedExpr) scan_target(child(node, n.target), out);
    if (kind != Node::Call) return;
    const std::string name = called(node);
    if (name == "fill") scan_target(child(node, n.func), out);
    if (name.rfind("atomic_", 0) != 0) return;
    if (const Items args(child(node, n.args)); args.size()) scan_target(args[0], out);
}

/// How many statements of this class belong to the loop whose body `list` is.
int count(PyObject *list, Node wanted) {
    int found = 0;
    for (PyObject *statement : Items(list)) {
        const Node kind = node_kind(statement);
        if (kind == wanted)
            ++found;
        else if (kind == Node::If)
            found += count(child(statement, names().body), wanted) + count(child(statement, names().orelse), wanted);
        else if (kind == Node::With)
            found += count(child(statement, names().body), wanted);
    }
    return found;
}

} // namespace

void scan_assigned(PyObject *list, std::unordered_set<PyObject *> &out) {
    const Names &n = names();
    for (PyObject *statement : Items(list)) {
        switch (node_kind(statement)) {
        case Node::Assign:
            for (PyObject *target : Items(child(statement, n.targets))) scan_target(target, out);
            break;
        case Node::AugAssign:
        case Node::AnnAssign: scan_target(child(statement, n.target), out); break;
        case Node::For:
        case Node::While:
        case Node::If:
            scan_assigned(child(statement, n.body), out);
            scan_assigned(child(statement, n.orelse), out);
            break;
        case Node::With: scan_assigned(child(statement, n.body), out); break;
        default: break;
        }
    }
}

void scan_changed(const Source &source, std::unordered_set<PyObject *> &out) {
    PyObject *body = child(source.tree, names().body);
    scan_assigned(body, out);
    const auto mentions = [&](const char *words) { return source.text.find(words) != std::string::npos; };
    if (!mentions("atomic_") && !mentions(":=") && !mentions("fill")) return; // most have none: spares the walk
    each_node(body, [&](PyObject *node) { scan_expression(node, out); });
}

void scan_receivers(PyObject *tree, std::unordered_set<PyObject *> &out) {
    each_node(tree, [&](PyObject *node) {
        if (node_kind(node) == Node::Call && node_kind(child(node, names().func)) == Node::Attribute)
            scan_target(child(node, names().func), out);
    });
}

bool has_break(PyObject *list) { return count(list, Node::Break) > 0; }

bool is_guard(PyObject *statement) {
    if (node_kind(statement) != Node::If || Items(child(statement, names().orelse)).size()) return false;
    const Items body(child(statement, names().body));
    return node_kind(body[body.size() - 1]) == Node::Continue && count(body.list, Node::Continue) == 1;
}

Continues scan_continues(PyObject *list) {
    int guards = 0;
    for (PyObject *statement : Items(list)) guards += is_guard(statement);
    const int all = count(list, Node::Continue);
    return all == 0 ? Continues::none : all == guards ? Continues::guards : Continues::general;
}

} // namespace qd::frontend
