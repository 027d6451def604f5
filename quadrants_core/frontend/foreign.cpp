// Plain functions of Python that a kernel calls with values known only at run time. They are inlined like funcs whose
// parameters have no types; those of the module `operator` are operators.
#include "frontend/foreign.h"

#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/compare.h"
#include "frontend/expr.h"
#include "frontend/funcs.h"
#include "frontend/objects.h"
#include "frontend/operators.h"

#include <algorithm>
#include <string_view>

namespace qd::frontend {

static std::optional<Val> call_partial(Walk &w, const Node *node, PyObject *partial, Call call);
static std::optional<Val> call_operator(Walk &w, const Node *node, const Call &call, const std::string &name);

/// What a call of a Python function gives, if the language can carry it out.
std::optional<Val> call_foreign(Walk &w, const Node *node, PyObject *callee, Call call, const std::string &module,
                                const std::string &name) {
    if (PyMethod_Check(callee)) {
        call.args.insert(call.args.begin(), wrap(w, PyRef::borrow(PyMethod_GET_SELF(callee))));
        const PyRef function = PyRef::borrow(PyMethod_GET_FUNCTION(callee));
        return call_foreign(w, node, function.get(), std::move(call), module, name);
    }
    if (type_name(callee) == "partial" && module == "functools") return call_partial(w, node, callee, std::move(call));
    if (module == "_operator") return call_operator(w, node, call, name);
    if (!PyFunction_Check(callee) || module.rfind("quadrants", 0) == 0) return std::nullopt;
    PyRef &func = w.objects.stand_in(callee);
    if (!func) {
        const PyRef package = PyRef::steal(PyImport_ImportModule("quadrants._language.func"));
        func = PyRef::steal(package ? PyObject_CallMethod(package.get(), "ForeignFunc", "O", callee) : nullptr);
        if (!func) w.python_failed(node);
    }
    warn_foreign(w, node, name);
    w.reads.give_up(); // what it is made of is not printed
    FuncInfo &info = w.funcs.func_info(node, func.get());
    AtNode at(w, node);
    return w.funcs.inline_body(node, info, w.funcs.matched_arguments(node, info, std::move(call)));
}

static std::optional<Val> call_partial(Walk &w, const Node *node, PyObject *partial, Call call) {
    const auto part = [&](const char *name) {
        PyRef found = PyRef::steal(PyObject_GetAttrString(partial, name));
        if (!found) w.python_failed(node);
        return found;
    };
    const PyRef function = part("func"), args = part("args");
    const PyRef keywords = PyRef::steal(PyDict_Copy(part("keywords").get())); // other code may change the dict itself
    if (!keywords) w.python_failed(node);
    std::vector<Val> all;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i)
        all.push_back(wrap(w, PyRef::borrow(PyTuple_GET_ITEM(args.get(), i))));
    all.insert(all.end(), call.args.begin(), call.args.end());
    call.args = std::move(all);
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t at = 0;
    while (PyDict_Next(keywords.get(), &at, &key, &item)) {
        const auto given = [&](const auto &pair) { return PyUnicode_Compare(pair.first, key) == 0; };
        if (std::none_of(call.kwargs.begin(), call.kwargs.end(), given))
            call.kwargs.emplace_back(key, wrap(w, PyRef::borrow(item)));
    }
    w.objects.keep(keywords); // its keys are named
    w.reads.give_up();
    return call_python(w, node, function.get(), call);
}

static std::optional<Val> call_operator(Walk &w, const Node *node, const Call &call, const std::string &name) {
    const Operator *row = operator_named(name);
    if (!row || !call.kwargs.empty() || call.args.size() != (row->unary ? 1 : 2)) return std::nullopt;
    warn_foreign(w, node, name);
    AtNode at(w, node);
    if (row->unary) return unary(w, node, row->kind, call.args[0]);
    if (row->compare) return compare(w, node, row->kind, call.args[0], call.args[1]);
    return binary(w, node, row->kind, call.args[0], call.args[1]);
}

void warn_foreign(Walk &w, const Node *node, const std::string &name) {
    w.warn(node, "SyntaxWarning",
           "Calling non-quadrants function \"" + name +
               "\". Scope inside the function is not processed by the Quadrants compiler. Proceed with caution.");
}

} // namespace qd::frontend
