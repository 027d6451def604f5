// What the user may have meant: by an unknown name, or an unknown attribute of an object.
#include "frontend/suggest.h"

#include "frontend/scope.h"

namespace qd::frontend {
namespace {

/// The best match for `name` among strings, as a hint; none if nothing is near to it.
std::string meant(const std::string &name, PyObject *candidates) {
    const PyRef module = PyRef::steal(PyImport_ImportModule("difflib"));
    constexpr double nearness = 0.7;
    const PyRef near = PyRef::steal(
        module ? PyObject_CallMethod(module.get(), "get_close_matches", "sOid", name.c_str(), candidates, 1, nearness)
               : nullptr);
    PyErr_Clear();
    if (!near || !PyList_Check(near.get()) || PyList_GET_SIZE(near.get()) == 0) return {};
    return "did you mean `" + text(PyList_GET_ITEM(near.get(), 0)) + "`?";
}

/// The line of the first `name := ...`.
std::optional<int> named_at(const Node *tree, PyObject *name) {
    std::optional<int> line;
    each_node(tree, [&](const Node *node) {
        if (!line && node->kind == NodeKind::NamedExpr && word_of(child(node, Field::target), Field::id) == name)
            line = node->at.line;
    });
    return line;
}

} // namespace

void fail_unknown_name(Walk &w, const Node *node, PyObject *name) {
    const Frame &frame = w.frames.back();
    bool assigned = false; // somewhere in the function, the targets of its loops included
    const auto look = [&](const Node *target) {
        assigned = assigned || (target->kind == NodeKind::Name && word_of(target, Field::id) == name);
    };
    each_node(frame.source->tree, [&](const Node *n) {
        if (n->kind == NodeKind::For) each_node(child(n, Field::target), look);
    });
    assigned = assigned || (frame.assigned && frame.assigned->count(name));
    std::string hint = "names first assigned inside an if, for or while body are gone after it";
    if (const auto named = named_at(frame.source->tree, name)) {
        const std::string at = "`:=` in line " + std::to_string(*named + frame.source->first_line - 1);
        hint =
            w.scopes.may_be_unbound(name)
                ? at + " binds it only where that operand, or that side of the choice, is looked at; assign it before"
                : "what " + at +
                      " binds inside an if, for or while is gone after it, the test of a while included; "
                      "assign it before";
    } else if (!assigned) {
        const PyRef known = PyRef::steal(PyList_New(0));
        for (size_t i = frame.first_binding; i < w.scopes.size(); ++i)
            PyList_Append(known.get(), w.scopes.bindings()[i].name);
        const PyRef code = frame.function ? attribute(frame.function, names().__code__) : PyRef{};
        if (const PyRef enclosing = code ? attribute(code.get(), names().co_freevars) : PyRef{})
            PyList_SetSlice(known.get(), 0, 0, enclosing.get());
        const PyRef globals = frame.function ? attribute(frame.function, names().__globals__) : PyRef{};
        for (PyObject *scope : {globals.get(), PyEval_GetBuiltins()}) {
            PyObject *key = nullptr, *value = nullptr;
            Py_ssize_t at = 0;
            while (scope && PyDict_Check(scope) && PyDict_Next(scope, &at, &key, &value))
                if (PyUnicode_Check(key)) PyList_Append(known.get(), key);
        }
        hint = meant(text(name), known.get());
    }
    w.fail(node, UserErrorKind::name, "Name \"" + text(name) + "\" is not defined", hint);
}

/// `object.name`, which there is not.
void fail_attribute(Walk &w, const Node *node, PyObject *object, PyObject *name) {
    const PyRef known = PyRef::steal(PyObject_Dir(object));
    PyErr_Clear();
    std::string what = "'" + type_name(object) + "' object";
    if (const char *module = PyModule_Check(object) ? PyModule_GetName(object) : nullptr)
        what = std::string("module '") + module + "'";
    PyErr_Clear();
    w.fail(node, UserErrorKind::compilation, what + " has no attribute '" + text(name) + "'",
           known ? meant(text(name), known.get()) : "");
}

} // namespace qd::frontend
