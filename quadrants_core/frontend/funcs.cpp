// Funcs: read once, then inlined where they are called.
#include "frontend/funcs.h"

#include "frontend/annotations.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/call_graph.h"
#include "frontend/collect.h"
#include "frontend/control.h"
#include "frontend/coverage.h"
#include "frontend/expr.h"
#include "frontend/loops.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/real.h"
#include "frontend/recursion.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/triplets.h"

#include <algorithm>
#include <cstring>

namespace qd::frontend {

using ir::Scalar;

static uint32_t add_name(std::vector<std::string> &list, const std::string &name);
static bool is_changed(FuncInfo &info, const FuncInfo::FuncParam &param, const Val &arg);

// Funcs

PyRef Funcs::resolved_annotation(const Node *node, PyObject *function, PyObject *name) {
    PyRef found = find_annotation(function, name);
    if (PyErr_Occurred()) w_.python_failed(node);
    w_.dependencies.annotation(function, name, found.get());
    return found;
}

FuncInfo &Funcs::func_info(const Node *node, PyObject *callee) {
    const Names &n = names();
    if (const auto found = funcs_.find(callee); found != funcs_.end()) return *found->second;
    auto info = std::make_unique<FuncInfo>();
    info->object = callee;
    info->function = attribute(callee, n.fn);
    info->source = w_.request.source_of(callee);
    if (PyErr_Occurred()) w_.python_failed(node);
    info->is_real = bool(attribute(callee, n._qd_real_));
    info->needs_top_level = bool(attribute(callee, n._qd_requires_top_level_));
    w_.dependencies.function(callee, info->function.get(), info->source);
    info->file = add_name(fn_.files, info->source.file);
    info->scope = add_name(fn_.scopes, info->source.name);
    const Node *args = child(info->source.tree, Field::args);
    PyObject *function = info->function.get();
    info->is_foreign = bool(attribute(callee, n._qd_foreign_));
    const Node *rest = child(args, Field::vararg), *named_rest = child(args, Field::kwarg);
    if (!info->is_foreign && (rest || named_rest))
        w_.fail_syntax(node, "Quadrants functions do not support variable positional or keyword parameters (*args, "
                             "**kwargs)");
    if (!info->is_foreign && items_of(args, Field::kwonlyargs).size())
        w_.fail_syntax(node, "Quadrants functions do not support keyword-only parameters");
    PyRef defaults = PyRef::steal(PyObject_GetAttrString(function, "__defaults__"));
    PyErr_Clear();
    for (const Items &list : {items_of(args, Field::posonlyargs), items_of(args, Field::args)})
        for (const Node *arg : list) {
            PyObject *name = word_of(arg, Field::arg);
            info->params.push_back({name, info->is_foreign ? PyRef{} : resolved_annotation(node, function, name), {}});
        }
    if (defaults && PyTuple_Check(defaults.get())) {
        const Py_ssize_t count = PyTuple_GET_SIZE(defaults.get());
        for (Py_ssize_t i = 0; i < count; ++i)
            info->params[info->params.size() - size_t(count - i)].fallback =
                PyRef::borrow(PyTuple_GET_ITEM(defaults.get(), i));
    }
    info->positional = info->params.size();
    PyRef by_name = PyRef::steal(PyObject_GetAttrString(function, "__kwdefaults__"));
    PyErr_Clear();
    for (const Node *arg : items_of(args, Field::kwonlyargs)) {
        PyObject *name = word_of(arg, Field::arg);
        PyObject *fallback =
            by_name && PyDict_Check(by_name.get()) ? PyDict_GetItemWithError(by_name.get(), name) : nullptr;
        info->params.push_back({name, {}, PyRef::borrow(fallback)});
    }
    info->has_varargs = rest;
    info->has_kwargs = named_rest;
    for (const Node *arg : {rest, named_rest})
        if (arg) info->params.push_back({word_of(arg, Field::arg), {}, {}});
    PyRef return_name = PyRef::steal(PyUnicode_InternFromString("return"));
    if (!info->is_foreign) info->returns = resolved_annotation(node, function, return_name.get());
    if (info->returns && info->returns.get() == Py_None) info->returns = {};
    if (info->returns && !PyTuple_Check(info->returns.get())) // tuple[...], typing.Tuple[...]
        if (attribute(info->returns.get(), n.__origin__).get() == reinterpret_cast<PyObject *>(&PyTuple_Type))
            info->returns = attribute(info->returns.get(), n.__args__);
    frontend::scan_changed(info->source, info->assigned);
    w_.objects.keep(PyRef::borrow(callee));
    return *funcs_.emplace(callee, std::move(info)).first->second;
}

static uint32_t add_name(std::vector<std::string> &list, const std::string &name) {
    for (size_t i = 1; i < list.size(); ++i)
        if (list[i] == name) return uint32_t(i);
    list.push_back(name);
    return uint32_t(list.size() - 1);
}

/// `object`: the argument with members in which the func was found, if any.
Val Funcs::inline_func(const Node *node, const PyRef &callee, const Val *object, std::optional<Call> given) {
    PyRef self = attribute(callee.get(), names().__self__);
    PyRef target = callee;
    if (self && self.get() != Py_None && !PyModule_Check(self.get())) {
        if (PyRef inner = PyRef::steal(PyObject_GetAttrString(callee.get(), "__func__")))
            if (w_.objects.kind_of(inner.get()) == Kind::func) target = inner;
        PyErr_Clear();
    } else {
        self = {};
    }
    FuncInfo &info = func_info(node, target.get());
    Call call = given ? std::move(*given) : arguments(w_, node, true, true);
    if (object || self) call.args.insert(call.args.begin(), object ? *object : wrap(w_, self));
    if (object || self) set_receiver(info, class_of_receiver(call.args[0]));
    AtNode at(w_, node);
    return evaluate_call(node, info, matched_arguments(node, info, std::move(call)));
}

Val Funcs::evaluate_call(const Node *node, FuncInfo &info, std::vector<Val> args) {
    if (info.is_real && w_.request.mode == autodiff::Mode::reverse)
        w_.fail_syntax(node, "Real function in gradient kernels unsupported.",
                       "make it a `@qd.func`, which is inlined");
    if (info.is_real && is_recursive(w_, info) && w_.recursion.can_recur(info, args))
        return w_.recursion.recursive_call(node, info, args);
    return inline_body(node, info, std::move(args));
}

/// Inlines a method of a struct. `self` is passed as a place, so that the method can modify it. In a call through the struct type it is the
/// first argument.
Val Funcs::inline_method(const Node *node, const PyRef &callee, const Val &self, std::optional<Call> given) {
    FuncInfo &info = func_info(node, callee.get());
    Call call = given ? std::move(*given) : arguments(w_, node, true, true);
    if (!self.is_none()) call.args.insert(call.args.begin(), self);
    if (!self.is_none()) set_receiver(info, class_of_receiver(self));
    AtNode at(w_, node);
    return evaluate_call(node, info, matched_arguments(node, info, std::move(call), true));
}

PyRef Funcs::func_of(const Node *node, PyObject *function) {
    if (w_.objects.kind_of(function) == Kind::func) return PyRef::borrow(function);
    if (!PyFunction_Check(function)) return {};
    PyRef &func = w_.objects.stand_in(function);
    if (func) return func;
    const PyRef package = PyRef::steal(PyImport_ImportModule("quadrants._language.func"));
    func = PyRef::steal(package ? PyObject_CallMethod(package.get(), "ForeignFunc", "O", function) : nullptr);
    if (!func) w_.python_failed(node);
    return func;
}

/// Moves the arguments of a call that `*args` and `**kwargs` of a plain function collect.
void Funcs::gather_varargs(const FuncInfo &info, Call &call, std::vector<std::optional<Val>> &given) {
    size_t at = given.size();
    if (info.has_kwargs) {
        const auto is_rest = [&](const std::pair<PyObject *, Val> &pair) {
            const auto first = info.params.begin(),
                       last = first + long(info.params.size() - info.has_kwargs - info.has_varargs);
            return std::none_of(
                first, last, [&](const FuncInfo::FuncParam &p) { return PyUnicode_Compare(p.name, pair.first) == 0; });
        };
        val::Dict rest{{}, std::make_shared<DictKeys>()};
        for (auto &pair : call.kwargs) {
            if (!is_rest(pair)) continue;
            rest.keys->known.push_back(PyRef::borrow(pair.first));
            rest.values.push_back(pair.second);
        }
        std::erase_if(call.kwargs, is_rest);
        given[--at] = std::move(rest);
    }
    if (info.has_varargs) {
        std::vector<Val> rest;
        for (size_t i = info.positional; i < call.args.size(); ++i) rest.push_back(call.args[i]);
        call.args.resize(std::min(call.args.size(), info.positional));
        given[--at] = tuple_of(std::move(rest));
    }
}

namespace {
std::string names_of(const FuncInfo &info) {
    std::string names;
    for (const FuncInfo::FuncParam &p : info.params) names += (names.empty() ? "" : ", ") + text(p.name);
    return names;
}

std::string missing(const FuncInfo &info, size_t i) {
    PyRef name = PyRef::steal(PyObject_GetAttrString(info.function.get(), "__name__"));
    if (!name) PyErr_Clear();
    return "Missing argument '" + text(info.params[i].name) + "'. The func is " + (name ? text(name.get()) : "") + "(" +
           names_of(info) + ").";
}
} // namespace

std::vector<Val> Funcs::matched_arguments(const Node *node, FuncInfo &info, Call call, bool first_by_place) {
    const size_t count = info.params.size();
    std::vector<std::optional<Val>> given(count);
    gather_varargs(info, call, given);
    if (call.args.size() > info.positional) {
        const std::string expected = names_of(info);
        w_.fail(node, UserErrorKind::argument,
                "Too many arguments. Expected (" + expected + "), got " + std::to_string(call.args.size()) +
                    " arguments.");
    }
    for (size_t i = 0; i < call.args.size(); ++i) given[i] = std::move(call.args[i]);
    for (auto &[name, v] : call.kwargs) {
        size_t i = 0;
        while (i < count && info.params[i].name != name && PyUnicode_Compare(info.params[i].name, name) != 0) ++i;
        if (i == count) w_.fail(node, UserErrorKind::argument, "Unexpected argument '" + text(name) + "'.");
        if (given[i]) w_.fail(node, UserErrorKind::argument, "Multiple values for argument '" + text(name) + "'.");
        given[i] = std::move(v);
    }
    std::vector<PyObject *> known(count);
    std::vector<PyRef> held; // keeps the objects alive when arguments are replaced by values
    for (size_t i = 0; i < count; ++i)
        if (given[i] && given[i]->is_constant()) known[i] = held.emplace_back(given[i]->constant().object).get();
    std::vector<Val> out;
    for (size_t i = 0; i < count; ++i) {
        if (!given[i] && info.params[i].fallback) given[i] = wrap(w_, info.params[i].fallback);
        if (!given[i]) w_.fail(node, UserErrorKind::argument, missing(info, i));
        out.push_back(pass_argument(node, info, i, std::move(*given[i]), first_by_place && i == 0, known));
    }
    return out;
}

/// Typed and plain parameters are passed by value; templates are passed unchanged, even if they are places.
Val Funcs::pass_argument(const Node *node, FuncInfo &info, size_t i, Val arg, bool as_place,
                         const std::vector<PyObject *> &known) {
    const FuncInfo::FuncParam &p = info.params[i];
    PyObject *annotation = p.annotation.get();
    const Kind kind = annotation ? w_.objects.kind_of(annotation) : Kind::foreign;
    const bool by_value = !as_place && (!annotation || is_dtype(w_, annotation) || kind == Kind::matrix_type ||
                                        kind == Kind::struct_type);
    if (by_value) {
        arg = w_.places.load(std::move(arg));
        if (!annotation && !info.is_foreign) arg = with_types(w_, std::move(arg));
        if (annotation)
            arg = convert_to_annotation(w_, node, annotation, arg, "Argument " + text(p.name), !info.is_real);
    }
    if (kind == Kind::ref) return reference(w_, node, annotation, arg, text(p.name));
    if (kind == Kind::ndarray_type) check_array_argument(w_, node, annotation, arg, text(p.name));
    if (kind == Kind::buffer_view_type) check_view_argument(w_, node, annotation, arg, text(p.name));
    if (kind == Kind::sparse_matrix_builder_type) check_builder_argument(w_, node, arg, text(p.name));
    const bool may_change = arg.is_element() || (!is_place(arg) && w_.places.storable(arg));
    const bool callee_modifies = by_value && may_change && is_modified_by_callee(w_, info, p.name, known);
    if (may_change && (callee_modifies || is_changed(info, p, arg))) return w_.places.new_variable(node, arg);
    return arg;
}

/// True if the func itself may modify this parameter: by an assignment, or as a struct whose method is called.
static bool is_changed(FuncInfo &info, const FuncInfo::FuncParam &param, const Val &arg) {
    if (info.assigned.count(param.name)) return true;
    if (!arg.is_structure() || (!arg.structure().type->methods && !arg.structure().type->cls)) return false;
    if (!info.receivers) {
        info.receivers.emplace();
        frontend::scan_receivers(items_of(info.source.tree, Field::body), *info.receivers);
    }
    return info.receivers->count(param.name) > 0;
}

void Funcs::enter(FuncInfo &info, SpanId call) {
    Frame frame;
    frame.source = &info.source;
    frame.call = call;
    frame.file = info.file;
    frame.scope = info.scope;
    frame.first_binding = w_.scopes.size();
    frame.assigned = &info.assigned;
    frame.has_return_type = bool(info.returns);
    frame.function = info.function.get();
    frame.is_plain = info.is_foreign;
    w_.frames.push_back(std::move(frame));
}

Val Funcs::inline_body(const Node *node, FuncInfo &info, std::vector<Val> args) {
    const std::optional<Val> result = inlined(info, std::move(args), [&] {
        if (info.is_real) return std::optional<Val>(real_body(w_, info));
        block(w_, items_of(info.source.tree, Field::body));
        return std::move(w_.frames.back().result);
    });
    if (!result) return Val{};
    return converted_result(w_, node, info.returns.get(), *result, !info.is_real);
}

void Funcs::fail_endless(const FuncInfo &info) {
    w_.fail_here(UserErrorKind::compilation, "Function '" + info.source.name + "' calls itself without end",
                 info.is_real
                     ? "a real func may call itself if its templates are objects known at compile time, and a struct "
                       "that it is a method of does not change"
                     : "funcs are inlined: end the recursion with a `qd.static` condition on template arguments, or "
                       "make it a `@qd.real_func`");
}

void Funcs::note_inlined(const FuncInfo &info) {
    const auto is_it = [&](const PyRef &func) { return func.get() == info.object; };
    if (std::none_of(inlined_.begin(), inlined_.end(), is_it)) inlined_.push_back(PyRef::borrow(info.object));
}

/// The result of `body` in a frame of its own, with the func's parameters bound.
std::optional<Val> Funcs::inlined(FuncInfo &info, std::vector<Val> args,
                                  const std::function<std::optional<Val>()> &body) {
    constexpr int deepest = 100;
    w_.check_depth();
    if (info.depth >= deepest) fail_endless(info);
    if (info.needs_top_level && !is_top_level(w_))
        w_.fail_here(UserErrorKind::syntax, "Function '" + info.source.name +
                                                "' has requires_top_level=True: it starts parallel loops of its own "
                                                "and can only be called at the top level of a kernel");
    note_inlined(info);
    enter(info, b_.span);
    ++info.depth;
    const int outer_static = std::exchange(w_.static_depth, 0), outer_grouped = std::exchange(w_.grouped_depth, 0);
    const long outer_line = w_.coverage.set_line(0);
    std::optional<Val> result;
    {
        Scope scope(w_);
        for (size_t i = 0; i < args.size(); ++i) w_.scopes.bind(info.params[i].name, std::move(args[i]));
        result = body();
        if (info.returns && !result)
            w_.fail(info.source.tree, UserErrorKind::compilation,
                    "Function has a return type but does not have a return statement");
    }
    w_.static_depth = outer_static;
    w_.grouped_depth = outer_grouped;
    w_.coverage.set_line(outer_line);
    --info.depth;
    w_.frames.pop_back();
    return result;
}

} // namespace qd::frontend
