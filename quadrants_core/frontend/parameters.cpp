// Parameters. Those of a plain kernel are declared as they stand; what is found inside of an argument (members of a
// dataclass, arrays and lifted numbers of a data_oriented object, the gradient of an array) becomes a parameter when
// the walk first meets it, so that nothing is passed that the kernel and its funcs do not use.
#include "frontend/parameters.h"

#include "frontend/annotations.h"
#include "frontend/expr.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/record.h"
#include "frontend/scan.h"
#include "frontend/scope.h"
#include "frontend/types.h"

namespace qd::frontend {

void Parameters::declare_parameters() {
    for (const Param &p : w_.request.params) {
        Binding binding;
        binding.name = w_.objects.intern(p.name);
        if (p.value) w_.reads.param(size_t(&p - w_.request.params.data()), p.value);
        binding.value = declare(p);
        binding.argument = true;
        w_.scopes.add(std::move(binding));
    }
    for (size_t i = 0; i < w_.request.params.size(); ++i)
        if (w_.request.params[i].kind == ParamKind::structure && changes_struct(w_.scopes.bindings()[i]))
            w_.scopes.bindings()[i].value =
                w_.places.new_variable(w_.request.source.tree, w_.scopes.bindings()[i].value);
}

/// Whether the kernel stores to members of this argument, or calls methods of it, which may: then it has a copy.
bool Parameters::changes_struct(const Binding &argument) {
    if (w_.frames.front().assigned->count(argument.name)) return true;
    if (argument.value.tag != Tag::record || !argument.value.record->methods) return false;
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
        if (p.lifted) lifted_.insert(v.v.id);
        break;
    case ParamKind::matrix:
        v.tag = Tag::matrix;
        v.elem = p.elem;
        v.n = p.rows;
        v.m = p.cols;
        v.ndim = p.element_dim;
        for (int k = 0; k < p.rows * p.cols; ++k) v.comps.push_back(add_parameter(p.elem));
        break;
    case ParamKind::array:
    case ParamKind::buffer_view:
        v.tag = Tag::array;
        v.v = add_parameter(ir::Type::array(p.elem, p.ndim, p.rows, p.cols));
        v.elem = p.elem;
        v.ndim = p.ndim;
        v.n = p.rows;
        v.m = p.cols;
        v.element_dim = p.element_dim;
        arrays_[v.v.id] = {p.name, p.position, p.clamp, p.layout, p.kind == ParamKind::buffer_view, p.constant};
        break;
    case ParamKind::constant: v = wrap(w_, PyRef::borrow(p.value)); break;
    case ParamKind::structure: v = declare_value(p.value); break;
    case ParamKind::bundle:
        v.tag = Tag::bundle;
        v.object = PyRef::borrow(p.value);
        break;
    }
    if (passes(p.kind) != Passes::nothing) leaves_.push_back(p.leaf);
    v.node = p.node;
    if (v.tag == Tag::array && v.node >= 0) in_order_.push_back(v);
    return v;
}

/// A struct argument or a member of one.
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
    const RecordType *record = w_.records.record_type(tree, type);
    std::vector<Val> members;
    for (const PyRef &member : record->types) members.push_back(declare_value(member.get()));
    return make_record(record, std::move(members));
}

/// Attribute or item `key` of an object with members.
const Val &Parameters::member(const Node *node, const Val &owner, PyObject *key, bool item) {
    const std::pair<int, std::string> at{owner.node, item ? repr(key) : text(key)};
    if (const auto known = members_.find(at); known != members_.end()) return known->second;
    b_.span = w_.span_of(node);
    Param param;
    try {
        param = w_.request.member(owner.node, key, item);
    } catch (const UserError &error) {
        w_.fail(node, error.kind, error.what());
    }
    w_.reads.member(owner.node, key, item, param);
    return members_.emplace(at, declare(param)).first->second;
}

Val Parameters::bundle_attribute(const Node *node, const Val &bundle, PyObject *name) {
    Val v = member(node, bundle, name, false);
    if (!v.is_constant()) return v;
    PyRef self = attribute(v.object.get(), names().__self__);
    const bool bound = self && self.get() == bundle.object.get();
    if (bound || (bundle.tag == Tag::bundle && w_.objects.kind_of(v.object.get()) == Kind::func)) {
        v.extra = std::make_shared<Extra>();
        v.extra->self = bundle;
    }
    return v;
}

/// The gradients or duals of the arrays that have one become parameters, too.
std::vector<ir::Value> Parameters::add_companions(const Node *node, PyObject *name) {
    std::unordered_map<uint32_t, ir::Value> companion;
    for (const Val &array : std::vector<Val>(in_order_)) {
        const ArrayInfo &info = arrays_.at(array.v.id);
        if (info.is_view || info.constant || !ir::is_float(array.elem)) continue;
        if (const Val &its = member(node, array, name, false); its.tag == Tag::array) companion[array.v.id] = its.v;
    }
    std::vector<ir::Value> out;
    for (const ir::Value parameter : fn_.params) out.push_back(companion[parameter.id]);
    return out;
}

ir::Value Parameters::extent(const Val &array, int axis) {
    const auto info = arrays_.find(array.v.id);
    return b_.dim(array.v, info == arrays_.end() ? axis : info->second.level(axis));
}

/// From the order in which the user writes indices to the order of storage.
std::vector<ir::Value> Parameters::storage_indices(const Val &array, std::vector<ir::Value> indices) const {
    const std::vector<int> &layout = arrays_.at(array.v.id).layout;
    if (layout.empty()) return indices;
    std::vector<ir::Value> out;
    for (const int axis : layout) out.push_back(indices[size_t(axis)]);
    return out;
}

} // namespace qd::frontend
