// Calls: builtins, types, funcs (each inlined in its own scope and span chain), Python functions at compile time.
#include "frontend/call.h"

#include "frontend/annotations.h"
#include "frontend/arrange.h"
#include "frontend/builtins.h"
#include "frontend/collect.h"
#include "frontend/dict.h"
#include "frontend/expr.h"
#include "frontend/foreign.h"
#include "frontend/format.h"
#include "frontend/funcs.h"
#include "frontend/instance.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/static.h"
#include "frontend/types.h"

#include <algorithm>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

static bool append_to_list(Walk &w, const Node *node);
static Val call_object(Walk &w, const Node *node, const Val &callee, std::optional<Call> given = {});
static Val call_builtin(Walk &w, const Node *node, const BuiltinRow &row, PyObject *callee = nullptr,
                        std::optional<Call> given = {});
static Val call_with_keyword(Walk &w, const Call &call, const std::string &keyword);
static Val call_dtype(Walk &w, const Call &call, PyObject *dtype);

const Node *Call::arg_node(size_t i) const {
    const Items args = items_of(node, Field::args);
    return i < args.size() ? args[i] : node;
}

const Val *Call::keyword(const char *name) const {
    for (const auto &[key, v] : kwargs)
        if (PyUnicode_CompareWithASCIIString(key, name) == 0) return &v;
    return nullptr;
}

/// Checks `*values` in a call of a func: it must come last, so that the other arguments' parameters do not depend on its length.
static void check_star(Walk &w, const Node *node) {
    const Items args = items_of(node, Field::args);
    for (const Node *arg : args)
        if (arg->kind == NodeKind::Starred && (arg != args.back() || items_of(node, Field::keywords).size()))
            w.fail_syntax(node,
                          "* args can only be present as the last argument of a function (error code: STARNOTLAST)",
                          "write the arguments out");
}

/// Appends `**values` in a call that a plain Python function makes.
static void append_named(Walk &w, const Node *node, const Val &given, Call &call) {
    const Val values = unpacked(w, node, given);
    if (values.is_constant() && PyDict_Check(values.object())) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(values.object(), &at, &key, &item);)
            call.kwargs.emplace_back(key, wrap(w, PyRef::borrow(item)));
        w.objects.keep(values.constant().object);
        return;
    }
    if (!values.is_dict()) w.fail_type(node, "argument after ** must be a dict, not " + type_text(w, values));
    for (size_t i = 0; i < values.dict().values.size(); ++i) {
        const PyRef key = known_key(w, node, values, i);
        w.objects.keep(key);
        call.kwargs.emplace_back(key.get(), values.dict().values[i]);
    }
}

Call arguments(Walk &w, const Node *node, bool as_places, bool forwarded) {
    Call call;
    call.node = node;
    const Use use = forwarded ? Use::forwarded : Use::value;
    if (forwarded && !w.frames.back().is_plain) check_star(w, node);
    for (const Node *arg : items_of(node, Field::args)) {
        if (arg->kind == NodeKind::Starred) {
            const Val many = sequence_items(w, arg, value(w, child(arg, Field::value)));
            for (const Val &v : many.sequence().items) call.args.push_back(as_places ? v : w.places.load(v));
        } else {
            call.args.push_back(as_places ? eval(w, arg, use) : value(w, arg, use));
        }
    }
    for (const Node *keyword : items_of(node, Field::keywords)) {
        PyObject *name = word_of(keyword, Field::arg);
        if (!name && w.frames.back().is_plain) {
            append_named(w, node, value(w, child(keyword, Field::value)), call);
            continue;
        }
        if (!name)
            w.fail_syntax(node, "`**` arguments are not supported in Quadrants kernels", "write the arguments out");
        const Node *source = child(keyword, Field::value);
        call.kwargs.emplace_back(name, as_places ? eval(w, source, use) : value(w, source, use));
    }
    return call;
}

/// Loads all arguments that are places.
static Call loaded(Walk &w, Call call) {
    for (Val &v : call.args) v = w.places.load(std::move(v));
    for (auto &[key, v] : call.kwargs) v = w.places.load(std::move(v));
    return call;
}

/// The arguments of a call of a partial, with the partial's own first.
static Call with_given(Walk &w, const BoundMethod &partial, Call call) {
    call.args.insert(call.args.begin(), partial.first->begin(), partial.first->end());
    for (const auto &[key, v] : partial.by_name) {
        const auto is_it = [&](const auto &pair) { return PyUnicode_Compare(pair.first, key.get()) == 0; };
        if (std::any_of(call.kwargs.begin(), call.kwargs.end(), is_it)) continue;
        w.objects.keep(key);
        call.kwargs.emplace_back(key.get(), v);
    }
    return call;
}

Val eval_call(Walk &w, const Node *node) {
    const Names &n = names();
    const Node *callee_node = child(node, Field::func);
    if (callee_node->kind == NodeKind::Attribute && word_of(callee_node, Field::attr) == n.append &&
        append_to_list(w, node))
        return Val{};
    const Val callee = eval(w, callee_node, Use::forwarded);
    if (callee.is_method()) {
        const BoundMethod &bound = *callee.method().bound;
        if (bound.is_partial()) return apply(w, callee, arguments(w, node, true, true));
        if (bound.after) w.fail_type(node, "'super' object is not callable");
        if (bound.builtin) return call_builtin(w, node, *bound.builtin);
        if (bound.callee) return w.funcs.inline_method(node, bound.callee, bound.self);
        return method(w, callee, arguments(w, node, bound.self.is_none()));
    }
    if (callee.is_structure() || callee.is_bundle()) return apply(w, callee, arguments(w, node, true, true));
    if (!callee.is_constant()) w.fail_type(node, "'" + type_text(w, callee) + "' is not callable");
    if (callee.object() == reinterpret_cast<PyObject *>(&PySuper_Type) && items_of(node, Field::args).empty())
        if (std::optional<Val> made = bare_super(w, node)) return *made;
    return call_object(w, node, callee);
}

Val apply(Walk &w, const Val &callee, Call call) {
    const Node *node = call.node;
    if (callee.is_method()) {
        const BoundMethod &bound = *callee.method().bound;
        if (bound.is_partial()) return apply(w, bound.self, with_given(w, bound, std::move(call)));
        if (bound.builtin) return call_builtin(w, node, *bound.builtin, nullptr, std::move(call));
        if (bound.callee) return w.funcs.inline_method(node, bound.callee, bound.self, std::move(call));
        return method(w, callee, std::move(call));
    }
    if (callee.is_structure() || callee.is_bundle()) {
        const PyRef name = PyRef::steal(PyUnicode_InternFromString("__call__"));
        return apply(w, attribute_of(w, node, callee, name.get()), std::move(call));
    }
    if (!callee.is_constant()) w.fail_type(node, "'" + type_text(w, callee) + "' is not callable");
    return call_object(w, node, callee, std::move(call));
}

/// Handles `name.append(value)` for a list written in the kernel, whose length is known at compile time.
static bool append_to_list(Walk &w, const Node *node) {
    const Node *target = child(child(node, Field::func), Field::value);
    PyObject *name = target->kind == NodeKind::Name ? word_of(target, Field::id) : nullptr;
    if (!name || !w.scopes.find_local(name) || !w.scopes.find_local(name)->value.is_list()) return false;
    const Call call = arguments(w, node, false);
    AtNode at(w, node);
    if (call.args.size() != 1) w.fail_type(node, "`append` takes one value");
    if (w.frames.back().dynamic)
        w.fail_syntax(node, "A list cannot grow inside a run-time if, for or while",
                      "its length must be known at compile time");
    Val item = w.places.storable(call.args[0]) ? w.places.new_variable(node, call.args[0]) : call.args[0];
    w.scopes.find_local(name)->value.sequence().items.push_back(std::move(item));
    return true;
}

/// Calls a method of a field or array: inlines the func that implements it in kernels, or fails if there is none.
static Val call_host_method(Walk &w, const Node *node, PyObject *method, const std::string &func) {
    if (func.empty())
        w.fail(node, UserErrorKind::compilation,
               text(attribute(method, names().__name__).get()) + " cannot be called in Quadrants-scope",
               "call it outside of kernels, or write the loop over the elements");
    PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._language.in_kernels"));
    PyRef found = module ? PyRef::steal(PyObject_GetAttrString(module.get(), func.c_str())) : PyRef{};
    if (!found) w.python_failed(node);
    const Node *callee = child(node, Field::func);
    if (callee->kind == NodeKind::Attribute)
        return w.funcs.inline_method(node, found, eval(w, child(callee, Field::value)));
    w.dependencies.use(PyMethod_GET_SELF(method));
    return w.funcs.inline_method(node, found, wrap(w, PyRef::borrow(PyMethod_GET_SELF(method))));
}

/// `given`: the arguments if they are already evaluated.
static Val call_object(Walk &w, const Node *node, const Val &callee, std::optional<Call> given) {
    PyObject *object = callee.object();
    const auto evaluated = [&] { return given ? loaded(w, std::move(*given)) : arguments(w, node, false); };
    if (PyRef func = PyMethod_Check(object) ? attribute(object, names()._qd_in_kernels_) : PyRef{};
        func && PyUnicode_Check(func.get()))
        return call_host_method(w, node, object, text(func.get()));
    const Kind kind = w.objects.kind_of(object);
    if (kind == Kind::foreign || kind == Kind::data_oriented)
        if (const std::optional<Val> inner = inner_callable(w, node, callee))
            return apply(w, *inner, given ? std::move(*given) : arguments(w, node, true, true));
    if (kind != Kind::func) w.dependencies.use(object);
    switch (kind) {
    case Kind::builtin: {
        const BuiltinRow *row = w.objects.builtin_of(object);
        if (!row) {
            PyRef name = attribute(object, names()._qd_name_), why = attribute(object, names()._qd_why_not_);
            PyRef old = attribute(object, names()._qd_deprecated_);
            if (old && PyUnicode_Check(old.get())) w.warn(node, "DeprecationWarning", text(old.get()));
            if (PyRef now = attribute(object, names()._qd_instead_)) {
                w.dependencies.give_up(); // the module's binding of that name is not recorded
                return call_object(w, node, val::Constant{now, -1, callee.constant().owner}, std::move(given));
            }
            if (why && PyUnicode_Check(why.get())) w.fail_syntax(node, text(why.get()));
            w.fail_syntax(node, "`" + (name ? text(name.get()) : repr(object)) + "` cannot be called in a kernel");
        }
        return call_builtin(w, node, *row, object, std::move(given));
    }
    case Kind::dtype: return call_dtype(w, evaluated(), object);
    case Kind::matrix_type: return call_matrix_type(w, evaluated(), object);
    case Kind::func:
        return w.funcs.inline_func(node, callee.constant().object, callee.constant().owner.get(), std::move(given));
    case Kind::kernel:
        w.fail_syntax(node,
                      "Kernels cannot call other kernels. I.e., nested kernels are not allowed. "
                      "Please check if you have direct/indirect invocation of kernels within kernels.",
                      "make the inner one a @qd.func");
    case Kind::struct_type: return w.structs.call_struct_type(evaluated(), object);
    case Kind::foreign:
    case Kind::field:
    case Kind::matrix_field:
    case Kind::struct_field:
    case Kind::struct_:
    case Kind::matrix:
    case Kind::ndarray:
    case Kind::data_oriented:
    case Kind::template_:
    case Kind::ndarray_type:
    case Kind::ndrange:
    case Kind::buffer_view_type:
    case Kind::ref:
    case Kind::tensor:
    case Kind::snode:
    case Kind::mesh_elements:
    case Kind::mesh_relation:
    case Kind::sparse_matrix_builder:
    case Kind::sparse_matrix_builder_type: break;
    }
    if (const BuiltinRow *row = w.objects.builtin_of(object))
        return call_builtin(w, node, *row, nullptr, std::move(given));
    PyRef self = attribute(object, names().__self__);
    if (!given && self && PyUnicode_Check(self.get()) && child(node, Field::func)->kind == NodeKind::Attribute &&
        PyUnicode_CompareWithASCIIString(word_of(child(node, Field::func), Field::attr), "format") == 0)
        return format_call(w, node, self.get());
    // A plain function may pass a place to a func that modifies it.
    const bool inlines = PyFunction_Check(object) || PyMethod_Check(object);
    Call call = given ? std::move(*given) : arguments(w, node, inlines);
    if (!inlines) call = loaded(w, std::move(call));
    call.owner = callee.constant().owner;
    return call_python(w, node, object, call);
}

/// Moves keyword arguments that follow the positional ones without a gap to their positions.
static void place_keywords(Walk &w, Call &call) {
    std::string_view names = call.row->parameters;
    for (size_t position = 0; !names.empty() && names[0] != '*' && !call.kwargs.empty(); ++position) {
        const std::string name(names.substr(0, names.find(' ')));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        const Val *given = call.keyword(name.c_str());
        if (position < call.args.size()) {
            if (given) w.fail(call.node, UserErrorKind::argument, "Multiple values for argument '" + name + "'.");
            continue;
        }
        if (!given) return;
        call.args.push_back(*given);
        std::erase_if(call.kwargs, [&](const auto &pair) { return text(pair.first) == name; });
    }
}

static Val call_builtin(Walk &w, const Node *node, const BuiltinRow &row, PyObject *callee, std::optional<Call> given) {
    Call call;
    if (given && row.has(Flag::raw))
        w.fail_syntax(node, std::string("`") + row.name + "` cannot be called through another callable",
                      "call it by its name");
    if (given)
        call = row.has(Flag::places) ? std::move(*given) : loaded(w, std::move(*given));
    else if (row.has(Flag::raw))
        call.node = node;
    else
        call = arguments(w, node, row.has(Flag::places));
    call.row = &row;
    call.callee = callee;
    place_keywords(w, call);
    const int count = row.has(Flag::raw) ? int(items_of(node, Field::args).size()) : int(call.args.size());
    AtNode at(w, node);
    if (count < row.least || (row.most >= 0 && count > row.most))
        w.fail_type(node, std::string("`") + row.name + "` takes " + std::to_string(row.least) +
                              (row.most == row.least ? ""
                               : row.most < 0        ? " or more"
                                                     : " to " + std::to_string(row.most)) +
                              " arguments, " + std::to_string(count) + " given");
    for (const auto &[name, v] : call.kwargs)
        if (!row.takes_keyword(text(name))) return call_with_keyword(w, call, text(name));
    if (call.args.size() == 1 && call.args[0].is_structure())
        if (std::optional<Val> made = class_method(w, node, call.args[0], row.name)) return *made;
    return row.handler(w, call);
}

/// A keyword that the language does not define: for Python's own function, with compile-time values, or a mistake.
static Val call_with_keyword(Walk &w, const Call &call, const std::string &keyword) {
    PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), call.row->name);
    if (call.callee && call.callee != function) function = nullptr;
    const auto is_known = [&](const Val &v) { return bool(to_python(v)); };
    if (function && std::all_of(call.args.begin(), call.args.end(), is_known) &&
        std::all_of(call.kwargs.begin(), call.kwargs.end(), [&](const auto &pair) { return is_known(pair.second); }))
        return call_python(w, call.node, function, call);
    w.fail_type(call.node, std::string(call.row->name) + "() got an unexpected keyword argument '" + keyword + "'");
}

/// True if the callable is part of Python and computes only from its arguments.
static bool is_pure_call(PyObject *callee, PyObject *args, const std::string &module, const std::string &name) {
    static constexpr std::string_view functions[] = {"abs", "all", "any",   "divmod", "len", "max",
                                                     "min", "pow", "round", "sorted", "sum"};
    PyObject *const types[] = {
        reinterpret_cast<PyObject *>(&PyLong_Type),  reinterpret_cast<PyObject *>(&PyFloat_Type),
        reinterpret_cast<PyObject *>(&PyBool_Type),  reinterpret_cast<PyObject *>(&PyUnicode_Type),
        reinterpret_cast<PyObject *>(&PyTuple_Type), reinterpret_cast<PyObject *>(&PyList_Type),
        reinterpret_cast<PyObject *>(&PyRange_Type), reinterpret_cast<PyObject *>(&PyEnum_Type),
        reinterpret_cast<PyObject *>(&PyZip_Type),   reinterpret_cast<PyObject *>(&PyReversed_Type)};
    // These return their items unchanged.
    for (PyObject *type : types)
        if (callee == type && type != reinterpret_cast<PyObject *>(&PyUnicode_Type)) return true;
    if (!is_plain(args)) return false;
    if (callee == reinterpret_cast<PyObject *>(&PyUnicode_Type)) return true;
    if (!PyCFunction_CheckExact(callee)) return false;
    PyObject *self = PyCFunction_GET_SELF(callee);
    if (!self || PyModule_Check(self))
        return module == "math" || (module == "builtins" &&
                                    std::find(std::begin(functions), std::end(functions), name) != std::end(functions));
    return PyUnicode_CheckExact(self) || PyTuple_CheckExact(self) || PyLong_CheckExact(self) ||
           PyFloat_CheckExact(self) ||
           (PyDict_CheckExact(self) && (name == "keys" || name == "values" || name == "items" || name == "get"));
}

/// `super()`: Python uses the class that contains the function, and the function's first argument.
static Val super_of_frame(Walk &w, const Node *node) {
    const Frame &frame = w.frames.back();
    const Items params = items_of(child(frame.source->tree, Field::args), Field::args);
    PyObject *self = params.empty() ? nullptr : word_of(params[0], Field::arg);
    PyObject *class_name = w.objects.intern("__class__");
    const PyRef around = frame.function ? find_name(frame.function, class_name) : PyRef{};
    const Binding *bound = self ? w.scopes.find_local(self) : nullptr;
    const PyRef object = bound ? to_python(bound->value) : PyRef{};
    if (!around || !object)
        w.fail_type(node, "super() needs a method whose first argument is an object known at compile time",
                    "call the method of the base class by its name: `Base.f(self, ...)`");
    Call call;
    call.node = node;
    call.args = {wrap(w, around), wrap(w, object)};
    return call_python(w, node, reinterpret_cast<PyObject *>(&PySuper_Type), call);
}

bool calls_func() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    const bool answer = value && attribute(value, names()._qd_called_func_);
    PyErr_Restore(type, value, traceback);
    return answer;
}

/// The remedy for a builtin of Python that kernels do not support.
static const char *instead_of_builtin(std::string_view name) {
    static constexpr std::pair<std::string_view, const char *> remedies[] = {
        {"divmod", "write `x // y` and `x % y`"},
        {"super", "call the method of the base class by its name: `Base.f(self, ...)`"},
        {"sorted", "compare the values with `min` and `max`"},
        {"enumerate", "count in the loop: `for i in range(n)`"},
        {"zip", "index each of them: `for i in range(n)`"},
        {"iter", "index the list, or loop over `qd.static(...)` of it"},
        {"next", "index the list, or loop over `qd.static(...)` of it"},
        {"str", "print the value: `print(x)`, or make the text outside of the kernel"},
        {"getattr", "write `x.name`"},
        {"setattr", "write `x.name = value`"},
        {"type", "use `isinstance(x, float)`"},
    };
    for (const auto &[builtin, remedy] : remedies)
        if (builtin == name) return remedy;
    return "call it outside of the kernel, or with values known at compile time";
}

Val call_python(Walk &w, const Node *node, PyObject *callee, const Call &call) {
    PyRef module = attribute(callee, names().__module__);
    const std::string from = module && PyUnicode_Check(module.get()) ? text(module.get()) : "";
    PyRef name = attribute(callee, names().__name__);
    const std::string called = name && PyUnicode_Check(name.get()) ? text(name.get()) : repr(callee);
    if (callee == reinterpret_cast<PyObject *>(&PySuper_Type)) {
        if (call.args.empty()) return super_of_frame(w, node);
        const bool of_instance = call.args.size() == 2 && call.args[1].is_structure() && call.args[0].is_constant();
        if (of_instance && PyType_Check(call.args[0].object())) return super_of(w, call.args[0].object(), call.args[1]);
    }
    if (!PyCallable_Check(callee)) w.fail_type(node, "'" + type_name(callee) + "' object is not callable");
    if (std::optional<Val> made = arranged(w, node, callee, call, from, called)) return *made;
    if (std::optional<Val> made = call_each(w, node, callee, call, called)) return *made;
    const auto is_known = [&](const Val &v) { return bool(to_python(v)); };
    const bool all_known =
        std::all_of(call.args.begin(), call.args.end(), is_known) &&
        std::all_of(call.kwargs.begin(), call.kwargs.end(), [&](const auto &pair) { return is_known(pair.second); });
    if (PyType_Check(callee) && !w.static_depth)
        if (std::optional<Val> made = new_instance(w, callee, call, all_known)) return *made;
    if (!all_known && !w.static_depth)
        if (std::optional<Val> made = call_foreign(w, node, callee, call, from, called)) return *made;
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size()))), kwargs = PyRef::steal(PyDict_New());
    const auto python_value = [&](const Val &v) {
        PyRef object = to_python(v);
        if (!object && w.static_depth && PyFunction_Check(callee))
            w.fail(node, UserErrorKind::compilation,
                   "Input to qd.static must be compile-time constants or global pointers: the Python function \"" +
                       called + "\" is called when the kernel is compiled, with a value known only at run time",
                   "decorate it with @qd.func");
        if (!object && w.static_depth) fail_static(w, node, v);
        const bool has_own = from == "builtins" && find_builtin(called);
        if (!object && (has_own || from == "math" || from == "numpy" || from == "cmath"))
            w.fail_type(node, "must be real number, not a run-time value. Did you mean to use `qd." + called +
                                  "` instead of `" + from + "." + called + "`?");
        if (!object)
            w.fail_type(node, "Python function \"" + called + "\" cannot take values known only at run time",
                        from == "builtins" ? instead_of_builtin(called) : "decorate it with @qd.func");
        return object;
    };
    for (size_t i = 0; i < call.args.size(); ++i) {
        PyRef object = collect_argument(w, node, callee, python_value(call.args[i]));
        Py_INCREF(object.get());
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), object.get());
    }
    for (const auto &[key, v] : call.kwargs) PyDict_SetItem(kwargs.get(), key, python_value(v).get());
    if (!is_pure_call(callee, args.get(), from, called) || PyDict_GET_SIZE(kwargs.get())) w.dependencies.give_up();
    if (!w.static_depth && from != "builtins" && from != "math" && !from.empty() && from.rfind("quadrants", 0) != 0)
        warn_foreign(w, node, called);
    collect_if_asked();
    PyRef result = PyRef::steal(PyObject_Call(callee, args.get(), kwargs.get()));
    collect_if_asked();
    w.objects.forget_outside();
    const auto inlined = [&] { return call_foreign(w, node, callee, call, from, called); };
    if (!result)
        if (std::optional<Val> made = instead_of_python(inlined)) return *made;
    if (!result) w.python_failed(node);
    return wrap(w, std::move(result));
}

static Val call_dtype(Walk &w, const Call &call, PyObject *dtype) {
    const Node *node = call.node;
    AtNode at(w, node);
    if (call.args.size() != 1 || !call.kwargs.empty())
        w.fail_syntax(node, "A primitive type can only decorate a single expression.");
    const Val &v = call.args[0];
    const Scalar type = dtype_scalar(w, node, dtype);
    if (v.is_scalar()) return scalar(w, convert(w, v.scalar().v, type));
    if (!is_number(v)) w.fail_syntax(node, "A primitive type cannot decorate an expression with a compound type.");
    const bool is_real = PyFloat_Check(v.object());
    const bool has_own = is_typed(v) && (is_real || fits(v.object(), v.constant().elem));
    if (has_own || PyBool_Check(v.object())) return cast(w, node, v, type);
    if (!is_real && ir::is_float(type))
        w.fail_type(node, "Integer literals must be annotated with a integer type. For type casting, use `qd.cast`.");
    if (is_real && !ir::is_float(type))
        w.fail_type(node, "Floating-point literals must be annotated with a floating-point type. For type casting, use "
                          "`qd.cast`.");
    if (is_real) return scalar(w, w.b.number(type, PyFloat_AsDouble(v.object())));
    return scalar(w, w.b.constant(type, literal_bits(w, node, v.object(), type, type, "specified dtype")));
}

} // namespace qd::frontend
