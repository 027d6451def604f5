// Parameters. Those of a plain kernel are declared as they are. The contents of an argument (members of a dataclass, arrays and run-time
// numbers of a data_oriented object, the gradient of an array) become parameters when the walk first uses them, so that only what the
// kernel and its funcs use is passed.
#include "frontend/parameters.h"

#include "frontend/annotations.h"
#include "frontend/expr.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/types.h"

namespace qd::frontend {

void Parameters::declare_parameters() {
    for (const Param &p : w_.request.params) {
        Binding binding;
        binding.name = w_.objects.intern(p.name);
        if (p.value) w_.dependencies.param(size_t(&p - w_.request.params.data()), p.value);
        binding.value = declare(p);
        binding.argument = true;
        w_.scopes.add(std::move(binding));
    }
    for (size_t i = 0; i < w_.request.params.size(); ++i)
        if (w_.request.params[i].kind == ParamKind::structure && changes_struct(w_.scopes.bindings()[i]))
            w_.scopes.bindings()[i].value =
                w_.places.new_variable(w_.request.source.tree, w_.scopes.bindings()[i].value);
}

/// True if the kernel stores to members of this argument, or calls methods of it, which may: it then needs a copy.
bool Parameters::changes_struct(const Binding &argument) {
    if (w_.frames.front().assigned->count(argument.name)) return true;
    if (!argument.value.is_structure() || !argument.value.structure().type->methods) return false;
    std::unordered_set<PyObject *> receivers;
    frontend::scan_receivers(items_of(w_.request.source.tree, Field::body), receivers);
    return receivers.count(argument.name) > 0;
}

ir::Value Parameters::add_parameter(ir::Type type) {
    ir::Inst inst;
    inst.op = ir::Op::param;
    inst.type = type;
    const ir::Value v = fn_.make(inst);
    fn_.params.push_back(v);
    return v;
}

Val Parameters::declare(const Param &p) {
    Val v;
    switch (p.kind) {
    case ParamKind::scalar:
        v = scalar(w_, add_parameter(p.elem));
        if (p.runtime_number) runtime_numbers_.insert(v.scalar().v.id);
        break;
    case ParamKind::matrix: {
        val::Matrix matrix{{}, p.rows, p.cols, p.element_dim, p.elem};
        for (int k = 0; k < p.rows * p.cols; ++k) matrix.comps.push_back(add_parameter(p.elem));
        v = std::move(matrix);
        break;
    }
    case ParamKind::array:
    case ParamKind::buffer_view: {
        val::Array array;
        array.parameter = add_parameter(ir::Type::array(p.elem, p.ndim, p.rows, p.cols));
        array.elem = p.elem;
        array.ndim = p.ndim;
        array.n = p.rows;
        array.m = p.cols;
        array.element_dim = p.element_dim;
        array.node = p.node;
        arrays_[array.parameter.id] = {p.name,    p.position, p.clamp, p.layout, p.kind == ParamKind::buffer_view,
                                       p.constant};
        v = array;
        if (p.node >= 0) in_order_.push_back(v);
        break;
    }
    case ParamKind::constant:
        v = wrap(w_, PyRef::borrow(p.value));
        v.constant().node = p.node;
        break;
    case ParamKind::structure: v = declare_value(p.value); break;
    case ParamKind::bundle: v = val::Bundle{PyRef::borrow(p.value), p.node}; break;
    }
    if (passes(p.kind) != Passes::nothing) leaves_.push_back(p.leaf);
    return v;
}

/// Declares a struct argument or a member of one.
Val Parameters::declare_value(PyObject *type) {
    const Node *tree = w_.request.source.tree;
    const Names &n = names();
    if (is_dtype(w_, type)) return scalar(w_, add_parameter(dtype_scalar(w_, tree, type)));
    if (w_.objects.kind_of(type) == Kind::matrix_type) {
        const int rows = int(attribute_int(type, n.n, 1)), cols = int(attribute_int(type, n.m, 1));
        const PyRef dtype = attribute(type, n.dtype);
        std::vector<ir::Value> comps;
        for (int k = 0; k < rows * cols; ++k) comps.push_back(add_parameter(dtype_scalar(w_, tree, dtype.get())));
        return make_matrix(w_, std::move(comps), rows, cols, int(attribute_int(type, n.ndim, 1)));
    }
    const StructLayout *structure = w_.structs.layout_of(tree, type);
    std::vector<Val> members;
    for (const PyRef &member : structure->types) members.push_back(declare_value(member.get()));
    return make_struct(structure, std::move(members));
}

/// Attribute or item `key` of an object with members.
const Val &Parameters::member(const Node *node, const Val &object, PyObject *key, bool item) {
    const int owner = object.node();
    const std::pair<int, std::string> at{owner, item ? repr(key) : text(key)};
    if (const auto known = members_.find(at); known != members_.end()) return known->second;
    b_.span = w_.span_of(node);
    Param param;
    try {
        param = w_.request.member(owner, key, item);
    } catch (const UserError &error) {
        w_.fail(node, error.kind, error.what());
    }
    w_.dependencies.member(owner, key, item, param);
    return members_.emplace(at, declare(param)).first->second;
}

/// True if the attribute is a static method, which gets no `self` when called on an object.
static bool is_static_method(PyObject *object, PyObject *name) {
    PyTypeObject *type = PyType_Check(object) ? reinterpret_cast<PyTypeObject *>(object) : Py_TYPE(object);
    PyObject *found = _PyType_Lookup(type, name);
    return found && PyObject_TypeCheck(found, &PyStaticMethod_Type);
}

Val Parameters::bundle_attribute(const Node *node, const Val &bundle, PyObject *name) {
    Val v = member(node, bundle, name, false);
    if (!v.is_constant()) return v;
    PyRef self = attribute(v.object(), names().__self__);
    const bool bound = self && self.get() == (bundle.is_bundle() ? bundle.bundle().object.get() : bundle.object());
    if (bound || (bundle.is_bundle() && w_.objects.kind_of(v.object()) == Kind::func &&
                  !is_static_method(bundle.bundle().object.get(), name)))
        v.constant().owner = std::make_shared<const Val>(bundle);
    return v;
}

/// Makes the gradients or duals of arrays parameters, too.
std::vector<ir::Value> Parameters::add_companions(const Node *node, PyObject *name) {
    std::unordered_map<uint32_t, ir::Value> companion;
    for (const Val &owner : std::vector<Val>(in_order_)) {
        const val::Array &array = owner.array();
        const ArrayInfo &info = arrays_.at(array.parameter.id);
        if (info.is_view || info.constant || !ir::is_float(array.elem)) continue;
        if (const Val &its = member(node, owner, name, false); its.is_array())
            companion[array.parameter.id] = its.array().parameter;
    }
    std::vector<ir::Value> out;
    for (const ir::Value parameter : fn_.params) out.push_back(companion[parameter.id]);
    return out;
}

ir::Value Parameters::extent(const Val &array, int axis) {
    const ir::Value parameter = array.array().parameter;
    const auto info = arrays_.find(parameter.id);
    return b_.dim(parameter, info == arrays_.end() ? axis : info->second.level(axis));
}

/// Reorders indices from the user's order to that of the storage.
std::vector<ir::Value> Parameters::storage_indices(const Val &array, std::vector<ir::Value> indices) const {
    const std::vector<int> &layout = arrays_.at(array.array().parameter.id).layout;
    if (layout.empty()) return indices;
    std::vector<ir::Value> out;
    for (const int axis : layout) out.push_back(indices[size_t(axis)]);
    return out;
}

} // namespace qd::frontend
