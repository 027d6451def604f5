// Meshes. `for v in mesh.verts` is a range loop over the numbers of the elements; `v.x` is the element of a field with
// that number; `for c in v.cells` is a range loop over a stretch of the numbers that the mesh keeps of what touches v
// (python/quadrants/_mesh.py).
#include "frontend/walker.h"

#include <utility>

namespace qd::frontend {

/// An attribute of an object that the walk has been given.
PyRef Walker::known_attribute(const Node *node, PyObject *object, PyObject *name) {
    PyRef found = PyRef::steal(PyObject_GetAttr(object, name));
    if (!found) python_failed(node);
    reads_.attribute(object, name, found.get());
    return found;
}

/// Number `at` of a field of numbers.
ir::Value Walker::number_in(const Node *node, PyObject *field, ir::Value at) {
    return load(field_element(field_info(node, field), {at})).v;
}

Val Walker::mesh_element(PyRef elements, ir::Value number) const {
    Val out;
    out.tag = Tag::element;
    out.object = std::move(elements);
    out.elem = ir::Scalar::i32;
    out.v = number;
    return out;
}

Val Walker::element_attribute(const Node *node, const Val &given, PyObject *name) {
    const Val element = load(given);
    if (text(name) == "id") return scalar(element.v);
    PyObject *elements = element.object.get();
    PyRef found = PyRef::steal(PyObject_GetAttr(elements, name));
    if (!found && !PyErr_ExceptionMatches(PyExc_AttributeError)) python_failed(node);
    PyErr_Clear();
    AtNode at(*this, node);
    const Kind kind = found ? kind_of(found.get()) : Kind::foreign;
    if (found) reads_.attribute(elements, name, found.get());
    if (kind == Kind::field || kind == Kind::matrix_field)
        return field_element(field_info(node, found.get()), {element.v});
    if (kind == Kind::struct_field) return struct_field_element(node, found.get(), {scalar(element.v)});
    if (kind != Kind::mesh_relation)
        fail(node, UserErrorKind::compilation, "An element of a mesh has no attribute '" + text(name) + "'",
             "attributes are placed before: `mesh.verts.place({\"" + text(name) + "\": qd.f32})`");
    Val out;
    out.tag = Tag::relation;
    out.object = std::move(found);
    out.v = element.v;
    return out;
}

/// `v.x.grad`: the element of the gradient beside an element of a field.
Val Walker::gradient_element(const Node *node, const Ref &ref) {
    AtNode at(*this, node);
    const PyRef gradient = known_attribute(node, ref.field->object, names().grad);
    return field_ref(field_info(node, gradient.get()), ref.indices);
}

/// Where the numbers of what touches an element begin and end.
std::pair<ir::Value, ir::Value> Walker::relation_bounds(const Node *node, const Val &relation) {
    if (const PyRef width = known_attribute(node, relation.object.get(), names().width); width.get() != Py_None) {
        const ir::Value step = b_.i32(int32_t(PyLong_AsLong(width.get())));
        const ir::Value begin = b_.mul(relation.v, step);
        return {begin, b_.add(begin, step)};
    }
    const PyRef offsets = known_attribute(node, relation.object.get(), names().offsets);
    const ir::Value begin = number_in(node, offsets.get(), relation.v);
    const ir::Value one = b_.i32(1);
    const ir::Value next = b_.add(relation.v, one);
    return {begin, number_in(node, offsets.get(), next)};
}

Val Walker::relation_size(const Node *node, const Val &relation) {
    const PyRef width = known_attribute(node, relation.object.get(), names().width);
    if (width.get() != Py_None) return scalar(b_.i32(int32_t(PyLong_AsLong(width.get()))));
    const auto [begin, end] = relation_bounds(node, relation);
    return scalar(b_.sub(end, begin));
}

Val Walker::relation_attribute(const Node *node, const Val &relation, PyObject *name) {
    AtNode at(*this, node);
    if (text(name) == "size") return relation_size(node, relation);
    fail(node, UserErrorKind::compilation, "What touches an element of a mesh has no attribute '" + text(name) + "'",
         "it has `size`, is looped over, or indexed: `v.cells[0].id`");
}

/// The element whose number stands at `at`.
Val Walker::touching(const Node *node, const Val &relation, ir::Value at) {
    PyObject *object = relation.object.get();
    const PyRef values = known_attribute(node, object, names().values);
    const ir::Value number = number_in(node, values.get(), at);
    return mesh_element(known_attribute(node, object, names().target), number);
}

Val Walker::subscript_relation(const Node *node, const Val &relation, const std::vector<Val> &indices) {
    AtNode place(*this, node);
    if (indices.size() != 1)
        fail(node, UserErrorKind::index,
             "What touches an element of a mesh has 1 index, got " + std::to_string(indices.size()) + ".");
    const std::optional<long> known = constant_int(indices[0]);
    const PyRef width = known_attribute(node, relation.object.get(), names().width);
    if (known && width.get() != Py_None && *known >= PyLong_AsLong(width.get()))
        fail(node, UserErrorKind::index,
             "Index " + std::to_string(*known) + " is out of range: " + std::to_string(PyLong_AsLong(width.get())) +
                 " elements touch each");
    const ir::Value index = index_values(node, indices, false)[0];
    if (checks_bounds()) {
        const ir::Value count = relation_size(node, relation).v;
        const ir::Value zero = b_.i32(0);
        const ir::Value above = b_.ge(index, zero), below = b_.lt(index, count);
        ir::Message message;
        message.pieces.push_back({"(kernel=" + request_.source.name + ") Index ", -1});
        message.pieces.push_back({"", 0});
        message.pieces.push_back({" is out of range: the number of elements is ", -1});
        message.pieces.push_back({"", 1});
        const ir::Value values[] = {index, count};
        emit_assert(b_.band(above, below), std::move(message), values);
    }
    const ir::Value begin = relation_bounds(node, relation).first;
    return touching(node, relation, b_.add(begin, index));
}

/// Over all elements of one kind, or what touches one.
Flow Walker::for_elements(const Node *node, const Val &over) {
    const Node *target = child(node, Field::target);
    if (target->kind == NodeKind::Tuple)
        fail_syntax(target, "Mesh for should have 1 loop target, found " +
                                std::to_string(items_of(target, Field::elts).size()));
    Nest nest;
    nest.elements = over;
    if (over.is_constant()) {
        nest.lower.push_back(b_.i32(0));
        nest.upper.push_back(b_.i32(int32_t(attribute_int(over.object.get(), names()._count, 0))));
    } else {
        const auto [begin, end] = relation_bounds(node, over);
        nest.lower.push_back(begin);
        nest.upper.push_back(end);
    }
    const Val outer = mesh_loop_;
    const Flow flow = for_nest(node, std::move(nest));
    mesh_loop_ = outer;
    return flow;
}

/// The element that an iteration is for.
void Walker::bind_element(const Node *node, const Val &over, ir::Value index) {
    Val element = over.is_constant() ? mesh_element(over.object, index) : touching(node, over, index);
    if (over.is_constant()) mesh_loop_ = element;
    PyObject *name = word_of(child(node, Field::target), Field::id);
    const bool assigned = frames_.back().assigned && frames_.back().assigned->count(name);
    bind(name, assigned ? new_variable(node, element) : std::move(element));
}

/// The patch that owns the element of the mesh-for around.
Val Walker::mesh_patch_idx(const Call &call) {
    if (mesh_loop_.tag != Tag::element)
        fail_syntax(call.node, "qd.mesh_patch_idx() is only valid within mesh-for loops.",
                    "write it in the body of `for v in mesh.verts`");
    const PyRef patches = known_attribute(call.node, mesh_loop_.object.get(), names()._patches);
    if (patches.get() == Py_None) return scalar(b_.i32(0));
    return scalar(number_in(call.node, patches.get(), mesh_loop_.v));
}

} // namespace qd::frontend
