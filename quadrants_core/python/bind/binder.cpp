// Binds the arguments of a call, and their members, to the parameters of a plan. How an object is bound depends
//  - on its annotation, for a parameter or a member of an annotated dataclass;
//  - on its kind, for anything reached through a template argument or a data_oriented object: arrays are passed at every launch; all other
//    objects are compile-time values, except numbers of classes that want these to be read at every launch.
// A plan stays valid only while nested data_oriented objects stay the same and nested dataclasses keep their types.
#include "python/bind/binder.h"

#include "python/bind/errors.h"
#include "python/bind/mismatch.h"

#include "base/stack.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace qd::bind {
namespace {

bool is_plain_value(PyObject *o) {
    return o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) ||
           PyTuple_Check(o);
}

PyObject *type_attribute(PyObject *object, const char *name) {
    PyObject *found = PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), name);
    if (!found) PyErr_Clear();
    return found;
}

/// True if the class is decorated with @qd.data_oriented.
bool is_marked(PyObject *type) {
    PyObject *kind = PyObject_GetAttrString(type, "_qd_kind_");
    if (!kind) PyErr_Clear();
    const bool marked = kind && PyUnicode_Check(kind) && PyUnicode_CompareWithASCIIString(kind, "data_oriented") == 0;
    Py_XDECREF(kind);
    return marked;
}

bool is_data_oriented(PyObject *object) { return is_marked(reinterpret_cast<PyObject *>(Py_TYPE(object))); }

bool is_dataclass(PyObject *object) {
    PyObject *fields = type_attribute(object, "__dataclass_fields__");
    Py_XDECREF(fields);
    return fields != nullptr;
}

bool lifts_numbers(PyObject *object) {
    PyObject *templates = type_attribute(object, "_qd_template_primitives_");
    const bool lifts = templates == Py_False;
    Py_XDECREF(templates);
    return lifts;
}

bool is_passed(PyObject *o) { return is_ndarray(o) || is_tensor(o) || is_buffer_view(o); }
bool has_members(PyObject *o) { return is_data_oriented(o) || is_dataclass(o); }

/// True for a list, tuple or dict through which an array or an object with members can be reached. `seen` holds the containers already
/// visited, since they may contain each other. A container nested more deeply than the stack allows counts as false.
bool reaches_members(PyObject *o, std::unordered_set<PyObject *> &seen) {
    if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o) && !PyDict_CheckExact(o)) return false;
    if (stack_is_short() || !seen.insert(o).second) return false;
    const auto counts =
        [&](PyObject *borrowed) { // owns the value, since inspecting it may run Python code that changes `o`
            const frontend::PyRef v = frontend::PyRef::borrow(borrowed);
            return is_passed(v.get()) || has_members(v.get()) || reaches_members(v.get(), seen);
        };
    if (!PyDict_CheckExact(o)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++)
            if (counts(PySequence_Fast_GET_ITEM(o, i))) return true;
    } else {
        PyObject *key, *value;
        for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
            if (counts(value)) return true;
    }
    return false;
}

bool reaches_members(PyObject *o) {
    std::unordered_set<PyObject *> seen;
    return reaches_members(o, seen);
}

void check_constant(const KernelObject *kernel, const ParamSpec &spec, PyObject *arg) {
    if (is_ndarray(arg)) {
        fail_user(UserErrorKind::runtime_type,
                  "Ndarray shouldn't be passed in via `qd.template()`, please annotate your "
                  "kernel using `qd.types.ndarray(...)` instead");
    }
    if (runtime.options.raise_on_templated_floats && PyFloat_Check(arg)) {
        PyObject *name = PyObject_GetAttrString(kernel->info, "name");
        PyErr_Clear();
        raise(ErrorClass::value,
              "Floats not allowed as template arguments (raise_on_templated_floats is set): kernel " +
                  std::string(name ? PyUnicode_AsUTF8(name) : "?"));
        Py_XDECREF(name);
        throw frontend::PythonError{};
    }
    if (spec.form == ParamForm::self && !is_data_oriented(arg)) { // the argument of a classmethod is the class itself
        const bool is_class = PyType_Check(arg);
        if (is_class && is_marked(arg)) return;
        const auto *type = is_class ? reinterpret_cast<PyTypeObject *>(arg) : Py_TYPE(arg);
        fail_user(UserErrorKind::syntax,
                  std::string("Please decorate class ") + type->tp_name + " with @qd.data_oriented");
    }
}

/// Binds a compile-time value, which later calls compare by value or by identity.
void hold_constant(PyObject *arg, BoundParam &bound) {
    bound.kind = frontend::ParamKind::constant;
    bound.value = arg;
    bound.by_value = is_plain_value(arg);
    bound.weak = bound.by_value ? nullptr : PyWeakref_NewRef(arg, nullptr);
    if (bound.weak) return;
    PyErr_Clear(); // not weakly referenceable: the plan keeps it alive
    Py_INCREF(arg);
}

} // namespace

Binder::~Binder() {
    for (PyObject *o : alive_) Py_DECREF(o);
}

PyObject *Binder::keep(PyObject *owned) {
    if (!owned) throw frontend::PythonError{};
    alive_.push_back(owned);
    return owned;
}

int Binder::add_node(Node node) {
    nodes_.push_back(std::move(node));
    return int(nodes_.size()) - 1;
}

frontend::Param Binder::add(const BoundParam &bound, const Origin &from) {
    frontend::Param param;
    param.kind = bound.kind;
    param.elem = bound.elem;
    param.ndim = bound.ndim;
    param.rows = bound.rows;
    param.cols = bound.cols;
    param.element_dim = bound.element_dim;
    param.value = bound.value;
    param.name = from.name;
    param.position = from.argument - int(!kernel_->params->empty() && kernel_->params->front().form == ParamForm::self);
    param.leaf = int(plan_.params.size());
    plan_.params.push_back(bound);
    plan_.names.push_back(from.name);
    plan_.params.back().object = uint16_t(from.object);
    plan_.params.back().argument = uint16_t(from.argument);
    return param;
}

frontend::Param Binder::argument(size_t i, PyObject *arg) {
    const ParamSpec &spec = (*kernel_->params)[i];
    return bind(spec, arg, {int(i), int(i), spec.name});
}

frontend::Param Binder::like(size_t i, const BoundParam &from) {
    const ParamSpec &spec = (*kernel_->params)[i];
    BoundParam bound = from;
    bound.value = bound.weak = nullptr;
    bound.clamp = spec.clamp;
    if (from.kind == frontend::ParamKind::constant) {
        const frontend::PyRef value = frontend::PyRef::borrow(from.weak ? PyWeakref_GetObject(from.weak) : from.value);
        check_constant(kernel_, spec, value.get());
        hold_constant(value.get(), bound);
    }
    frontend::Param param = add(bound, {int(i), int(i), spec.name});
    param.clamp = spec.clamp;
    param.layout = layout_order(layout_in(from.signature));
    return param;
}

frontend::Param Binder::bind(const ParamSpec &spec, PyObject *value, const Origin &from) {
    value = unwrapped(value);
    if (spec.optional && value == Py_None) return bind_constant(spec, value, from);
    switch (spec.form) {
#define PARAMETER(kind, name, passes) FORM(kind, name)
#define FORM(form, name)                                                                                               \
    case ParamForm::form: return bind_##form(spec, value, from);
#include "frontend/parameters.def"
    }
    fail_internal("a parameter without a form");
}

frontend::Param Binder::bind_scalar(const ParamSpec &spec, PyObject *, const Origin &from) {
    BoundParam bound;
    bound.kind = frontend::ParamKind::scalar;
    bound.elem = resolve(spec.elem);
    return add(bound, from);
}

frontend::Param Binder::bind_matrix(const ParamSpec &spec, PyObject *, const Origin &from) {
    BoundParam bound;
    bound.kind = frontend::ParamKind::matrix;
    bound.elem = resolve(spec.elem);
    bound.rows = uint16_t(spec.rows);
    bound.cols = uint16_t(spec.cols);
    bound.element_dim = uint8_t(spec.element_dim);
    if (from.object >= int(kernel_->params->size())) plan_.immutable = false; // matrices in Python are mutable
    return add(bound, from);
}

frontend::Param Binder::bind_structure(const ParamSpec &spec, PyObject *, const Origin &from) {
    BoundParam bound;
    bound.kind = frontend::ParamKind::structure;
    bound.shape = shape_of(spec.cls);
    if (!bound.shape) throw frontend::PythonError{};
    if (from.object >= int(kernel_->params->size())) plan_.immutable = false; // structs in Python are mutable
    frontend::Param param = add(bound, from);
    param.value = spec.cls;
    return param;
}

/// Returns which arrays the specialisation accepts for a parameter. If it computes gradients, it accepts either only arrays with a gradient
/// or only arrays without one.
BoundParam::Gradient Binder::gradient_of(const ParamSpec &spec, bool of_host, bool has_one) const {
    using Gradient = BoundParam::Gradient;
    const bool depends_on_gradient = kernel_->mode == autodiff::Mode::reverse && !spec.constant;
    if (spec.needs_grad && !of_host) return Gradient::needed;
    return !depends_on_gradient ? Gradient::either : has_one ? Gradient::needed : Gradient::refused;
}

frontend::Param Binder::bind_array(const ParamSpec &spec, PyObject *value, const Origin &from) {
    ArrayFacts facts;
    ParamSpec named = spec;
    named.name = from.name;
    named.elem = resolve(spec.elem);
    if (!describe_array(named, value, &facts)) throw frontend::PythonError{};
    BoundParam bound;
    bound.kind = frontend::ParamKind::array;
    bound.elem = facts.elem;
    bound.ndim = uint8_t(facts.ndim);
    bound.element_dim = uint8_t(facts.element_dim);
    bound.rows = uint16_t(facts.rows);
    bound.cols = uint16_t(facts.cols);
    bound.signature = signature_of(facts.elem, facts.ndim, facts.rows, facts.cols, facts.element_dim, facts.layout);
    bound.of_host = !is_ndarray(value);
    const bool foreign_gradient = bound.of_host && kernel_->mode != autodiff::Mode::forward && requires_gradient(value);
    bound.with_gradient = bound.of_host ? foreign_gradient : has_gradient(value);
    bound.gradient = gradient_of(spec, bound.of_host, bound.with_gradient);
    bound.clamp = spec.clamp;
    if (spec.needs_grad && !bound.of_host && !bound.with_gradient) {
        raise_value(from.name, "required needs_grad=True, but False is provided",
                    "make the ndarray with needs_grad=True");
        throw frontend::PythonError{};
    }
    frontend::Param param = add(bound, from);
    param.clamp = spec.clamp;
    param.constant = spec.constant;
    param.layout = layout_order(facts.layout);
    if (!is_ndarray(value) && from.object >= int(kernel_->params->size())) plan_.immutable = false;
    if (is_ndarray(value) || foreign_gradient) {
        Node node;
        node.from = from;
        node.object = value;
        node.foreign = foreign_gradient;
        node.spec.element_dim = spec.element_dim;
        node.spec.rows = spec.rows;
        node.spec.cols = spec.cols;
        param.node = add_node(std::move(node));
    }
    return param;
}

frontend::Param Binder::bind_buffer_view(const ParamSpec &spec, PyObject *value, const Origin &from) {
    ArrayFacts facts;
    ParamSpec named = spec;
    named.name = from.name;
    named.elem = resolve(spec.elem);
    if (!describe_view(named, value, &facts)) throw frontend::PythonError{};
    BoundParam bound;
    bound.kind = frontend::ParamKind::buffer_view;
    bound.elem = facts.elem;
    bound.ndim = 1;
    bound.element_dim = uint8_t(facts.element_dim);
    bound.rows = uint16_t(facts.rows);
    bound.cols = uint16_t(facts.cols);
    bound.signature = signature_of(facts.elem, 1, facts.rows, facts.cols, facts.element_dim);
    if (from.object >= int(kernel_->params->size())) plan_.immutable = false;
    frontend::Param param = add(bound, from);
    param.clamp = spec.clamp;
    Node node;
    node.from = from;
    node.object = value;
    param.node = add_node(std::move(node));
    return param;
}

frontend::Param Binder::bind_tensor(const ParamSpec &spec, PyObject *value, const Origin &from) {
    find_numpy();
    if (is_ndarray(value) || as_numpy(value) || has_dlpack(value)) return bind_array(spec, value, from);
    PyObject *kind = type_attribute(value, "_qd_kind_");
    const bool is_field = kind && PyUnicode_Check(kind) && std::string_view(PyUnicode_AsUTF8(kind)).ends_with("field");
    Py_XDECREF(kind);
    if (is_field) return bind_constant(spec, value, from);
    raise_invalid_type(from.name, value);
    throw frontend::PythonError{};
}

frontend::Param Binder::bind_constant(const ParamSpec &spec, PyObject *value, const Origin &from) {
    if (PyObject *number = number_in(value)) value = keep(number);
    check_constant(kernel_, spec, value);
    BoundParam bound;
    hold_constant(value, bound);
    frontend::Param param = add(bound, from);
    if (is_dataclass(value) && !is_data_oriented(value) && from.object < int(kernel_->params->size())) {
        const std::string text =
            "Passing the dataclass " + std::string(Py_TYPE(value)->tp_name) +
            " through a qd.Template-annotated kernel parameter is deprecated; annotate the parameter "
            "with the dataclass itself";
        if (PyErr_WarnEx(PyExc_DeprecationWarning, text.c_str(), 1) != 0) throw frontend::PythonError{};
    }
    if (has_members(value) || reaches_members(value)) {
        Node node;
        node.from = from;
        node.object = value;
        node.runtime_number = lifts_numbers(value);
        param.node = add_node(std::move(node));
    }
    return param;
}

frontend::Param Binder::bind_self(const ParamSpec &spec, PyObject *value, const Origin &from) {
    return bind_constant(spec, value, from);
}

frontend::Param Binder::bind_bundle(const ParamSpec &spec, PyObject *value, const Origin &from) {
    if (PyObject_IsInstance(value, spec.cls) != 1) {
        PyErr_Clear();
        raise_unconvertible(size_t(from.argument), from.name, value, repr(spec.cls));
        throw frontend::PythonError{};
    }
    BoundParam bound;
    bound.kind = frontend::ParamKind::bundle;
    bound.value = Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(value)));
    frontend::Param param = add(bound, from);
    param.value = value;
    Node node;
    node.from = from;
    node.object = value;
    node.cls = spec.cls;
    param.node = add_node(std::move(node));
    return param;
}

frontend::Param Binder::constant_param(PyObject *value) {
    frontend::Param param;
    param.kind = frontend::ParamKind::constant;
    param.value = value;
    return param;
}

/// Clears Plan::immutable unless `owner`, from which the plan fetches a member, is a frozen dataclass.
void Binder::clear_immutable_unless_frozen(const Node &owner) {
    PyObject *params = owner.cls ? type_attribute(owner.object, "__dataclass_params__") : nullptr;
    PyObject *frozen = params ? PyObject_GetAttrString(params, "frozen") : nullptr;
    if (frozen != Py_True) plan_.immutable = false;
    PyErr_Clear();
    Py_XDECREF(frozen);
    Py_XDECREF(params);
    const uint16_t at = uint16_t(owner.from.argument);
    if (std::find(plan_.frozen.begin(), plan_.frozen.end(), at) == plan_.frozen.end()) plan_.frozen.push_back(at);
}

void Binder::add_member(int owner, bool item, PyObject *key) {
    Py_INCREF(key);
    if (!item) PyUnicode_InternInPlace(&key);
    plan_.members.push_back({uint16_t(owner), item, key});
}

/// Returns the index of a node among the objects of a launch. Makes every launch fetch and check the objects on the path to it.
int Binder::object_of(int at) {
    if (nodes_[size_t(at)].from.object >= 0) return nodes_[size_t(at)].from.object;
    const Node node = nodes_[size_t(at)];
    const int owner = object_of(node.parent);
    clear_immutable_unless_frozen(nodes_[size_t(node.parent)]);
    add_member(owner, node.item, node.key);
    Origin from = node.from;
    from.object = int(kernel_->params->size() + plan_.members.size()) - 1;
    nodes_[size_t(at)].from.object = from.object;
    if (is_data_oriented(node.object)) {
        BoundParam bound;
        hold_constant(node.object, bound);
        add(bound, from);
    } else if (is_dataclass(node.object)) {
        BoundParam bound;
        bound.kind = frontend::ParamKind::bundle;
        bound.value = Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(node.object)));
        add(bound, from);
    }
    return from.object;
}

/// Makes every launch fetch a member of a node; returns where the member comes from.
Binder::Origin Binder::fetched(int node, PyObject *key, bool item) {
    const int owner = object_of(node);
    clear_immutable_unless_frozen(nodes_[size_t(node)]);
    add_member(owner, item, key);
    const Origin &from = nodes_[size_t(node)].from;
    const std::string word = item ? "[" + repr(key) + "]" : "." + std::string(PyUnicode_AsUTF8(key));
    return {int(kernel_->params->size() + plan_.members.size()) - 1, from.argument, from.name + word};
}

/// Binds the gradient of a tensor that is not an ndarray.
frontend::Param Binder::foreign_gradient(int at, PyObject *key) {
    PyObject *value = keep(bind::gradient_of(nodes_[size_t(at)].object));
    HostArray array;
    Exported memory;
    if (!has_dlpack(value) || !read_dlpack(value, &array, &memory)) {
        if (!PyErr_Occurred()) raise_invalid_type(nodes_[size_t(at)].from.name + ".grad", value);
        throw frontend::PythonError{};
    }
    if (!array.contiguous) {
        raise_mismatch("Non contiguous gradient tensors are not supported, please call tensor.grad.contiguous() before "
                       "passing it into quadrants kernels.");
        throw frontend::PythonError{};
    }
    const Origin from = fetched(at, key, false);
    plan_.members.back().gradient = true;
    return bind_array(ParamSpec(nodes_[size_t(at)].spec), value, from);
}

frontend::Param Binder::member(int at, PyObject *key, bool item) {
    if (nodes_[size_t(at)].foreign) return foreign_gradient(at, key);
    PyObject *object = nodes_[size_t(at)].object;
    PyObject *value = item ? PyObject_GetItem(object, key) : PyObject_GetAttr(object, key);
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        fail_user(UserErrorKind::compilation, std::string("'") + Py_TYPE(object)->tp_name +
                                                  "' object has no attribute '" + PyUnicode_AsUTF8(key) + "'");
    }
    keep(value);
    return nodes_[size_t(at)].cls ? typed_member(at, key, value) : live_member(at, key, item, value);
}

/// Binds a member of an annotated dataclass.
frontend::Param Binder::typed_member(int at, PyObject *key, PyObject *value) {
    PyObject *specs = package_attr("quadrants._language.signature", "member_spec");
    PyObject *tuple = specs ? PyObject_CallFunctionObjArgs(specs, nodes_[size_t(at)].cls, key, nullptr) : nullptr;
    Py_XDECREF(specs);
    keep(tuple);
    if (tuple == Py_None) { // not a dataclass field, but a method or the like
        if (PyMethod_Check(value) || PyCallable_Check(value)) return constant_param(value);
        return bind_constant({}, value, fetched(at, key, false));
    }
    ParamSpec spec;
    if (!read_spec(tuple, &spec)) throw frontend::PythonError{};
    if (spec.form != ParamForm::bundle) return bind(spec, value, fetched(at, key, false));
    if (PyObject_IsInstance(value, spec.cls) != 1) return bind(spec, value, fetched(at, key, false)); // sets the error
    Node node;
    node.from = {-1, nodes_[size_t(at)].from.argument, nodes_[size_t(at)].from.name + "." + PyUnicode_AsUTF8(key)};
    node.object = value;
    node.cls = spec.cls;
    node.parent = at;
    node.key = key;
    frontend::Param param = constant_param(value);
    param.kind = frontend::ParamKind::bundle;
    param.node = add_node(std::move(node));
    return param;
}

/// Binds a member of a template argument according to its kind.
frontend::Param Binder::live_member(int at, PyObject *key, bool item, PyObject *value) {
    const Node &owner = nodes_[size_t(at)];
    if (is_ndarray(owner.object) && value == Py_None) return constant_param(value); // an array without gradient
    ParamSpec spec;
    if (is_buffer_view(owner.object)) { // the offset of the view
        spec.elem = ir::Scalar::i32;
        return bind(spec, value, fetched(at, key, false));
    }
    if (is_passed(value)) {
        spec.form = is_buffer_view(value) ? ParamForm::buffer_view : ParamForm::tensor;
        return bind(spec, value, fetched(at, key, item));
    }
    if (owner.runtime_number && !item && (PyLong_Check(value) || PyFloat_Check(value))) {
        spec.form = ParamForm::scalar;
        spec.elem = PyFloat_Check(value) ? default_float : default_int;
        frontend::Param param = bind(spec, value, fetched(at, key, false));
        plan_.params.back().runtime_number = param.runtime_number = true;
        return param;
    }
    frontend::Param param = constant_param(value);
    const bool inner = has_members(value);
    if (!inner && !reaches_members(value)) return param;
    Node node;
    node.from = {-1, owner.from.argument,
                 owner.from.name + (item ? "[" + repr(key) + "]" : "." + std::string(PyUnicode_AsUTF8(key)))};
    node.object = value;
    node.parent = at;
    node.key = keep(Py_NewRef(key));
    node.item = item;
    node.runtime_number = owner.runtime_number; // the class of the outermost object decides
    param.node = add_node(std::move(node));
    return param;
}

} // namespace qd::bind
