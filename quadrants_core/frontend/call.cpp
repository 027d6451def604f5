// Calls: builtins, types, funcs (inlined, each in a scope and span chain of its own), Python functions at compile time.
#include "frontend/collect.h"
#include "frontend/builtins.h"
#include "frontend/machine.h"
#include "frontend/scan.h"

#include <algorithm>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

const Node *Call::arg_node(size_t i) const {
    const Items args = items_of(node, Field::args);
    return i < args.size() ? args[i] : node;
}

const Val *Call::keyword(const char *name) const {
    for (const auto &[key, v] : kwargs)
        if (PyUnicode_CompareWithASCIIString(key, name) == 0) return &v;
    return nullptr;
}

/// `*values` in a call of a func: what its parameters are does not depend on a length.
void Walker::check_star(const Node *node) {
    const Items args = items_of(node, Field::args);
    for (const Node *arg : args)
        if (arg->kind == NodeKind::Starred && (arg != args.back() || items_of(node, Field::keywords).size()))
            fail_syntax(node, "* args can only be present as the last argument of a function (error code: STARNOTLAST)",
                        "write the arguments out");
}

Call Walker::arguments(const Node *node, bool as_places, bool handed_on) {
    Call call;
    call.node = node;
    if (handed_on) check_star(node);
    for (const Node *arg : items_of(node, Field::args)) {
        if (arg->kind == NodeKind::Starred) {
            const Val many = sequence_items(arg, value(child(arg, Field::value)));
            for (const Val &v : many.items) call.args.push_back(as_places ? v : load(v));
        } else {
            handed_on_ = handed_on;
            call.args.push_back(as_places ? eval(arg) : value(arg));
        }
    }
    for (const Node *keyword : items_of(node, Field::keywords)) {
        PyObject *name = word_of(keyword, Field::arg);
        if (!name)
            fail_syntax(node, "`**` arguments are not supported in Quadrants kernels", "write the arguments out");
        const Node *source = child(keyword, Field::value);
        handed_on_ = handed_on;
        call.kwargs.emplace_back(name, as_places ? eval(source) : value(source));
    }
    return call;
}

Val Walker::eval_call(const Node *node) {
    const Names &n = names();
    const Node *callee_node = child(node, Field::func);
    if (callee_node->kind == NodeKind::Attribute && word_of(callee_node, Field::attr) == n.append &&
        append_to_list(node))
        return Val{};
    const Val callee = eval_handed_on(callee_node);
    if (callee.tag == Tag::method) {
        if (callee.extra->name.rfind("builtin:", 0) == 0)
            return call_builtin(node, *find_builtin(callee.extra->name.substr(8)));
        if (callee.extra->callee) return inline_method(node, callee.extra->callee, callee.extra->self);
        return method(node, callee);
    }
    if (!callee.is_constant()) fail_type(node, "'" + type_text(callee) + "' is not callable");
    return call_object(node, callee.object, callee.extra ? &callee.extra->self : nullptr);
}

/// `name.append(value)` on a list written in the kernel: its length is known at compile time.
bool Walker::append_to_list(const Node *node) {
    const Node *target = child(child(node, Field::func), Field::value);
    PyObject *name = target->kind == NodeKind::Name ? word_of(target, Field::id) : nullptr;
    if (!name || !find_local(name) || find_local(name)->value.tag != Tag::list) return false;
    const Call call = arguments(node, false);
    AtNode at(*this, node);
    if (call.args.size() != 1) fail_type(node, "`append` takes one value");
    if (frames_.back().dynamic)
        fail_syntax(node, "A list cannot grow inside a run-time if, for or while",
                    "its length must be known at compile time");
    Val item = storable(call.args[0]) ? new_variable(node, call.args[0]) : call.args[0];
    find_local(name)->value.items.push_back(std::move(item));
    return true;
}

/// A method of a field or array: a func stands for it, or it is for Python alone.
Val Walker::call_host_method(const Node *node, PyObject *method, const std::string &func) {
    if (func.empty())
        fail(node, UserErrorKind::compilation,
             text(attribute(method, names().__name__).get()) + " cannot be called in Quadrants-scope",
             "call it outside of kernels, or write the loop over the elements");
    PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._in_kernels"));
    PyRef found = module ? PyRef::steal(PyObject_GetAttrString(module.get(), func.c_str())) : PyRef{};
    if (!found) python_failed(node);
    const Node *callee = child(node, Field::func);
    if (callee->kind == NodeKind::Attribute) return inline_method(node, found, eval(child(callee, Field::value)));
    reads_.use(PyMethod_GET_SELF(method));
    return inline_method(node, found, wrap(PyRef::borrow(PyMethod_GET_SELF(method))));
}

Val Walker::call_object(const Node *node, const PyRef &callee, const Val *owner) {
    PyObject *object = callee.get();
    if (PyRef func = PyMethod_Check(object) ? attribute(object, names()._qd_in_kernels_) : PyRef{};
        func && PyUnicode_Check(func.get()))
        return call_host_method(node, object, text(func.get()));
    if (kind_of(object) != Kind::func) reads_.use(object);
    switch (kind_of(object)) {
    case Kind::builtin: {
        const BuiltinRow *row = builtin_of(object);
        if (!row) {
            PyRef name = attribute(object, names()._qd_name_), why = attribute(object, names()._qd_why_not_);
            PyRef old = attribute(object, names()._qd_deprecated_);
            if (old && PyUnicode_Check(old.get())) warn(node, "DeprecationWarning", text(old.get()));
            if (PyRef now = attribute(object, names()._qd_instead_)) {
                reads_.give_up(); // what the module has under that name is not noted
                return call_object(node, now, owner);
            }
            if (why && PyUnicode_Check(why.get())) fail_syntax(node, text(why.get()));
            fail_syntax(node, "`" + (name ? text(name.get()) : repr(object)) + "` cannot be called in a kernel");
        }
        return call_builtin(node, *row, object);
    }
    case Kind::dtype: return call_dtype(node, object);
    case Kind::matrix_type: return call_matrix_type(node, object);
    case Kind::func: return inline_func(node, callee, owner);
    case Kind::kernel:
        fail_syntax(node,
                    "Kernels cannot call other kernels. I.e., nested kernels are not allowed. "
                    "Please check if you have direct/indirect invocation of kernels within kernels.",
                    "make the inner one a @qd.func");
    case Kind::struct_type: return call_struct_type(node, object);
    default: break;
    }
    if (const BuiltinRow *row = builtin_of(object)) return call_builtin(node, *row);
    PyRef self = attribute(object, names().__self__);
    if (self && PyUnicode_Check(self.get()) && child(node, Field::func)->kind == NodeKind::Attribute &&
        PyUnicode_CompareWithASCIIString(word_of(child(node, Field::func), Field::attr), "format") == 0)
        return format_call(node, self.get());
    return call_python(node, object, arguments(node, false));
}

/// Keyword arguments that follow the positional ones without a gap take their places.
void Walker::place_keywords(Call &call) {
    std::string_view names = parameter_names(call.row->name);
    for (size_t position = 0; !names.empty() && !call.kwargs.empty(); ++position) {
        const std::string name(names.substr(0, names.find(' ')));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        const Val *given = call.keyword(name.c_str());
        if (position < call.args.size()) {
            if (given) fail_syntax(call.node, "Multiple values for argument '" + name + "'.");
            continue;
        }
        if (!given) return;
        call.args.push_back(*given);
        std::erase_if(call.kwargs, [&](const auto &pair) { return text(pair.first) == name; });
    }
}

Val Walker::call_builtin(const Node *node, const BuiltinRow &row, PyObject *callee) {
    Call call;
    if (row.flag == Flag::raw)
        call.node = node;
    else
        call = arguments(node, row.flag == Flag::places || row.flag == Flag::negate);
    call.row = &row;
    call.callee = callee;
    place_keywords(call);
    const int count = row.flag == Flag::raw ? int(items_of(node, Field::args).size()) : int(call.args.size());
    AtNode at(*this, node);
    if (count < row.least || (row.most >= 0 && count > row.most))
        fail_type(node, std::string("`") + row.name + "` takes " + std::to_string(row.least) +
                            (row.most == row.least ? ""
                             : row.most < 0        ? " or more"
                                                   : " to " + std::to_string(row.most)) +
                            " arguments, " + std::to_string(count) + " given");
    for (const auto &[name, v] : call.kwargs)
        if (!takes_keyword(row, text(name))) return call_with_keyword(call, text(name));
    return (this->*row.handler)(call);
}

/// A keyword that the language does not know: of Python's own function, with compile-time values, or a mistake.
Val Walker::call_with_keyword(const Call &call, const std::string &keyword) {
    PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), call.row->name);
    if (call.callee && call.callee != function) function = nullptr;
    const auto is_known = [&](const Val &v) { return bool(to_python(v)); };
    if (function && std::all_of(call.args.begin(), call.args.end(), is_known) &&
        std::all_of(call.kwargs.begin(), call.kwargs.end(), [&](const auto &pair) { return is_known(pair.second); }))
        return call_python(call.node, function, call);
    fail_type(call.node, std::string(call.row->name) + "() got an unexpected keyword argument '" + keyword + "'");
}

/// Computes from values alone, and is part of Python.
bool Walker::is_pure_call(PyObject *callee, PyObject *args, const std::string &module, const std::string &name) {
    static constexpr std::string_view functions[] = {"abs", "all", "any",   "divmod", "len", "max",
                                                     "min", "pow", "round", "sorted", "sum"};
    PyObject *const types[] = {
        reinterpret_cast<PyObject *>(&PyLong_Type),  reinterpret_cast<PyObject *>(&PyFloat_Type),
        reinterpret_cast<PyObject *>(&PyBool_Type),  reinterpret_cast<PyObject *>(&PyUnicode_Type),
        reinterpret_cast<PyObject *>(&PyTuple_Type), reinterpret_cast<PyObject *>(&PyList_Type),
        reinterpret_cast<PyObject *>(&PyRange_Type), reinterpret_cast<PyObject *>(&PyEnum_Type),
        reinterpret_cast<PyObject *>(&PyZip_Type),   reinterpret_cast<PyObject *>(&PyReversed_Type)};
    // These give items as they are.
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

Val Walker::call_python(const Node *node, PyObject *callee, const Call &call) {
    PyRef module = attribute(callee, names().__module__);
    const std::string from = module && PyUnicode_Check(module.get()) ? text(module.get()) : "";
    PyRef name = attribute(callee, names().__name__);
    const std::string called = name && PyUnicode_Check(name.get()) ? text(name.get()) : repr(callee);
    if (!PyCallable_Check(callee)) fail_type(node, "'" + type_name(callee) + "' object is not callable");
    if (std::optional<Val> made = arranged(node, callee, call, from, called)) return *made;
    const auto is_known = [&](const Val &v) { return bool(to_python(v)); };
    const bool all_known =
        std::all_of(call.args.begin(), call.args.end(), is_known) &&
        std::all_of(call.kwargs.begin(), call.kwargs.end(), [&](const auto &pair) { return is_known(pair.second); });
    if (!all_known && !static_depth_)
        if (std::optional<Val> made = call_foreign(node, callee, call, from, called)) return *made;
    PyRef args = PyRef::steal(PyTuple_New(Py_ssize_t(call.args.size()))), kwargs = PyRef::steal(PyDict_New());
    const auto python_value = [&](const Val &v) {
        PyRef object = to_python(v);
        if (!object && static_depth_) fail_static(node, v);
        const bool has_own = from == "builtins" && find_builtin(called);
        if (!object && (has_own || from == "math" || from == "numpy" || from == "cmath"))
            fail_type(node, "must be real number, not a run-time value. Did you mean to use `qd." + called +
                                "` instead of `" + from + "." + called + "`?");
        if (!object)
            fail_type(node, "Python function \"" + called + "\" cannot take values known only at run time",
                      "decorate it with @qd.func");
        return object;
    };
    for (size_t i = 0; i < call.args.size(); ++i) {
        PyRef object = python_value(call.args[i]);
        Py_INCREF(object.get());
        PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), object.get());
    }
    for (const auto &[key, v] : call.kwargs) PyDict_SetItem(kwargs.get(), key, python_value(v).get());
    if (!is_pure_call(callee, args.get(), from, called) || PyDict_GET_SIZE(kwargs.get())) reads_.give_up();
    if (!static_depth_ && from != "builtins" && from != "math" && !from.empty() && from.rfind("quadrants", 0) != 0)
        warn_foreign(node, called);
    collect_if_asked();
    PyRef result = PyRef::steal(PyObject_Call(callee, args.get(), kwargs.get()));
    collect_if_asked();
    outside_.clear();
    if (!result) python_failed(node);
    return wrap(std::move(result));
}

Val Walker::call_dtype(const Node *node, PyObject *dtype) {
    const Call call = arguments(node, false);
    AtNode at(*this, node);
    if (call.args.size() != 1 || !call.kwargs.empty())
        fail_syntax(node, "A primitive type can only decorate a single expression.");
    const Val &v = call.args[0];
    const Scalar type = dtype_scalar(node, dtype);
    if (v.tag == Tag::scalar) return scalar(convert(v.v, type));
    if (!is_number(v)) fail_syntax(node, "A primitive type cannot decorate an expression with a compound type.");
    const bool is_real = PyFloat_Check(v.object.get());
    if (PyBool_Check(v.object.get())) return cast(node, v, type);
    if (!is_real && ir::is_float(type))
        fail_type(node, "Integer literals must be annotated with a integer type. For type casting, use `qd.cast`.");
    if (is_real && !ir::is_float(type))
        fail_type(node, "Floating-point literals must be annotated with a floating-point type. For type casting, use "
                        "`qd.cast`.");
    if (is_real) return scalar(b_.number(type, PyFloat_AsDouble(v.object.get())));
    return scalar(b_.constant(type, literal_bits(node, v.object.get(), type, type, "specified dtype")));
}

Scalar Walker::dtype_scalar(const Node *node, PyObject *object) {
    if (!object) fail_type(node, "A data type such as qd.f32 is needed here, not a value of the kernel");
    if (object == reinterpret_cast<PyObject *>(&PyLong_Type)) return request_.options.default_ip;
    if (object == reinterpret_cast<PyObject *>(&PyFloat_Type)) return request_.options.default_fp;
    if (object == reinterpret_cast<PyObject *>(&PyBool_Type)) return Scalar::u1;
    if (kind_of(object) != Kind::dtype)
        fail_type(node, "A data type such as qd.f32 is needed here, not " + repr(object));
    return Scalar(attribute_int(object, names()._qd_scalar_, 0));
}

bool Walker::is_dtype(PyObject *object) {
    return object == reinterpret_cast<PyObject *>(&PyLong_Type) ||
           object == reinterpret_cast<PyObject *>(&PyFloat_Type) ||
           object == reinterpret_cast<PyObject *>(&PyBool_Type) || kind_of(object) == Kind::dtype;
}

// Funcs

PyRef Walker::resolved_annotation(const Node *node, PyObject *function, PyObject *name) {
    PyRef found = find_annotation(function, name);
    if (PyErr_Occurred()) python_failed(node);
    reads_.annotation(function, name, found.get());
    return found;
}

FuncInfo &Walker::func_info(const Node *node, PyObject *callee) {
    const Names &n = names();
    if (const auto found = funcs_.find(callee); found != funcs_.end()) return *found->second;
    auto info = std::make_unique<FuncInfo>();
    info->object = callee;
    info->function = attribute(callee, n.fn);
    info->source = request_.source_of(callee);
    if (PyErr_Occurred()) python_failed(node);
    info->is_real = bool(attribute(callee, n._qd_real_));
    info->needs_top_level = bool(attribute(callee, n._qd_requires_top_level_));
    reads_.function(callee, info->function.get(), info->source);
    info->file = add_name(fn_.files, info->source.file);
    info->scope = add_name(fn_.scopes, info->source.name);
    const Node *args = child(info->source.tree, Field::args);
    PyObject *function = info->function.get();
    const bool is_foreign = bool(attribute(callee, n._qd_foreign_));
    if (child(args, Field::vararg) || child(args, Field::kwarg))
        fail_syntax(node, "Quadrants functions do not support variable positional or keyword parameters (*args, "
                          "**kwargs)");
    if (items_of(args, Field::kwonlyargs).size())
        fail_syntax(node, "Quadrants functions do not support keyword-only parameters");
    PyRef defaults = PyRef::steal(PyObject_GetAttrString(function, "__defaults__"));
    PyErr_Clear();
    for (const Items &list : {items_of(args, Field::posonlyargs), items_of(args, Field::args)})
        for (const Node *arg : list) {
            PyObject *name = word_of(arg, Field::arg);
            info->params.push_back({name, is_foreign ? PyRef{} : resolved_annotation(node, function, name), {}});
        }
    if (defaults && PyTuple_Check(defaults.get())) {
        const Py_ssize_t count = PyTuple_GET_SIZE(defaults.get());
        for (Py_ssize_t i = 0; i < count; ++i)
            info->params[info->params.size() - size_t(count - i)].fallback =
                PyRef::borrow(PyTuple_GET_ITEM(defaults.get(), i));
    }
    PyRef return_name = PyRef::steal(PyUnicode_InternFromString("return"));
    if (!is_foreign) info->returns = resolved_annotation(node, function, return_name.get());
    if (info->returns && info->returns.get() == Py_None) info->returns = {};
    if (info->returns && !PyTuple_Check(info->returns.get())) // tuple[...], typing.Tuple[...]
        if (attribute(info->returns.get(), n.__origin__).get() == reinterpret_cast<PyObject *>(&PyTuple_Type))
            info->returns = attribute(info->returns.get(), n.__args__);
    frontend::scan_changed(info->source, info->assigned);
    kept_.push_back(PyRef::borrow(callee));
    return *funcs_.emplace(callee, std::move(info)).first->second;
}

uint32_t Walker::add_name(std::vector<std::string> &list, const std::string &name) {
    for (size_t i = 1; i < list.size(); ++i)
        if (list[i] == name) return uint32_t(i);
    list.push_back(name);
    return uint32_t(list.size() - 1);
}

/// `object` is what the func was found in, if it is an argument with members.
Val Walker::inline_func(const Node *node, const PyRef &callee, const Val *object) {
    PyRef self = attribute(callee.get(), names().__self__);
    PyRef target = callee;
    if (self && self.get() != Py_None && !PyModule_Check(self.get())) {
        if (PyRef inner = PyRef::steal(PyObject_GetAttrString(callee.get(), "__func__")))
            if (kind_of(inner.get()) == Kind::func) target = inner;
        PyErr_Clear();
    } else {
        self = {};
    }
    FuncInfo &info = func_info(node, target.get());
    Call call = arguments(node, true, true);
    if (object || self) call.args.insert(call.args.begin(), object ? *object : wrap(self));
    AtNode at(*this, node);
    std::vector<Val> args = matched_arguments(node, info, std::move(call));
    if (info.is_real && is_recursive(info) && can_recur(info, args)) return recursive_call(node, info, args);
    return inline_body(node, info, std::move(args));
}

/// A method of a struct: `self` is passed as a place, so that the method can change it. Called through the struct type
/// it is the first argument.
Val Walker::inline_method(const Node *node, const PyRef &callee, const Val &self) {
    FuncInfo &info = func_info(node, callee.get());
    Call call = arguments(node, true, true);
    if (self.tag != Tag::none) call.args.insert(call.args.begin(), self);
    AtNode at(*this, node);
    return inline_body(node, info, matched_arguments(node, info, std::move(call), true));
}

std::vector<Val> Walker::matched_arguments(const Node *node, FuncInfo &info, Call call, bool first_by_place) {
    const size_t count = info.params.size();
    if (call.args.size() > count) {
        std::string expected;
        for (const FuncInfo::FuncParam &p : info.params) expected += (expected.empty() ? "" : ", ") + text(p.name);
        fail_syntax(node, "Too many arguments. Expected (" + expected + "), got " + std::to_string(call.args.size()) +
                              " arguments.");
    }
    std::vector<std::optional<Val>> given(count);
    for (size_t i = 0; i < call.args.size(); ++i) given[i] = std::move(call.args[i]);
    for (auto &[name, v] : call.kwargs) {
        size_t i = 0;
        while (i < count && info.params[i].name != name && PyUnicode_Compare(info.params[i].name, name) != 0) ++i;
        if (i == count) fail_syntax(node, "Unexpected argument '" + text(name) + "'.");
        if (given[i]) fail_syntax(node, "Multiple values for argument '" + text(name) + "'.");
        given[i] = std::move(v);
    }
    std::vector<Val> out;
    for (size_t i = 0; i < count; ++i) {
        if (!given[i] && info.params[i].fallback) given[i] = wrap(info.params[i].fallback);
        if (!given[i]) fail_syntax(node, "Missing argument '" + text(info.params[i].name) + "'.");
        out.push_back(pass_argument(node, info, i, std::move(*given[i]), first_by_place && i == 0));
    }
    return out;
}

/// Typed parameters and plain ones are passed by value; templates are passed as they are, places included.
Val Walker::pass_argument(const Node *node, FuncInfo &info, size_t i, Val arg, bool as_place) {
    const FuncInfo::FuncParam &p = info.params[i];
    PyObject *annotation = p.annotation.get();
    const Kind kind = annotation ? kind_of(annotation) : Kind::foreign;
    const bool by_value =
        !as_place && (!annotation || is_dtype(annotation) || kind == Kind::matrix_type || kind == Kind::struct_type);
    if (by_value) {
        arg = load(std::move(arg));
        if (annotation) arg = convert_to_annotation(node, annotation, arg, "Argument " + text(p.name), !info.is_real);
    }
    if (kind == Kind::ref) return reference(node, annotation, arg, text(p.name));
    if (kind == Kind::ndarray_type) check_array_argument(node, annotation, arg, text(p.name));
    if (kind == Kind::buffer_view_type) check_view_argument(node, annotation, arg, text(p.name));
    if (kind == Kind::sparse_matrix_builder_type) check_builder_argument(node, arg, text(p.name));
    const bool may_change = arg.tag == Tag::element || (!is_place(arg) && storable(arg));
    if (may_change && is_changed(info, p, arg)) return new_variable(node, arg);
    return arg;
}

/// Whether the func may change this parameter: by an assignment, or as a struct whose method is called.
bool Walker::is_changed(FuncInfo &info, const FuncInfo::FuncParam &param, const Val &arg) {
    if (info.assigned.count(param.name)) return true;
    if (arg.tag != Tag::record || !arg.record->methods) return false;
    if (!info.receivers) {
        info.receivers.emplace();
        frontend::scan_receivers(items_of(info.source.tree, Field::body), *info.receivers);
    }
    return info.receivers->count(param.name) > 0;
}

void Walker::check_array_argument(const Node *node, PyObject *annotation, const Val &arg, const std::string &name) {
    if (arg.tag != Tag::array) fail_type(node, "Expected ndarray in the kernel argument for argument " + name);
    const auto number = [&](const char *field) {
        PyRef v = PyRef::steal(PyObject_GetAttrString(annotation, field));
        PyErr_Clear();
        return v && PyLong_Check(v.get()) ? PyLong_AsLong(v.get()) : -1;
    };
    const long ndim = number("ndim"), element_dim = number("element_dim");
    if (ndim >= 0 && ndim != arg.ndim)
        fail(node, UserErrorKind::compilation,
             "Invalid value for argument " + name + " - required ndim=" + std::to_string(ndim) + ", but " +
                 std::to_string(arg.ndim) + "d ndarray is provided");
    PyRef scalar_type_object = PyRef::steal(PyObject_GetAttrString(annotation, "scalar"));
    PyErr_Clear();
    if (element_dim < 0) return;
    const bool any_scalar = !scalar_type_object || !is_dtype(scalar_type_object.get());
    const Scalar elem = any_scalar ? arg.elem : dtype_scalar(node, scalar_type_object.get());
    const long rows = number("rows"), cols = number("cols"); // 0: any
    const auto suits = [](long wanted, int given) { return wanted == 0 || wanted == given; };
    if (elem == arg.elem && element_dim == arg.element_dim &&
        (element_dim == 0 || (suits(rows, arg.n) && suits(cols, arg.m))))
        return;
    std::string given = ir::to_string(arg.elem);
    if (arg.element_dim > 0)
        given = "[Tensor (" + std::to_string(arg.n) + (arg.element_dim == 2 ? ", " + std::to_string(arg.m) : "") +
                ") " + given + "]";
    if (element_dim == 0)
        fail_type(node, "Expect element type " + ir::to_string(elem) + " for argument " + name + ", but get " + given);
    const auto extent = [](long n) { return n ? std::to_string(n) : std::string("any"); };
    const std::string required = (element_dim == 1 ? "VectorType[" + extent(rows) + ", "
                                                   : "MatrixType[" + extent(rows) + "," + extent(cols) + ", ") +
                                 ir::to_string(elem) + "]";
    fail(node, UserErrorKind::compilation,
         "Invalid value for argument " + name + " - required element type: " + required + ", but " + given +
             " is provided");
}

/// A place of the caller that a real func changes.
Val Walker::reference(const Node *node, PyObject *annotation, const Val &arg, const std::string &name) {
    PyRef type = attribute(annotation, names().dtype);
    const bool scalar_type = type && is_dtype(type.get());
    const bool suits =
        arg.tag == Tag::ref && (scalar_type ? arg.ref->ndim == 0 && arg.ref->elem == dtype_scalar(node, type.get())
                                            : type && kind_of(type.get()) == Kind::matrix_type &&
                                                  arg.ref->n == attribute_int(type.get(), names().n, 1) &&
                                                  arg.ref->m == attribute_int(type.get(), names().m, 1));
    if (!suits)
        fail_type(node, "Argument " + name + " is passed by reference: it must be a variable of type " +
                            (type ? repr(type.get()) : "?") + " of the caller");
    return arg;
}

void Walker::check_view_argument(const Node *node, PyObject *annotation, const Val &arg, const std::string &name) {
    if (arg.tag != Tag::array || !is_view(arg))
        fail_type(node, "Argument " + name + " expects a BufferView, got " + type_text(arg));
    PyRef dtype = attribute(annotation, names().dtype);
    if (!dtype || dtype.get() == Py_None || dtype_scalar(node, dtype.get()) == arg.elem) return;
    fail_type(node, "Expect element type " + repr(dtype.get()) + " for argument " + name + ", but get " +
                        ir::to_string(arg.elem));
}

/// `elementwise`: a scalar type holds for each element of a vector or matrix, as it does for inlined funcs.
Val Walker::convert_to_annotation(const Node *node, PyObject *annotation, const Val &given, const std::string &what,
                                  bool elementwise) {
    if (!annotation) return given;
    const Val v = load(given);
    if (is_dtype(annotation)) {
        const bool many =
            v.tag == Tag::matrix || v.is_sequence() || (v.is_constant() && kind_of(v.object.get()) == Kind::matrix);
        if (elementwise && many) return cast(node, v, dtype_scalar(node, annotation));
        if (v.tag != Tag::scalar && !is_number(v))
            fail_type(node, what + " (type=" + type_text(v) + ") cannot be converted into required type " +
                                ir::to_string(dtype_scalar(node, annotation)));
        const Scalar type = dtype_scalar(node, annotation);
        return scalar(as(node, v, type));
    }
    if (kind_of(annotation) == Kind::matrix_type) {
        const Names &n = names();
        const int rows = int(attribute_int(annotation, n.n, 1)), cols = int(attribute_int(annotation, n.m, 1));
        const int ndim = int(attribute_int(annotation, n.ndim, 1));
        if (v.tag == Tag::scalar || is_number(v))
            fail_syntax(node, what + " is expected to be a Matrix, but got " + type_text(v));
        const Val m = to_matrix(node, v);
        if (rows && m.n != rows) // 0: any
            fail_syntax(node, what + " is expected to be a Matrix with n " + std::to_string(rows) + ", but got " +
                                  std::to_string(m.n));
        if ((cols && m.m != cols) || m.ndim != ndim)
            fail_syntax(node, what + " is expected to be a Matrix with m " + std::to_string(cols) + ", but got " +
                                  std::to_string(m.m));
        PyRef dtype = attribute(annotation, n.dtype);
        if (!dtype || dtype.get() == Py_None) return m;
        return cast(node, m, dtype_scalar(node, dtype.get()));
    }
    if (kind_of(annotation) == Kind::struct_type) return convert_record(node, annotation, v, what);
    return v;
}

void Walker::enter(FuncInfo &info, SpanId call) {
    Frame frame;
    frame.source = &info.source;
    frame.call = call;
    frame.file = info.file;
    frame.scope = info.scope;
    frame.first_binding = bindings_.size();
    frame.assigned = &info.assigned;
    frame.has_return_type = bool(info.returns);
    frame.function = info.function.get();
    frames_.push_back(std::move(frame));
}

Val Walker::inline_body(const Node *node, FuncInfo &info, std::vector<Val> args) {
    const std::optional<Val> result = inlined(info, std::move(args), [&] {
        if (info.is_real) return std::optional<Val>(real_body(info));
        block(items_of(info.source.tree, Field::body));
        return std::move(frames_.back().result);
    });
    if (!result) return Val{};
    return converted_result(node, info.returns.get(), *result, !info.is_real);
}

void Walker::fail_endless(const FuncInfo &info) {
    fail_here(UserErrorKind::compilation, "Function '" + info.source.name + "' calls itself without end",
              "funcs are inlined: end the recursion with a `qd.static` condition on template arguments");
}

void Walker::note_inlined(const FuncInfo &info) {
    const auto is_it = [&](const PyRef &func) { return func.get() == info.object; };
    if (std::none_of(inlined_.begin(), inlined_.end(), is_it)) inlined_.push_back(PyRef::borrow(info.object));
}

/// What `body` makes of the func in a frame of its own, its parameters bound.
std::optional<Val> Walker::inlined(FuncInfo &info, std::vector<Val> args,
                                   const std::function<std::optional<Val>()> &body) {
    constexpr int deepest = 100;
    check_depth();
    if (info.depth >= deepest) fail_endless(info);
    if (info.needs_top_level && !is_top_level())
        fail_here(UserErrorKind::syntax, "Function '" + info.source.name +
                                             "' has requires_top_level=True: it starts parallel loops of its own "
                                             "and can be called at the top level of a kernel alone");
    note_inlined(info);
    enter(info, b_.span);
    ++info.depth;
    const int outer_static = std::exchange(static_depth_, 0), outer_grouped = std::exchange(grouped_depth_, 0);
    const long outer_line = std::exchange(covered_line_, 0);
    std::optional<Val> result;
    {
        Scope scope(*this);
        for (size_t i = 0; i < args.size(); ++i) bind(info.params[i].name, std::move(args[i]));
        result = body();
        if (info.returns && !result)
            fail(info.source.tree, UserErrorKind::compilation,
                 "Function has a return type but does not have a return statement");
    }
    static_depth_ = outer_static;
    grouped_depth_ = outer_grouped;
    covered_line_ = outer_line;
    --info.depth;
    frames_.pop_back();
    return result;
}

Val Walker::converted_result(const Node *node, PyObject *annotation, const Val &v, bool elementwise) {
    if (!annotation || v.tag == Tag::none) return v;
    if (!elementwise && kind_of(annotation) == Kind::struct_type) check_returned(node, annotation, v);
    if (is_dtype(annotation) || kind_of(annotation) == Kind::matrix_type || kind_of(annotation) == Kind::struct_type)
        return convert_to_annotation(node, annotation, v, "Return", elementwise);
    if (PyTuple_Check(annotation) && v.is_sequence() && PyTuple_GET_SIZE(annotation) == Py_ssize_t(v.items.size())) {
        Val out = v;
        for (size_t i = 0; i < out.items.size(); ++i)
            out.items[i] =
                converted_result(node, PyTuple_GET_ITEM(annotation, Py_ssize_t(i)), out.items[i], elementwise);
        return out;
    }
    return v;
}

} // namespace qd::frontend
