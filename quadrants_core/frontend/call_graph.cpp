// Which funcs a func calls, and which of them are recursive.
#include "frontend/call_graph.h"

#include "frontend/funcs.h"
#include "frontend/machine.h"
#include "frontend/objects.h"
#include "frontend/scope.h"

#include <algorithm>
#include <bit>

namespace qd::frontend {

using ir::Scalar;

/// What a name, or a name in a module, stands for outside of the walk; none if it is a name of the func's own.
static PyRef object_outside(Walk &w, const Node *node) {
    if (node->kind == NodeKind::Name)
        return w.scopes.find_local(word_of(node, Field::id)) ? PyRef{} : w.scopes.find_global(word_of(node, Field::id));
    if (node->kind != NodeKind::Attribute) return {};
    PyRef module = object_outside(w, child(node, Field::value));
    if (!module || !PyModule_Check(module.get())) return {};
    PyRef found = attribute(module.get(), word_of(node, Field::attr));
    if (found) w.reads.attribute(module.get(), word_of(node, Field::attr), found.get());
    return found;
}

/// The func that a call names; null if it names none.
static FuncInfo *func_called(Walk &w, const Node *node) {
    if (node->kind != NodeKind::Call) return nullptr;
    PyRef object = object_outside(w, child(node, Field::func));
    if (!object || w.objects.kind_of(object.get()) != Kind::func) return nullptr;
    return &w.funcs.func_info(node, object.get());
}

/// The funcs that the body of one calls.
static const std::vector<FuncInfo *> &funcs_called_in(Walk &w, FuncInfo &info) {
    if (info.calls) return *info.calls;
    Frame frame;
    frame.first_binding = w.scopes.size();
    frame.function = info.function.get();
    frame.source = &info.source;
    w.frames.push_back(std::move(frame));
    std::vector<FuncInfo *> found;
    for (const Node *statement : items_of(info.source.tree, Field::body))
        each_node(statement, [&](const Node *node) {
            if (FuncInfo *callee = func_called(w, node)) found.push_back(callee);
        });
    w.frames.pop_back();
    return info.calls.emplace(std::move(found));
}

/// Whether calls of `info` can lead to a func that `wanted` accepts.
static bool leads_to(Walk &w, FuncInfo &info, const std::function<bool(FuncInfo &)> &wanted) {
    std::vector<FuncInfo *> seen{&info}, todo{&info};
    while (!todo.empty()) {
        FuncInfo *now = todo.back();
        todo.pop_back();
        for (FuncInfo *callee : funcs_called_in(w, *now)) {
            if (wanted(*callee)) return true;
            if (std::find(seen.begin(), seen.end(), callee) != seen.end()) continue;
            seen.push_back(callee);
            todo.push_back(callee);
        }
    }
    return false;
}

bool is_recursive(Walk &w, FuncInfo &info) {
    if (!info.recursive) info.recursive = leads_to(w, info, [&](FuncInfo &callee) { return &callee == &info; });
    return *info.recursive;
}

/// Whether a call of it is cut: a real func, or one that leads to a real func.
static bool is_cut(Walk &w, FuncInfo &info) {
    if (!info.cut) info.cut = info.is_real || leads_to(w, info, [](FuncInfo &callee) { return callee.is_real; });
    return *info.cut;
}

/// The func of a call that is cut; null if it is none.
FuncInfo *cut_callee(Walk &w, const Node *node) {
    FuncInfo *info = func_called(w, node);
    return info && is_cut(w, *info) ? info : nullptr;
}

bool calls_real(Walk &w, const Node *tree) {
    bool found = false;
    visit_tree(tree, [&](const Node *node) {
        found = found || cut_callee(w, node);
        return !found;
    });
    return found;
}

} // namespace qd::frontend
