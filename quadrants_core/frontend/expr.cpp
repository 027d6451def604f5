// Expressions: dispatch, names, constants, attributes, displays.
#include "base/stop.h"
#include "frontend/collect.h"
#include "frontend/builtins.h"
#include "frontend/machine.h"

#include <cstring>

namespace qd::frontend {

namespace {

/// Whether a sequence of Python has more items than a kernel takes one by one.
bool is_long(PyObject *sequence) {
    if (PyList_Check(sequence) || PyTuple_Check(sequence)) return double(Py_SIZE(sequence)) > most_items;
    if (!PyRange_Check(sequence)) return false;
    const Py_ssize_t size = PySequence_Size(sequence);
    if (size >= 0) return double(size) > most_items;
    PyErr_Clear();
    return true; // a range beyond what its len() can tell
}

} // namespace

Val Walker::eval(const Node *node) {
    poll_stop();
    check_depth();
    const bool handed_on = std::exchange(handed_on_, false);
    Val out = eval_kind(node);
    if (out.is_constant()) {
        collect_if_asked();
        if (!handed_on) reads_.use(out.object.get());
    }
    return out;
}

/// What a name stands for, if it is a variable of a single number; null otherwise.
const Ref *Walker::scalar_variable(const Node *node) {
    if (node->kind != NodeKind::Name) return nullptr;
    const Binding *found = find_local(word_of(node, Field::id));
    if (!found || found->value.tag != Tag::ref || found->value.ref->ndim) return nullptr;
    handed_on_ = false;
    return found->value.ref.get();
}

Val Walker::eval_handed_on(const Node *node) {
    handed_on_ = true;
    return eval(node);
}

Val Walker::eval_kind(const Node *node) {
    if (machine_) // what has run already
        if (const auto known = machine_->values.find(node); known != machine_->values.end()) return known->second;
    const NodeKind kind = node->kind;
    switch (kind) {
    case NodeKind::Name: return eval_name(node);
    case NodeKind::Constant: return eval_constant(node);
    case NodeKind::Attribute: return eval_attribute(node);
    case NodeKind::Call: return eval_call(node);
    case NodeKind::BinOp: return eval_binop(node);
    case NodeKind::UnaryOp: return eval_unary(node);
    case NodeKind::BoolOp: return eval_boolop(node);
    case NodeKind::Compare: return eval_compare(node);
    case NodeKind::IfExp: return eval_ifexp(node);
    case NodeKind::Subscript: return eval_subscript(node);
    case NodeKind::Tuple: return eval_sequence(node, true);
    case NodeKind::List: return eval_sequence(node, false);
    case NodeKind::Dict: return eval_dict(node);
    case NodeKind::ListComp:
    case NodeKind::DictComp: return eval_comprehension(node, kind);
    case NodeKind::NamedExpr: return eval_named(node);
    case NodeKind::JoinedStr: return eval_joined(node);
    case NodeKind::GeneratorExp:
        if (static_depth_) return eval_comprehension(node, kind);
        fail_syntax(node, "Unsupported node \"GeneratorExp\"", "use a list comprehension");
    default:
        fail_syntax(node, std::string("Unsupported node \"") + kind_name(kind) + "\"",
                    "kernels are a subset of Python; move this outside the kernel or into `qd.static(...)` on values "
                    "known at compile time");
    }
}

Val Walker::wrap(PyRef object) {
    if (kind_of(object.get()) == Kind::tensor) { // what it wraps
        PyRef inner = PyRef::steal(PyObject_GetAttrString(object.get(), "_impl"));
        if (inner) return wrap(std::move(inner));
        PyErr_Clear();
    }
    PyRef number = plain_number(object.get());
    return constant(number ? std::move(number) : std::move(object));
}

PyRef Walker::to_python(const Val &v) {
    if (v.is_constant()) return v.object;
    if (v.is_sequence()) {
        PyRef list = PyRef::steal(v.tag == Tag::tuple ? PyTuple_New(Py_ssize_t(v.items.size()))
                                                      : PyList_New(Py_ssize_t(v.items.size())));
        for (size_t i = 0; i < v.items.size(); ++i) {
            PyRef item = to_python(v.items[i]);
            if (!item) return {};
            Py_INCREF(item.get());
            if (v.tag == Tag::tuple)
                PyTuple_SET_ITEM(list.get(), Py_ssize_t(i), item.get());
            else
                PyList_SET_ITEM(list.get(), Py_ssize_t(i), item.get());
        }
        return list;
    }
    if (v.tag == Tag::dict) {
        if (!v.extra->unknown_keys.empty()) return {};
        PyRef dict = PyRef::steal(PyDict_New());
        for (size_t i = 0; i < v.items.size(); ++i) {
            PyRef item = to_python(v.items[i]);
            if (!item || PyDict_SetItem(dict.get(), v.extra->keys[i].get(), item.get()) < 0) return {};
        }
        return dict;
    }
    if (v.tag == Tag::none) return PyRef::borrow(Py_None);
    return {};
}

/// What gives its items once is empty for the next specialisation.
void Walker::refuse_generator(const Node *node, PyObject *object) {
    const bool is_of_python = !PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE);
    if (!PyGen_Check(object) && !(is_of_python && PyIter_Check(object))) return;
    PyErr_SetString(PyExc_ValueError, "Cannot store generators in variables, inside kernels or functions");
    python_failed(node);
}

Val Walker::eval_name(const Node *node) {
    PyObject *name = word_of(node, Field::id);
    if (const Binding *found = find_local(name)) return found->value;
    if (const auto known = outside_.find(node); known != outside_.end()) return wrap(known->second);
    PyRef object = find_global(name);
    if (!object) fail_unknown_name(node, name);
    check_pure_name(node, name, object.get());
    if (request_.options.refuse_floats && PyFloat_Check(object.get()) && !in_package()) {
        PyErr_Format(
            PyExc_ValueError,
            "Not permitted to access floats as global values: %U is one, and raise_on_templated_floats is set. "
            "Pass it to the kernel as an argument.",
            name);
        python_failed(node);
    }
    refuse_generator(node, object.get());
    outside_[node] = object;
    return wrap(std::move(object));
}

Val Walker::eval_constant(const Node *node) {
    PyObject *object = constant_of(node);
    if (PyComplex_Check(object) || PyBytes_Check(object) || object == Py_Ellipsis)
        fail_type(node, "Invalid constant scalar data type: " + type_name(object));
    return constant(PyRef::borrow(object));
}

Val Walker::eval_attribute(const Node *node) {
    const Node *of = child(node, Field::value);
    const bool is_outside = of->kind == NodeKind::Name && !find_local(word_of(of, Field::id));
    if (is_outside)
        if (const auto known = outside_.find(node); known != outside_.end()) return wrap(known->second);
    const Val base = eval_handed_on(of);
    reads_.expect();
    Val out = attribute_of(node, base, word_of(node, Field::attr));
    check_pure_attribute(node, base, out);
    const bool is_member = base.node >= 0; // noted by `member`
    if (base.is_constant() && !is_member && !reads_.was_read(base.object.get())) reads_.use(base.object.get());
    if (out.is_constant()) refuse_generator(node, out.object.get());
    if (is_outside && base.is_constant() && PyModule_Check(base.object.get()) && out.is_constant() && !out.extra)
        outside_[node] = out.object;
    return out;
}

Val Walker::attribute_of(const Node *node, const Val &base, PyObject *name) {
    if (base.is_constant()) {
        PyObject *object = base.object.get();
        if (kind_of(object) == Kind::builtin)
            if (const BuiltinRow *row = builtin_of(object)) {
                if (const BuiltinRow *member = find_builtin(std::string(row->name) + "." + text(name)))
                    return builtin_value(*member);
                if (std::optional<Val> method = method_of_class(*row, name)) return *method;
            }
        if (kind_of(object) == Kind::struct_type)
            if (std::optional<Val> method = record_method(record_type(node, object), Val{}, name)) return *method;
        if (kind_of(object) == Kind::matrix) return matrix_attribute(node, to_matrix(node, base), name);
        if (kind_of(object) == Kind::struct_)
            if (PyRef type = attribute(object, names().methods); type && PyDict_Contains(type.get(), name) == 1)
                return record_attribute(node, host_struct(node, object), name);
        if (is_field(kind_of(object)) && is_cell_method(name) && is_dynamic_line(node, object))
            return bound_method(dynamic_container(object, {}), name);
        if (base.node >= 0) return bundle_attribute(node, base, name);
        PyObject *found = PyObject_GetAttr(object, name);
        if (!found) {
            if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
                PyErr_Clear();
                fail_attribute(node, object, name);
            }
            python_failed(node);
        }
        reads_.attribute(object, name, found);
        return wrap(PyRef::steal(found));
    }
    if (base.tag == Tag::array) return array_attribute(node, base, name);
    if (base.tag == Tag::record) return record_attribute(node, base, name);
    if (base.tag == Tag::bundle) return bundle_attribute(node, base, name);
    if (base.tag == Tag::container) return bound_method(base, name);
    if (base.tag == Tag::dict && is_dict_method(name)) return bound_method(base, name);
    if (base.tag == Tag::element) return element_attribute(node, base, name);
    if (base.tag == Tag::relation) return relation_attribute(node, base, name);
    if (base.tag == Tag::ref && base.ref->field && name == names().grad) return gradient_element(node, *base.ref);
    if (base.tag == Tag::matrix || (base.tag == Tag::ref && base.ref->ndim > 0))
        return matrix_attribute(node, base, name);
    if (base.is_sequence() && base.element_dim) return matrix_attribute(node, to_matrix(node, base), name);
    fail(node, UserErrorKind::compilation,
         "'" + type_text(base) + "' has no attribute '" + text(name) + "' in a kernel");
}

Val Walker::bound_method(const Val &base, PyObject *name) {
    Val out;
    out.tag = Tag::method;
    out.extra = std::make_shared<Extra>();
    out.extra->name = text(name);
    out.extra->self = base;
    return out;
}

Val Walker::array_attribute(const Node *node, const Val &array, PyObject *name) {
    const std::string what = text(name);
    if (is_view(array)) return what == "subview" ? bound_method(array, name) : view_attribute(node, array, what);
    if (what == "shape") {
        AtNode at(*this, node);
        Val out;
        out.tag = Tag::tuple;
        for (int axis = 0; axis < array.ndim; ++axis) out.items.push_back(scalar(extent(array, axis)));
        return out;
    }
    if (what == "n") return integer(array.n);
    if (what == "m") return integer(array.m);
    if (what == "ndim") return integer(array.ndim);
    if (what == "grad") {
        Val grad = array.node >= 0 ? member(node, array, name, false) : Val{};
        if (grad.tag == Tag::array) return grad;
        fail(node, UserErrorKind::compilation, "The ndarray has no gradient",
             "create it with needs_grad=True to use `.grad`");
    }
    fail(node, UserErrorKind::compilation, "'ndarray' has no attribute '" + what + "' in a kernel",
         "kernels know `.shape` of an ndarray");
}

Val Walker::eval_sequence(const Node *node, bool is_tuple) {
    Val out;
    out.tag = is_tuple ? Tag::tuple : Tag::list;
    for (const Node *item : items_of(node, Field::elts)) {
        if (item->kind == NodeKind::Starred) {
            const Val many = sequence_items(item, value(child(item, Field::value)));
            for (const Val &v : many.items) out.items.push_back(load(v));
        } else {
            out.items.push_back(value(item));
        }
    }
    return out;
}

void Walker::fail_too_long(const Node *node) {
    fail_type(node, "A list or tuple of more than 1048576 items is too long");
}

/// A tuple, list, vector or compile-time sequence as a sequence of values.
Val Walker::sequence_items(const Node *node, const Val &v) {
    if (v.is_sequence()) return v;
    if (v.tag == Tag::record || (v.is_constant() && kind_of(v.object.get()) == Kind::struct_)) {
        Val out;
        out.tag = Tag::tuple;
        out.items = typed(node, v).items;
        return out;
    }
    if (v.tag == Tag::dict) {
        Val keys;
        keys.tag = Tag::tuple;
        for (size_t i = 0; i < v.items.size(); ++i) keys.items.push_back(key_of(v, i));
        return keys;
    }
    if (v.is_constant() && is_long(v.object.get())) fail_too_long(node);
    if (v.node >= 0 && v.is_constant() && PySequence_Check(v.object.get())) {
        Val out;
        out.tag = PyList_Check(v.object.get()) ? Tag::list : Tag::tuple;
        const Py_ssize_t size = PySequence_Size(v.object.get());
        if (size < 0) python_failed(node);
        for (Py_ssize_t i = 0; i < size; ++i) {
            const Val at = integer(long(i));
            out.items.push_back(member(node, v, at.object.get(), true));
        }
        return out;
    }
    if (v.is_constant() && kind_of(v.object.get()) != Kind::matrix) {
        Val out = unpacked(node, v);
        if (out.is_sequence()) return out;
        PyRef iterator = PyRef::steal(PyObject_GetIter(v.object.get()));
        if (!iterator && PyErr_ExceptionMatches(PyExc_TypeError))
            fail_type(node, "'" + type_text(v) + "' cannot be unpacked into values");
        PyRef list = PyRef::steal(iterator ? PySequence_List(iterator.get()) : nullptr);
        if (!list) python_failed(node);
        return unpacked(node, constant(list));
    }
    const Val matrix = to_matrix(node, v);
    Val out;
    out.tag = Tag::tuple;
    for (int i = 0; i < matrix.n; ++i)
        out.items.push_back(matrix.ndim == 1 ? component(matrix, i) : matrix_row(matrix, i));
    return out;
}

Val Walker::eval_named(const Node *node) {
    const Val v = value(child(node, Field::value));
    AtNode at(*this, node);
    assign_to(child(node, Field::target), v);
    return v;
}

} // namespace qd::frontend
