// Plain Python functions that a kernel calls with run-time values. They are inlined like funcs with untyped parameters; functions of the
// module `operator` become operators.
#include "frontend/foreign.h"

#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/compare.h"
#include "frontend/expr.h"
#include "frontend/funcs.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/operators.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/types.h"

#include <algorithm>
#include <string_view>

namespace qd::frontend {

static std::optional<Val> call_operator(Walk &w, const Node *node, const Call &call, const std::string &name);

namespace {

bool is_of_module(PyObject *type, const char *module) {
    const PyRef found = attribute(type, names().__module__);
    return found && PyUnicode_Check(found.get()) && PyUnicode_CompareWithASCIIString(found.get(), module) == 0;
}

/// True if an object is an instance of this class of the standard library.
bool is_a(PyObject *object, const char *module, const char *name) {
    return type_name(object) == name && is_of_module(reinterpret_cast<PyObject *>(Py_TYPE(object)), module);
}

/// Reads an attribute and records the read; raises if it is absent.
PyRef read_attribute(Walk &w, const Node *node, PyObject *object, const char *name) {
    const PyRef key = PyRef::steal(PyUnicode_InternFromString(name));
    PyRef found = PyRef::steal(PyObject_GetAttr(object, key.get()));
    if (!found) w.python_failed(node);
    w.dependencies.attribute(object, key.get(), found.get());
    w.objects.keep(found);
    return found;
}

bool is_known(const Val &v) { return bool(to_python(v)); }

} // namespace

Val partial_of(Val callee, std::vector<Val> first, std::vector<std::pair<PyRef, Val>> by_name) {
    auto bound = std::make_shared<BoundMethod>();
    bound->self = std::move(callee);
    bound->first = std::move(first);
    bound->by_name = std::move(by_name);
    return val::Method{std::move(bound)};
}

Val partial_with(Walk &w, Val callee, PyObject *args, PyObject *keywords) {
    std::vector<Val> first;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
        first.push_back(wrap(w, PyRef::borrow(PyTuple_GET_ITEM(args, i))));
    std::vector<std::pair<PyRef, Val>> by_name;
    PyObject *key = nullptr, *item = nullptr;
    const PyRef own = PyRef::steal(PyDict_Copy(keywords)); // other code may change the original
    for (Py_ssize_t at = 0; own && PyDict_Next(own.get(), &at, &key, &item);)
        by_name.emplace_back(PyRef::borrow(key), wrap(w, PyRef::borrow(item)));
    return partial_of(std::move(callee), std::move(first), std::move(by_name));
}

std::optional<Val> inner_callable(Walk &w, const Node *node, const Val &callee) {
    PyObject *object = callee.object();
    if (is_a(object, "functools", "partial")) {
        const PyRef function = read_attribute(w, node, object, "func"), args = read_attribute(w, node, object, "args"),
                    keywords = read_attribute(w, node, object, "keywords");
        return partial_with(w, wrap(w, function), args.get(), keywords.get());
    }
    if (is_a(object, "functools", "_lru_cache_wrapper")) return wrap(w, read_attribute(w, node, object, "__wrapped__"));
    PyTypeObject *type = Py_TYPE(object);
    if (PyType_Check(object) || PyFunction_Check(object) || PyMethod_Check(object) || !type->tp_call ||
        !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        return std::nullopt;
    const PyRef name = PyRef::steal(PyUnicode_InternFromString("__call__"));
    const PyRef call = attribute(reinterpret_cast<PyObject *>(type), name.get());
    if (!call || !w.funcs.func_of(node, call.get())) return std::nullopt;
    return attribute_of(w, node, callee, name.get());
}

/// The class by which `singledispatch` chooses: for a run-time value that of its Python counterpart.
static PyRef class_of(const Val &v) {
    const auto type = [](PyTypeObject &t) { return PyRef::borrow(reinterpret_cast<PyObject *>(&t)); };
    if (const PyRef object = to_python(v)) return PyRef::borrow(reinterpret_cast<PyObject *>(Py_TYPE(object.get())));
    if (v.is_scalar() && v.scalar().elem == ir::Scalar::u1) return type(PyBool_Type);
    if (v.is_scalar()) return type(ir::is_float(v.scalar().elem) ? PyFloat_Type : PyLong_Type);
    if (v.is_sequence()) return type(v.is_tuple() ? PyTuple_Type : PyList_Type);
    if (v.is_dict()) return type(PyDict_Type);
    if (v.is_bundle()) return PyRef::borrow(reinterpret_cast<PyObject *>(Py_TYPE(v.bundle().object.get())));
    if (v.is_structure() && v.structure().type->cls) return v.structure().type->cls;
    const int dims = shape_of(v).ndim;
    const char *module = dims ? "quadrants._language.matrix" : "quadrants._storage.struct";
    const PyRef found = PyRef::steal(dims || v.is_structure() ? PyImport_ImportModule(module) : nullptr);
    if (!found) return type(PyBaseObject_Type);
    return PyRef::steal(PyObject_GetAttrString(found.get(), dims == 1 ? "Vector" : dims ? "Matrix" : "Struct"));
}

/// True if `functools.singledispatch` made the function.
static bool dispatches(PyObject *callee) {
    const auto has = [&](const char *name) { return PyObject_HasAttrString(callee, name) == 1; };
    return PyFunction_Check(callee) && has("dispatch") && has("registry") && has("register");
}

/// The items of an argument of `map`, `filter` or `reduce`.
static std::vector<Val> items_of_argument(Walk &w, const Node *node, const Val &v) {
    return sequence_items(w, node, v).sequence().items;
}

/// Evaluates operator.methodcaller("name", ...)(of) or operator.attrgetter("name", "other.name")(of).
static Val call_getter(Walk &w, const Node *node, PyObject *getter, const Val &of, bool calls_method) {
    const PyRef made_of = PyRef::steal(PyObject_CallMethod(getter, "__reduce__", nullptr));
    if (!made_of) w.python_failed(node);
    w.objects.keep(made_of);
    PyObject *maker = PyTuple_GET_ITEM(made_of.get(), 0), *args = PyTuple_GET_ITEM(made_of.get(), 1);
    const PyRef no_keywords = PyRef::steal(PyDict_New());
    PyRef keywords = no_keywords, first;
    if (!PyType_Check(maker)) { // a partial of the class holds name and keywords
        keywords = read_attribute(w, node, maker, "keywords");
        first = read_attribute(w, node, maker, "args");
    }
    const auto got = [&](PyObject *path) {
        Val v = of;
        const PyRef names = PyRef::steal(PyObject_CallMethod(path, "split", "s", "."));
        for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names.get()); ++i) {
            const PyRef name = PyRef::steal(Py_NewRef(PyList_GET_ITEM(names.get(), i)));
            v = attribute_of(w, node, v, w.objects.intern(text(name.get())));
        }
        return v;
    };
    if (!calls_method) {
        std::vector<Val> all;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) all.push_back(got(PyTuple_GET_ITEM(args, i)));
        return all.size() == 1 ? all[0] : tuple_of(std::move(all));
    }
    PyObject *name = PyTuple_GET_ITEM(first ? first.get() : args, 0);
    const Val method = attribute_of(w, node, of, w.objects.intern(text(name)));
    const PyRef rest = first ? PyRef::borrow(args) : PyRef::steal(PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args)));
    w.objects.keep(keywords);
    Call call{.node = node};
    return apply(w, partial_with(w, method, rest.get(), keywords.get()), std::move(call));
}

std::optional<Val> call_each(Walk &w, const Node *node, PyObject *callee, const Call &call, const std::string &name) {
    const auto applied = [&](const Val &function, std::vector<Val> args) {
        Call inner;
        inner.node = node;
        inner.args = std::move(args);
        return apply(w, function, std::move(inner));
    };
    const size_t count = call.args.size();
    const bool maps = callee == reinterpret_cast<PyObject *>(&PyMap_Type);
    const bool filters = callee == reinterpret_cast<PyObject *>(&PyFilter_Type);
    const bool reduces = name == "reduce" && PyCFunction_Check(callee) && is_of_module(callee, "_functools");
    if ((maps && count >= 2) || (filters && count == 2)) {
        std::vector<std::vector<Val>> all;
        for (size_t i = 1; i < count; ++i) all.push_back(items_of_argument(w, node, call.args[i]));
        size_t size = SIZE_MAX;
        for (const std::vector<Val> &items : all) size = std::min(size, items.size());
        std::vector<Val> out;
        for (size_t k = 0; k < size; ++k) {
            std::vector<Val> args;
            for (const std::vector<Val> &items : all) args.push_back(items[k]);
            const bool is_none = call.args[0].is_constant() && call.args[0].object() == Py_None;
            const Val result = filters && is_none ? args[0] : applied(call.args[0], args);
            if (filters && !result.is_constant())
                w.fail_type(node,
                            "`filter` runs at compile time: the result of its function must be known then, not " +
                                type_text(w, result),
                            "write an `if` in a loop");
            if (!filters || truth(w, node, result.object())) out.push_back(filters ? args[0] : result);
        }
        return list_of(std::move(out));
    }
    if (reduces && (count == 2 || count == 3)) {
        std::vector<Val> items = items_of_argument(w, node, call.args[1]);
        if (count == 3) items.insert(items.begin(), call.args[2]);
        if (items.empty()) w.fail_type(node, "reduce() of empty iterable with no initial value");
        Val result = items[0];
        for (size_t k = 1; k < items.size(); ++k) result = applied(call.args[0], {result, items[k]});
        return result;
    }
    if (dispatches(callee) && count) {
        const PyRef chosen = PyRef::steal(PyObject_CallMethod(callee, "dispatch", "O", class_of(call.args[0]).get()));
        if (!chosen) w.python_failed(node);
        w.dependencies.give_up(); // the registry is not recorded
        Call inner = call;
        inner.node = node;
        return apply(w, wrap(w, chosen), std::move(inner));
    }
    const bool calls_method = is_a(callee, "operator", "methodcaller"), gets = is_a(callee, "operator", "attrgetter");
    if ((calls_method || gets) && count == 1) return call_getter(w, node, callee, call.args[0], calls_method);
    const bool makes_partial = name == "partial" && PyType_Check(callee) && is_of_module(callee, "functools");
    const auto by_name_known = [](const auto &pair) { return is_known(pair.second); };
    if (makes_partial && count &&
        !(std::all_of(call.args.begin(), call.args.end(), is_known) &&
          std::all_of(call.kwargs.begin(), call.kwargs.end(), by_name_known))) {
        const auto kept = [&](const Val &v) { return w.places.storable(v) ? w.places.new_variable(node, v) : v; };
        std::vector<Val> first;
        for (size_t i = 1; i < count; ++i) first.push_back(kept(call.args[i]));
        std::vector<std::pair<PyRef, Val>> by_name;
        for (const auto &[key, v] : call.kwargs) by_name.emplace_back(PyRef::borrow(key), kept(v));
        return partial_of(call.args[0], std::move(first), std::move(by_name));
    }
    return std::nullopt;
}

/// The result of a call of a Python function, if the language can evaluate it.
std::optional<Val> call_foreign(Walk &w, const Node *node, PyObject *callee, Call call, const std::string &module,
                                const std::string &name) {
    if (PyMethod_Check(callee)) {
        const Val self = call.owner ? *call.owner : wrap(w, PyRef::borrow(PyMethod_GET_SELF(callee)));
        call.args.insert(call.args.begin(), self);
        call.owner = {};
        const PyRef function = PyRef::borrow(PyMethod_GET_FUNCTION(callee));
        return call_foreign(w, node, function.get(), std::move(call), module, name);
    }
    if (module == "_operator") return call_operator(w, node, call, name);
    if (!PyFunction_Check(callee) || module.rfind("quadrants", 0) == 0) return std::nullopt;
    const PyRef func = w.funcs.func_of(node, callee);
    warn_foreign(w, node, name);
    w.dependencies.give_up(); // its source is not fingerprinted
    FuncInfo &info = w.funcs.func_info(node, func.get());
    AtNode at(w, node);
    return w.funcs.inline_body(node, info, w.funcs.matched_arguments(node, info, std::move(call)));
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
