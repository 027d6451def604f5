// Meshes. `for v in mesh.verts` is a range loop over the numbers of the elements; `v.x` is the element of a field with that number; `for c
// in v.cells` is a range loop over the part of the mesh's table that lists the numbers of the elements adjacent to v
// (python/quadrants/_storage/mesh.py).
#include "frontend/mesh.h"

#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/format.h"
#include "frontend/loops.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/scope.h"
#include "frontend/subscript.h"
#include "frontend/types.h"
#include "frontend/views.h"

#include <utility>

namespace qd::frontend {

/// Reads an attribute of an object that the walk has met.
PyRef Meshes::known_attribute(const Node *node, PyObject *object, PyObject *name) {
    PyRef found = PyRef::steal(PyObject_GetAttr(object, name));
    if (!found) w_.python_failed(node);
    w_.dependencies.attribute(object, name, found.get());
    return found;
}

/// Element `at` of a field of numbers.
ir::Value Meshes::number_in(const Node *node, PyObject *field, ir::Value at) {
    return w_.places.load(field_element(w_, w_.places.field_info(node, field), {at})).scalar().v;
}

static Val mesh_element(PyRef elements, ir::Value number) { return val::Element{std::move(elements), number, {}}; }

Val Meshes::element_attribute(const Node *node, const Val &given, PyObject *name) {
    const Val loaded = w_.places.load(given);
    const val::Element &element = loaded.element();
    if (text(name) == "id") return scalar(w_, element.number);
    PyObject *elements = element.elements.get();
    PyRef found = PyRef::steal(PyObject_GetAttr(elements, name));
    if (!found && !PyErr_ExceptionMatches(PyExc_AttributeError)) w_.python_failed(node);
    PyErr_Clear();
    AtNode at(w_, node);
    const Kind kind = found ? w_.objects.kind_of(found.get()) : Kind::foreign;
    if (found) w_.dependencies.attribute(elements, name, found.get());
    if (kind == Kind::field || kind == Kind::matrix_field)
        return field_element(w_, w_.places.field_info(node, found.get()), {element.number});
    if (kind == Kind::struct_field)
        return w_.structs.struct_field_element(node, found.get(), {scalar(w_, element.number)});
    if (kind != Kind::mesh_relation)
        w_.fail(node, UserErrorKind::compilation, "An element of a mesh has no attribute '" + text(name) + "'",
                "place the attribute before the launch: `mesh.verts.place({\"" + text(name) + "\": qd.f32})`");
    return val::Relation{std::move(found), element.number};
}

/// `v.x.grad`: the element of the gradient for an element of a field.
Val Meshes::gradient_element(const Node *node, const Ref &ref) {
    AtNode at(w_, node);
    const PyRef gradient = known_attribute(node, ref.field->object, names().grad);
    return field_ref(w_.places.field_info(node, gradient.get()), ref.indices);
}

/// The range of the table that lists the elements adjacent to an element.
std::pair<ir::Value, ir::Value> Meshes::relation_bounds(const Node *node, const Val &given) {
    const val::Relation &relation = given.relation();
    if (const PyRef width = known_attribute(node, relation.object.get(), names().width); width.get() != Py_None) {
        const ir::Value step = b_.i32(int32_t(PyLong_AsLong(width.get())));
        const ir::Value begin = b_.mul(relation.number, step);
        return {begin, b_.add(begin, step)};
    }
    const PyRef offsets = known_attribute(node, relation.object.get(), names().offsets);
    const ir::Value begin = number_in(node, offsets.get(), relation.number);
    const ir::Value one = b_.i32(1);
    const ir::Value next = b_.add(relation.number, one);
    return {begin, number_in(node, offsets.get(), next)};
}

Val Meshes::relation_size(const Node *node, const Val &relation) {
    const PyRef width = known_attribute(node, relation.relation().object.get(), names().width);
    if (width.get() != Py_None) return scalar(w_, b_.i32(int32_t(PyLong_AsLong(width.get()))));
    const auto [begin, end] = relation_bounds(node, relation);
    return scalar(w_, b_.sub(end, begin));
}

Val Meshes::relation_attribute(const Node *node, const Val &relation, PyObject *name) {
    AtNode at(w_, node);
    if (text(name) == "size") return relation_size(node, relation);
    w_.fail(node, UserErrorKind::compilation, "The neighbours of a mesh element have no attribute '" + text(name) + "'",
            "use their `size`, loop over them, or index them: `v.cells[0].id`");
}

/// The element whose number is entry `at` of the table.
Val Meshes::adjacent(const Node *node, const Val &relation, ir::Value at) {
    PyObject *object = relation.relation().object.get();
    const PyRef values = known_attribute(node, object, names().values);
    const ir::Value number = number_in(node, values.get(), at);
    return mesh_element(known_attribute(node, object, names().target), number);
}

Val Meshes::subscript_relation(const Node *node, const Val &relation, const std::vector<Val> &indices) {
    AtNode place(w_, node);
    if (indices.size() != 1)
        w_.fail(node, UserErrorKind::index,
                "The neighbours of a mesh element take 1 index, got " + std::to_string(indices.size()) + ".");
    const std::optional<long> known = constant_int(indices[0]);
    const PyRef width = known_attribute(node, relation.relation().object.get(), names().width);
    if (known && width.get() != Py_None && *known >= PyLong_AsLong(width.get()))
        w_.fail(node, UserErrorKind::index,
                "Index " + std::to_string(*known) + " is out of range: each element has " +
                    std::to_string(PyLong_AsLong(width.get())) + " neighbours");
    const ir::Value index = index_values(w_, node, indices, false)[0];
    if (checks_bounds(w_)) {
        const ir::Value count = relation_size(node, relation).scalar().v;
        const ir::Value zero = b_.i32(0);
        const ir::Value above = b_.ge(index, zero), below = b_.lt(index, count);
        ir::Message message;
        message.pieces.push_back({"(kernel=" + w_.fn.name + ") Index ", -1});
        message.pieces.push_back({"", 0});
        message.pieces.push_back({" is out of range: the number of elements is ", -1});
        message.pieces.push_back({"", 1});
        const ir::Value values[] = {index, count};
        emit_assert(w_, b_.band(above, below), std::move(message), values);
    }
    const ir::Value begin = relation_bounds(node, relation).first;
    return adjacent(node, relation, b_.add(begin, index));
}

/// Loops over all elements of one kind, or over those adjacent to one element.
Flow Meshes::for_elements(const Node *node, const Val &over) {
    const Node *target = child(node, Field::target);
    if (target->kind == NodeKind::Tuple)
        w_.fail_syntax(target, "Mesh for should have 1 loop target, found " +
                                   std::to_string(items_of(target, Field::elts).size()));
    Nest nest;
    nest.elements = over;
    if (over.is_constant()) {
        nest.lower.push_back(b_.i32(0));
        nest.upper.push_back(b_.i32(int32_t(attribute_int(over.object(), names()._count, 0))));
    } else {
        const auto [begin, end] = relation_bounds(node, over);
        nest.lower.push_back(begin);
        nest.upper.push_back(end);
    }
    const Val outer = mesh_loop_;
    const Flow flow = for_nest(w_, node, std::move(nest));
    mesh_loop_ = outer;
    return flow;
}

/// Binds the element of an iteration.
void Meshes::bind_element(const Node *node, const Val &over, ir::Value index) {
    Val element = over.is_constant() ? mesh_element(over.constant().object, index) : adjacent(node, over, index);
    if (over.is_constant()) mesh_loop_ = element;
    PyObject *name = word_of(child(node, Field::target), Field::id);
    const bool assigned = w_.frames.back().assigned && w_.frames.back().assigned->count(name);
    w_.scopes.bind(name, assigned ? w_.places.new_variable(node, element) : std::move(element));
}

/// The patch that owns the element of the enclosing mesh-for.
Val handlers::mesh_patch_idx(Walk &w, const Call &call) {
    if (!w.meshes.loop_element().is_element())
        w.fail_syntax(call.node, "qd.mesh_patch_idx() is only valid within mesh-for loops.",
                      "write it in the body of `for v in mesh.verts`");
    const PyRef patches =
        w.meshes.known_attribute(call.node, w.meshes.loop_element().element().elements.get(), names()._patches);
    if (patches.get() == Py_None) return scalar(w, w.b.i32(0));
    return scalar(w, w.meshes.number_in(call.node, patches.get(), w.meshes.loop_element().element().number));
}

} // namespace qd::frontend
