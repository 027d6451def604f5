// Suggestions for an unknown name, attribute or statement, and facts that help to understand a message.
#include "frontend/suggest.h"

#include "frontend/format.h"
#include "frontend/scope.h"

namespace qd::frontend {
namespace {

/// The best match for `name` among strings, as a hint; empty if none is close.
std::string closest_match(const std::string &name, PyObject *candidates) {
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
    bool assigned = false; // anywhere in the function, as a target of its loops, too
    const auto check_target = [&](const Node *target) {
        assigned = assigned || (target->kind == NodeKind::Name && word_of(target, Field::id) == name);
    };
    each_node(frame.source->tree, [&](const Node *n) {
        if (n->kind == NodeKind::For) each_node(child(n, Field::target), check_target);
    });
    assigned = assigned || (frame.assigned && frame.assigned->count(name));
    std::string hint = "names first assigned inside an if, for or while body are gone after it";
    if (const auto named = named_at(frame.source->tree, name)) {
        const std::string at = "`:=` in line " + std::to_string(*named + frame.source->first_line - 1);
        hint = w.scopes.may_be_unbound(name)
                   ? at + " binds it only if that operand, or that side of the choice, is evaluated; assign it before"
                   : "names that " + at +
                         " binds inside an if, for or while, or in the test of a while, are gone after it; "
                         "assign them before";
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
        hint = closest_match(text(name), known.get());
    }
    w.fail(node, UserErrorKind::name, "Name \"" + text(name) + "\" is not defined", hint);
}

void fail_unsupported_node(Walk &w, const Node *node) {
    struct Row {
        NodeKind kind;
        const char *words, *hint;
    };
    static constexpr Row rows[] = {
        {NodeKind::Global, "a kernel cannot assign to global names",
         "store into a field or array, or return the value"},
        {NodeKind::Nonlocal, "a kernel cannot assign to global names",
         "store into a field or array, or return the value"},
        {NodeKind::Raise, "a kernel cannot raise",
         "write `assert condition, message`, which debug=True checks, or store a flag"},
        {NodeKind::Try, "a kernel cannot catch exceptions", "put the `try` around the call of the kernel"},
        {NodeKind::TryStar, "a kernel cannot catch exceptions", "put the `try` around the call of the kernel"},
        {NodeKind::Import, "a kernel cannot import", "import outside of it"},
        {NodeKind::ImportFrom, "a kernel cannot import", "import outside of it"},
        {NodeKind::Delete, "a kernel cannot delete names",
         "remove the statement: names are gone after the block that assigns them"},
        {NodeKind::Match, "kernels do not support `match`", "write `if` and `elif`"},
        {NodeKind::ClassDef, "a class cannot be defined in a kernel", "define it outside"},
        {NodeKind::Lambda, "a lambda cannot be defined in a kernel", "define a function outside, with @qd.func"},
    };
    const std::string name = std::string("Unsupported node \"") + kind_name(node->kind) + "\"";
    for (const Row &row : rows)
        if (row.kind == node->kind) w.fail_syntax(node, name + ": " + row.words, row.hint);
    w.fail_syntax(node, name,
                  is_statement(node->kind)
                      ? "this statement has no meaning in a kernel; do it in Python, around the call"
                      : "kernels are a subset of Python; move this outside the kernel or into "
                        "`qd.static(...)` on values known at compile time");
}

std::string near_word(const std::string &name, std::span<const std::string_view> words) {
    const PyRef known = PyRef::steal(PyList_New(0));
    for (const std::string_view word : words) {
        const PyRef item = PyRef::steal(PyUnicode_FromStringAndSize(word.data(), Py_ssize_t(word.size())));
        PyList_Append(known.get(), item.get());
    }
    return closest_match(name, known.get());
}

namespace {

/// The name to which a statement or an atomic stores; null if the target is not a name.
const Node *stored_name(const Node *node) {
    if (node->kind == NodeKind::AugAssign) node = child(node, Field::target);
    if (node->kind == NodeKind::Call && items_of(node, Field::args).size()) node = items_of(node, Field::args)[0];
    return node->kind == NodeKind::Name ? node : nullptr;
}

/// The first `name = value` in a function.
const Node *first_assignment(const Node *tree, PyObject *name) {
    const Node *found = nullptr;
    each_node(tree, [&](const Node *node) {
        if (found || node->kind != NodeKind::Assign) return;
        const Node *target = items_of(node, Field::targets)[0];
        if (target->kind == NodeKind::Name && word_of(target, Field::id) == name) found = node;
    });
    return found;
}

} // namespace

std::string why_narrow(Walk &w, const Node *node, ir::Scalar to, ir::Scalar from) {
    const Node *target = node ? stored_name(node) : nullptr;
    const Source &source = *w.frames.back().source;
    const Node *first = target ? first_assignment(source.tree, word_of(target, Field::id)) : nullptr;
    if (!first || !ir::is_float(from) || ir::is_float(to)) return {};
    const std::string name = text(word_of(target, Field::id)), given = source_text(w, child(first, Field::value));
    std::string out = ". `" + name + "` is " + ir::to_string(to) + " since line " +
                      std::to_string(first->at.line + source.first_line - 1) + " (`" + name + " = " + given + "`)";
    PyObject *number = constant_of(child(first, Field::value));
    if (number && PyLong_CheckExact(number)) out += "; write `" + name + " = " + given + ".0`";
    return out;
}

/// Fails because `object.name` does not exist.
void fail_attribute(Walk &w, const Node *node, PyObject *object, PyObject *name) {
    const PyRef known = PyRef::steal(PyObject_Dir(object));
    PyErr_Clear();
    std::string what = "'" + type_name(object) + "' object";
    if (const char *module = PyModule_Check(object) ? PyModule_GetName(object) : nullptr)
        what = std::string("module '") + module + "'";
    PyErr_Clear();
    w.fail(node, UserErrorKind::compilation, what + " has no attribute '" + text(name) + "'",
           known ? closest_match(text(name), known.get()) : "");
}

namespace {

/// True if an expression can be evaluated again without side effects.
bool can_be_repeated(const Node *expression) {
    bool can = true;
    each_node(expression, [&](const Node *node) {
        const NodeKind kind = node->kind;
        can = can && kind != NodeKind::Call && kind != NodeKind::NamedExpr && kind != NodeKind::ListComp &&
              kind != NodeKind::DictComp && kind != NodeKind::GeneratorExp;
    });
    return can;
}

/// Collects the loops around a statement, outermost first; true if `in` contains it.
bool loops_around(const Node *in, const Node *statement, std::vector<const Node *> &loops) {
    if (in == statement) return true;
    if (!is_statement(in->kind)) return false;
    const size_t outer = loops.size();
    if (in->kind == NodeKind::For) loops.push_back(in);
    bool found = false;
    each_child(in, [&](const Node *below) { found = found || loops_around(below, statement, loops); });
    if (!found) loops.resize(outer);
    return found;
}

} // namespace

std::vector<const Node *> values_to_show(Walk &w, const Node *assertion) {
    std::vector<const Node *> out, loops;
    const auto add = [&](const Node *node) {
        const std::string words = source_text(w, node);
        const auto same = [&](const Node *known) { return source_text(w, known) == words; };
        if (std::none_of(out.begin(), out.end(), same)) out.push_back(node);
    };
    const auto add_variable = [&](const Node *node) {
        if (node->kind != NodeKind::Name) return;
        const Binding *known = w.scopes.find_local(word_of(node, Field::id));
        if (known && (known->value.is_scalar() || known->value.is_matrix() || known->value.is_ref())) add(node);
    };
    loops_around(w.frames.back().source->tree, assertion, loops);
    for (const Node *loop : loops) each_node(child(loop, Field::target), add_variable);
    const Node *test = child(assertion, Field::test);
    if (test->kind != NodeKind::Compare) {
        each_node(test, add_variable);
        return out;
    }
    for (const Node *operand : {child(test, Field::left), items_of(test, Field::comparators)[0]}) {
        if (operand->kind != NodeKind::Constant && can_be_repeated(operand)) add(operand);
    }
    for (const Node *behind : items_of(test, Field::comparators).from(1)) add_variable(behind);
    return out;
}

} // namespace qd::frontend
