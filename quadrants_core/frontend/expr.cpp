// Expressions: dispatch, names, constants, attributes, displays.
#include "frontend/expr.h"

#include "base/stop.h"
#include "frontend/arithmetic.h"
#include "frontend/assign.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/cells.h"
#include "frontend/collect.h"
#include "frontend/compare.h"
#include "frontend/dict.h"
#include "frontend/format.h"
#include "frontend/instance.h"
#include "frontend/lanes.h"
#include "frontend/matrix.h"
#include "frontend/mesh.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/pure.h"
#include "frontend/struct_value.h"
#include "frontend/recursion.h"
#include "frontend/scope.h"
#include "frontend/size.h"
#include "frontend/static.h"
#include "frontend/subscript.h"
#include "frontend/suggest.h"
#include "frontend/types.h"
#include "frontend/views.h"

#include <cstring>

namespace qd::frontend {

static Val eval_kind(Walk &w, const Node *node, Use use);
static Val eval_name(Walk &w, const Node *node);
static Val eval_constant(Walk &w, const Node *node);
static Val eval_attribute(Walk &w, const Node *node);
static Val array_attribute(Walk &w, const Node *node, const Val &array, PyObject *name);
static Val eval_named(Walk &w, const Node *node);
static Val set_of(Walk &w, const Node *node, const Val &items);

namespace {

/// True if a Python sequence has more items than a kernel takes one by one.
bool is_long(PyObject *sequence) {
    if (PyList_Check(sequence) || PyTuple_Check(sequence)) return double(Py_SIZE(sequence)) > max_items;
    if (!PyRange_Check(sequence)) return false;
    const Py_ssize_t size = PySequence_Size(sequence);
    if (size >= 0) return double(size) > max_items;
    PyErr_Clear();
    return true; // the range is longer than len() can return
}

} // namespace

PyRef collect_items(Walk &w, const Node *node, PyObject *iterable, std::optional<bool> last) {
    PyRef iterator = PyRef::steal(PyObject_GetIter(iterable)), list = PyRef::steal(PyList_New(0));
    if (!iterator || !list) w.python_failed(node);
    while (PyRef item = PyRef::steal(PyIter_Next(iterator.get()))) {
        poll_stop();
        if (PyErr_CheckSignals() != 0) w.python_failed(node);
        if (double(PyList_GET_SIZE(list.get())) >= max_items)
            w.fail_type(node, "An iterator of more than 1048576 items is too long for a kernel",
                        "its items are read when the kernel is compiled; limit it, for example with itertools.islice");
        if (PyList_Append(list.get(), item.get()) != 0) w.python_failed(node);
        if (last && PyObject_IsTrue(item.get()) == int(*last)) break;
    }
    if (PyErr_Occurred()) w.python_failed(node);
    return list;
}

PyRef collect_argument(Walk &w, const Node *node, PyObject *callee, PyRef argument) {
    static constexpr const char *consumers[] = {"sum", "list", "tuple",  "set", "frozenset", "dict",
                                                "max", "min",  "sorted", "all", "any"};
    if (!PyIter_Check(argument.get())) return argument;
    for (const char *name : consumers) {
        if (callee != PyDict_GetItemString(PyEval_GetBuiltins(), name)) continue;
        w.dependencies.give_up();
        const std::string_view called = name;
        return collect_items(w, node, argument.get(),
                             called == "all" || called == "any" ? std::optional(called == "any") : std::nullopt);
    }
    return argument;
}

Val eval(Walk &w, const Node *node, Use use) {
    poll_stop();
    w.check_depth();
    Val out = eval_kind(w, node, use);
    check_size(w, node);
    if (out.is_constant()) {
        collect_if_asked();
        if (use != Use::forwarded) w.dependencies.use(out.object());
    }
    return out;
}

/// The variable that a name denotes if it holds a single number; null otherwise.
const Ref *scalar_variable(Walk &w, const Node *node) {
    if (node->kind != NodeKind::Name) return nullptr;
    const Binding *found = w.scopes.find_local(word_of(node, Field::id));
    if (!found || !found->value.is_ref() || found->value.ref()->ndim) return nullptr;
    return found->value.ref().ref.get();
}

static Val eval_kind(Walk &w, const Node *node, Use use) {
    if (const Val *known = w.recursion.value_of(node)) return *known;
    using Kind = ExpressionKind;
    switch (Kind(node->kind)) {
    case Kind::Name: return eval_name(w, node);
    case Kind::Constant: return eval_constant(w, node);
    case Kind::Attribute: return eval_attribute(w, node);
    case Kind::Call: return eval_call(w, node);
    case Kind::BinOp: return eval_binop(w, node);
    case Kind::UnaryOp: return eval_unary(w, node);
    case Kind::BoolOp: return eval_boolop(w, node);
    case Kind::Compare: return eval_compare(w, node);
    case Kind::IfExp: return eval_ifexp(w, node);
    case Kind::Subscript: return eval_subscript(w, node, use);
    case Kind::Tuple: return eval_sequence(w, node, true);
    case Kind::List: return eval_sequence(w, node, false);
    case Kind::Dict: return eval_dict(w, node);
    case Kind::Set: return set_of(w, node, eval_sequence(w, node, false));
    case Kind::SetComp: return set_of(w, node, eval_comprehension(w, node, node->kind));
    case Kind::ListComp:
    case Kind::DictComp: return eval_comprehension(w, node, node->kind);
    case Kind::NamedExpr: return eval_named(w, node);
    case Kind::JoinedStr: return eval_joined(w, node);
    case Kind::GeneratorExp:
        if (w.static_depth) return eval_comprehension(w, node, node->kind);
        w.fail_syntax(node, "Unsupported node \"GeneratorExp\"", "use a list comprehension");
    case Kind::FormattedValue:
    case Kind::Starred:
    case Kind::Slice: break; // evaluated by the nodes that contain them
    }
    fail_unsupported_node(w, node);
}

Val wrap(Walk &w, PyRef object) {
    if (w.objects.kind_of(object.get()) == Kind::tensor) { // unwrap it
        PyRef inner = PyRef::steal(PyObject_GetAttrString(object.get(), "_impl"));
        if (inner) return wrap(w, std::move(inner));
        PyErr_Clear();
    }
    PyRef number = plain_number(object.get());
    return constant(number ? std::move(number) : std::move(object));
}

/// `range(...)` with known bounds; null for other loops.
static PyRef python_range(const LoopSource &loop) {
    if (loop.over != LoopSource::Over::range || loop.grouped) return {};
    const Val &first = loop.lower[0], &last = loop.upper[0];
    if (!first.is_constant() || !last.is_constant()) return {};
    PyRef range = PyRef::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject *>(&PyRange_Type), first.object(),
                                                            last.object(), nullptr));
    PyErr_Clear(); // bounds that are not integers
    return range;
}

PyRef to_python(const Val &v) {
    switch (v.tag()) {
    case Tag::none: return PyRef::borrow(Py_None);
    case Tag::constant: return v.constant().object;
    case Tag::sequence: {
        const std::vector<Val> &items = v.sequence().items;
        const bool is_tuple = v.is_tuple();
        const Py_ssize_t size = Py_ssize_t(items.size());
        PyRef list = PyRef::steal(is_tuple ? PyTuple_New(size) : PyList_New(size));
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyRef item = to_python(items[size_t(i)]);
            if (!item) return {};
            Py_INCREF(item.get());
            if (is_tuple)
                PyTuple_SET_ITEM(list.get(), i, item.get());
            else
                PyList_SET_ITEM(list.get(), i, item.get());
        }
        return list;
    }
    case Tag::dict: {
        const std::vector<Val> &values = v.dict().values;
        const DictKeys &keys = *v.dict().keys;
        if (!keys.unknown.empty()) return {};
        PyRef dict = PyRef::steal(PyDict_New());
        for (size_t i = 0; i < values.size(); ++i) {
            PyRef item = to_python(values[i]);
            if (!item || PyDict_SetItem(dict.get(), keys.known[i].get(), item.get()) < 0) return {};
        }
        return dict;
    }
    case Tag::loop: return python_range(*v.loop().source);
    case Tag::scalar:
    case Tag::matrix:
    case Tag::array:
    case Tag::bundle:
    case Tag::structure:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break;
    }
    return {};
}

/// Refuses an object that yields its items only once: it would be empty for the next specialisation.
static void refuse_generator(Walk &w, const Node *node, PyObject *object) {
    const bool is_of_python = !PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE);
    if (!PyGen_Check(object) && !(is_of_python && PyIter_Check(object))) return;
    PyErr_Format(PyExc_ValueError,
                 "Cannot store generators in variables, inside kernels or functions: this %s yields each item only "
                 "once, and a kernel may be compiled again. Take the items outside the kernel, or make a tuple of them",
                 Py_TYPE(object)->tp_name);
    w.python_failed(node);
}

static Val eval_name(Walk &w, const Node *node) {
    PyObject *name = word_of(node, Field::id);
    if (const Binding *found = w.scopes.find_local(name)) return found->value;
    if (w.scopes.may_be_unbound(name)) fail_unknown_name(w, node, name);
    if (const PyRef *known = w.objects.outside(node)) return wrap(w, *known);
    PyRef object = w.scopes.find_global(name);
    if (!object) fail_unknown_name(w, node, name);
    check_pure_name(w, node, name, object.get());
    if (w.request.options.raise_on_templated_floats && PyFloat_Check(object.get()) && !in_package(w)) {
        PyErr_Format(
            PyExc_ValueError,
            "Not permitted to access floats as global values: %U is one, and raise_on_templated_floats is set. "
            "Pass it to the kernel as an argument.",
            name);
        w.python_failed(node);
    }
    refuse_generator(w, node, object.get());
    w.objects.note_outside(node, object);
    return wrap(w, std::move(object));
}

static Val eval_constant(Walk &w, const Node *node) {
    PyObject *object = constant_of(node);
    if (PyBytes_Check(object) || object == Py_Ellipsis)
        w.fail_type(node, "Invalid constant scalar data type: " + type_name(object));
    return constant(PyRef::borrow(object));
}

static Val eval_attribute(Walk &w, const Node *node) {
    const Node *of = child(node, Field::value);
    const bool is_outside = of->kind == NodeKind::Name && !w.scopes.find_local(word_of(of, Field::id));
    if (is_outside)
        if (const PyRef *known = w.objects.outside(node)) return wrap(w, *known);
    const Val base = eval(w, of, Use::forwarded);
    w.dependencies.expect();
    Val out = attribute_of(w, node, base, word_of(node, Field::attr));
    check_pure_attribute(w, node, base, out);
    const bool is_member = base.node() >= 0; // recorded by `member`
    if (base.is_constant() && !is_member && !w.dependencies.was_read(base.object())) w.dependencies.use(base.object());
    if (out.is_constant()) refuse_generator(w, node, out.object());
    if (is_outside && base.is_constant() && PyModule_Check(base.object()) && out.is_constant() && !out.constant().owner)
        w.objects.note_outside(node, out.constant().object);
    return out;
}

/// An attribute of a compile-time value.
static Val constant_attribute(Walk &w, const Node *node, const Val &base, PyObject *name) {
    PyObject *object = base.object();
    if (w.objects.kind_of(object) == Kind::builtin)
        if (const BuiltinRow *row = w.objects.builtin_of(object)) {
            if (const BuiltinRow *member = find_builtin(std::string(row->name) + "." + text(name)))
                return builtin_value(*member);
            if (std::optional<Val> method = method_of_class(*row, name)) return *method;
        }
    if (w.objects.kind_of(object) == Kind::struct_type)
        if (std::optional<Val> method = struct_method(w.structs.layout_of(node, object), Val{}, name)) return *method;
    if (w.objects.kind_of(object) == Kind::matrix) return matrix_attribute(w, node, to_matrix(w, node, base), name);
    if (w.objects.kind_of(object) == Kind::struct_)
        if (PyRef type = attribute(object, names().methods); type && PyDict_Contains(type.get(), name) == 1)
            return w.structs.struct_attribute(node, w.structs.host_struct(node, object), name);
    if (is_field(w.objects.kind_of(object)) && is_cell_method(name) && is_dynamic_line(w, node, object))
        return bound_method(dynamic_container(object, {}), name);
    if (base.node() >= 0) return w.parameters.bundle_attribute(node, base, name);
    PyObject *found = PyObject_GetAttr(object, name);
    if (!found) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Clear();
            fail_attribute(w, node, object, name);
        }
        w.python_failed(node);
    }
    w.dependencies.attribute(object, name, found);
    return wrap(w, PyRef::steal(found));
}

Val attribute_of(Walk &w, const Node *node, const Val &base, PyObject *name) {
    switch (base.tag()) {
    case Tag::constant: return constant_attribute(w, node, base, name);
    case Tag::array: return array_attribute(w, node, base, name);
    case Tag::structure: return w.structs.struct_attribute(node, base, name);
    case Tag::bundle: return w.parameters.bundle_attribute(node, base, name);
    case Tag::container: return bound_method(base, name);
    case Tag::element: return w.meshes.element_attribute(node, base, name);
    case Tag::relation: return w.meshes.relation_attribute(node, base, name);
    case Tag::shared: return shared_attribute(w, node, base, name);
    case Tag::matrix: return matrix_attribute(w, node, base, name);
    case Tag::dict:
        if (is_dict_method(name)) return bound_method(base, name);
        break;
    case Tag::ref:
        if (base.ref()->field && name == names().grad) return w.meshes.gradient_element(node, *base.ref());
        if (base.ref()->ndim > 0) return matrix_attribute(w, node, base, name);
        break;
    case Tag::sequence:
        if (!base.is(Flavour::plain)) return matrix_attribute(w, node, to_matrix(w, node, base), name);
        if (const std::string called = text(name); called == "count" || called == "index")
            if (PyRef known = to_python(base)) return constant_attribute(w, node, constant(std::move(known)), name);
        break;
    case Tag::method:
        if (base.method().bound->after) return super_attribute(w, node, *base.method().bound, name);
        break;
    case Tag::none:
    case Tag::scalar:
    case Tag::loop:
    case Tag::triplet: break;
    }
    w.fail(node, UserErrorKind::compilation,
           "'" + type_text(w, base) + "' has no attribute '" + text(name) + "' in a kernel");
}

Val bound_method(const Val &base, PyObject *name, PyRef callee) {
    auto bound = std::make_shared<BoundMethod>();
    bound->name = text(name);
    bound->self = base;
    bound->callee = std::move(callee);
    return val::Method{std::move(bound)};
}

static Val array_attribute(Walk &w, const Node *node, const Val &base, PyObject *name) {
    const std::string what = text(name);
    if (is_view(w, base)) return what == "subview" ? bound_method(base, name) : view_attribute(w, node, base, what);
    const val::Array &array = base.array();
    if (what == "shape") {
        AtNode at(w, node);
        std::vector<Val> extents;
        for (int axis = 0; axis < array.ndim; ++axis) extents.push_back(scalar(w, w.parameters.extent(base, axis)));
        return tuple_of(std::move(extents));
    }
    if (what == "n") return integer(array.n);
    if (what == "m") return integer(array.m);
    if (what == "ndim") return integer(array.ndim);
    if (what == "grad") {
        if (w.request.mode == autodiff::Mode::reverse)
            w.fail(node, UserErrorKind::runtime,
                   "Cannot automatically differentiate through a grad tensor, if you really want to do that, pass the "
                   "grad tensor into the kernel directly");
        Val grad = array.node >= 0 ? w.parameters.member(node, base, name, false) : Val{};
        if (grad.is_array()) return grad;
        w.fail(node, UserErrorKind::compilation, "The ndarray has no gradient",
               "create it with needs_grad=True to use `.grad`");
    }
    w.fail(node, UserErrorKind::compilation, "'ndarray' has no attribute '" + what + "' in a kernel",
           "kernels know `.shape` of an ndarray");
}

Val eval_sequence(Walk &w, const Node *node, bool is_tuple) {
    val::Sequence out{{}, is_tuple ? val::Sequence::Type::tuple : val::Sequence::Type::list};
    for (const Node *item : items_of(node, Field::elts)) {
        if (item->kind == NodeKind::Starred) {
            const Val many = sequence_items(w, item, value(w, child(item, Field::value)));
            for (const Val &v : many.sequence().items) out.items.push_back(w.places.load(v));
        } else {
            out.items.push_back(value(w, item));
        }
    }
    return out;
}

static Val set_of(Walk &w, const Node *node, const Val &items) {
    const PyRef list = to_python(items);
    if (!list)
        w.fail_type(node, "The items of a set must be known at compile time",
                    "a tuple or list may hold values known only at run time");
    PyRef set = PyRef::steal(PySet_New(list.get()));
    if (!set) w.python_failed(node);
    return constant(std::move(set));
}

/// The items of a tuple, list, vector or compile-time sequence as a sequence of values.
Val sequence_items(Walk &w, const Node *node, const Val &v) {
    if (v.is_sequence()) return v;
    if (v.is_loop())
        if (PyRef range = to_python(v)) return sequence_items(w, node, constant(std::move(range)));
    if (v.is_structure() || (v.is_constant() && w.objects.kind_of(v.object()) == Kind::struct_)) {
        return tuple_of(std::move(typed(w, node, v).structure().members));
    }
    if (v.is_dict()) {
        std::vector<Val> keys;
        for (size_t i = 0; i < v.dict().values.size(); ++i) keys.push_back(key_of(w, v, i));
        return tuple_of(std::move(keys));
    }
    if (v.is_constant() && is_long(v.object())) w.fail_too_long(node);
    if (v.is_constant() && v.node() >= 0 && PySequence_Check(v.object())) {
        val::Sequence out{{}, PyList_Check(v.object()) ? val::Sequence::Type::list : val::Sequence::Type::tuple};
        const Py_ssize_t size = PySequence_Size(v.object());
        if (size < 0) w.python_failed(node);
        for (Py_ssize_t i = 0; i < size; ++i) {
            const Val at = integer(long(i));
            out.items.push_back(w.parameters.member(node, v, at.object(), true));
        }
        return out;
    }
    if (v.is_constant() && w.objects.kind_of(v.object()) != Kind::matrix) {
        Val out = unpacked(w, node, v);
        if (out.is_sequence()) return out;
        PyRef iterator = PyRef::steal(PyObject_GetIter(v.object()));
        if (!iterator && PyErr_ExceptionMatches(PyExc_TypeError))
            w.fail_type(node, "'" + type_text(w, v) + "' cannot be unpacked into values");
        if (!iterator) w.python_failed(node);
        const PyRef list = collect_items(w, node, iterator.get());
        return unpacked(w, node, constant(list));
    }
    const Val given = to_matrix(w, node, v);
    const val::Matrix &matrix = given.matrix();
    std::vector<Val> rows;
    for (int i = 0; i < matrix.n; ++i) rows.push_back(matrix.ndim == 1 ? component(given, i) : matrix_row(given, i));
    return tuple_of(std::move(rows));
}

static Val eval_named(Walk &w, const Node *node) {
    const Val v = value(w, child(node, Field::value));
    AtNode at(w, node);
    assign_to(w, child(node, Field::target), v);
    return v;
}

} // namespace qd::frontend
