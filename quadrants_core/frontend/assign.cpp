// Assignments. The first assignment to a name makes a variable of the value's type; later ones convert to that type.
#include "frontend/assign.h"

#include "frontend/annotations.h"
#include "frontend/arithmetic.h"
#include "frontend/atomics.h"
#include "frontend/expr.h"
#include "frontend/format.h"
#include "frontend/instance.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/operators.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"
#include "frontend/scope.h"
#include "frontend/subscript.h"
#include "frontend/triplets.h"
#include "frontend/types.h"

namespace qd::frontend {

static void check_member_target(Walk &w, const Node *target, const Val &place);
static void unpack(Walk &w, const Node *target, const Val &value);
static void refuse_argument(Walk &w, const Node *target, const Binding *binding);
static void assign_name(Walk &w, const Node *target, Val value);
static void update(Walk &w, const Node *node, NodeKind op, const Val &place, const Val &value);

Flow assign(Walk &w, const Node *node) {
    const Node *source = child(node, Field::value);
    if (source->kind == NodeKind::GeneratorExp)
        w.fail_syntax(source, "Cannot store generators in variables, inside kernels or functions",
                      "use a list comprehension");
    const Items targets = items_of(node, Field::targets);
    const bool renames = targets.size() == 1 && targets[0]->kind == NodeKind::Name;
    Val v = value(w, source, renames ? Use::forwarded : Use::value);
    for (size_t i = 0; i + 1 < targets.size(); ++i) assign_to(w, targets[i], v);
    assign_to(w, targets.back(), std::move(v));
    return Flow::next;
}

Flow annotated_assign(Walk &w, const Node *node) {
    const Node *target = child(node, Field::target), *source = child(node, Field::value);
    if (!source) w.fail_syntax(node, "A declaration needs a value", "write `x: qd.f32 = 0.0`");
    const Val v = value(w, source);
    if (v.is_static) w.fail_syntax(node, "Static assign cannot be used on annotated assignment");
    const Val annotation = value(w, child(node, Field::annotation));
    const Kind kind = annotation.is_constant() ? w.objects.kind_of(annotation.object()) : Kind::foreign;
    if (!annotation.is_constant() ||
        (!is_dtype(w, annotation.object()) && kind != Kind::matrix_type && kind != Kind::struct_type))
        w.fail_syntax(node, "Invalid type annotation of a variable: " +
                                (annotation.is_constant() ? repr(annotation.object()) : type_text(w, annotation)));
    const std::string name = source_text(w, target);
    const Val typed_value = convert_to_annotation(w, node, annotation.object(), v, "Variable '" + name + "'");
    if (target->kind != NodeKind::Name) {
        assign_to(w, target, typed_value);
        return Flow::next;
    }
    if (const Binding *old = w.scopes.find_local(word_of(target, Field::id))) {
        refuse_argument(w, target, old);
        const std::string was = type_text(w, old->value), is = type_text(w, typed_value);
        if (was != is)
            w.fail_syntax(
                node, "Static assign cannot have type overloading: '" + name + "' is of type " + was + ", not " + is,
                "drop the annotation, or use another name");
        if (old->annotated && w.scopes.in_this_scope(old))
            w.fail_syntax(node, "Recreating variables is not allowed",
                          "assign without an annotation: `" + name + " = ...`");
        assign_name(w, target, typed_value);
        return Flow::next;
    }
    Binding binding;
    binding.name = word_of(target, Field::id);
    binding.value = w.places.new_variable(node, typed_value);
    binding.annotated = true;
    w.scopes.add(std::move(binding));
    return Flow::next;
}

static const char *why_no_place(Walk &w, const Node *target) {
    if (target->kind == NodeKind::Attribute) return "attributes of Python objects are constants in a kernel";
    const Val base = eval(w, child(target, Field::value));
    return base.is_constant() && type_name(base.object()) == "ndarray"
               ? "a NumPy array that is global or passed as `qd.template()` is a constant: pass it to a parameter "
                 "annotated with `qd.types.ndarray()`"
               : "";
}

void assign_to(Walk &w, const Node *target, Val v) {
    using Kind = TargetKind;
    switch (Kind(target->kind)) {
    case Kind::Name: assign_name(w, target, std::move(v)); return;
    case Kind::Tuple: unpack(w, target, v); return;
    case Kind::Subscript:
    case Kind::Attribute: {
        if (assign_in_instance(w, target, v)) return;
        if (v.is_static) w.fail_syntax(target, "Static assign cannot be used on elements in arrays");
        const Val place = eval(w, target);
        AtNode at(w, target);
        const bool is_part = target->kind == NodeKind::Subscript && contains_slice(child(target, Field::slice));
        if (is_part && place.is_structure() && class_method(w, target, place, "assign", {v})) return;
        if (place.is_structure() && is_place(place)) {
            w.structs.store_struct(target, place, v);
            return;
        }
        if (place.is(Flavour::unpacked)) {
            store_sequence(w, target, place, sequence_items(w, target, w.places.load(v)));
            return;
        }
        check_member_target(w, target, place);
        if (!place.is_ref())
            w.fail_type(target, "Cannot assign to non-lvalue: this expression is not a place that can be stored to",
                        why_no_place(w, target));
        if (target->kind == NodeKind::Attribute && place.ref()->ndim == 1 && v.is_matrix() &&
            v.matrix().n != place.ref()->n)
            if (const std::string name = text(word_of(target, Field::attr));
                is_swizzle(name) && int(name.size()) == place.ref()->n)
                w.fail(target, UserErrorKind::runtime, "value len does not match the swizzle pattern=" + name);
        w.places.store(target, *place.ref(), v);
        return;
    }
    case Kind::List: w.fail_syntax(target, "Unpacking works with tuples on the left side, not lists");
    case Kind::Starred: break;
    }
    w.fail_syntax(target, "Cannot assign to this expression");
}

/// Members of dataclass arguments are read-only, like scalar arguments.
static void check_member_target(Walk &w, const Node *target, const Val &place) {
    if (target->kind != NodeKind::Attribute || place.is_ref()) return;
    if (!eval(w, child(target, Field::value)).is_bundle()) return;
    const std::string name = source_text(w, target);
    w.fail_syntax(target, "Kernel argument \"" + name + "\" is immutable in the kernel",
                  "copy it first: `x = " + name + "`");
}

static void unpack(Walk &w, const Node *target, const Val &given) {
    const Items elements = items_of(target, Field::elts);
    const Val v = w.places.load(given);
    if (v.is_scalar() || is_number(v) || v.is_array() || v.is_loop())
        w.fail_syntax(target, "Cannot unpack type: " + type_text(w, v));
    if (v.is_matrix() && v.matrix().ndim == 2 && v.matrix().m > 1)
        w.fail_syntax(target, "Matrices with more than one columns cannot be unpacked");
    const Val many = sequence_items(w, target, v);
    const std::vector<Val> &parts = many.sequence().items;
    if (parts.size() != elements.size())
        w.fail_syntax(target, "The number of targets is not equal to value length: " + std::to_string(elements.size()) +
                                  " targets, " + std::to_string(parts.size()) + " values");
    std::vector<Val> items;
    for (const Val &item : parts) {
        items.push_back(w.places.load(item));
        items.back().is_static = v.is_static || item.is_static;
    }
    for (size_t i = 0; i < elements.size(); ++i) assign_to(w, elements[i], items[i]);
}

static void refuse_argument(Walk &w, const Node *target, const Binding *binding) {
    if (!binding || !binding->argument) return;
    const std::string name = text(binding->name);
    w.fail_syntax(target, "Kernel argument \"" + name + "\" is immutable in the kernel",
                  "copy it first: `new_" + name + " = " + name + "`");
}

/// True for values that a name can denote without being a variable.
static bool is_kept(Walk &w, const Val &v) {
    switch (v.tag()) {
    case Tag::array:
    case Tag::bundle:
    case Tag::loop:
    case Tag::dict:
    case Tag::element:
    case Tag::shared:
    case Tag::relation: return true;
    case Tag::constant: return w.objects.kind_of(v.object()) != Kind::foreign;
    case Tag::none:
    case Tag::scalar:
    case Tag::matrix:
    case Tag::sequence:
    case Tag::structure:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::triplet: break;
    }
    return false;
}

static void assign_name(Walk &w, const Node *target, Val given) {
    PyObject *name = word_of(target, Field::id);
    Binding *old = w.scopes.find_local(name);
    refuse_argument(w, target, old);
    if (given.is_static) {
        if (w.scopes.in_this_scope(old))
            w.fail_syntax(target, "Recreating variables is not allowed", "use another name");
        given.is_static = false;
        w.scopes.bind(name, std::move(given));
        return;
    }
    Val v = w.places.load(std::move(given));
    if (old && old->value.is_ref()) {
        const Val place = old->value;
        w.places.store(target, *place.ref(), v);
        return;
    }
    if (old && old->value.is_structure()) {
        const Val place = old->value;
        w.structs.store_struct(target, place, v);
        return;
    }
    if (old && old->value.is_element() && v.is_element()) {
        const val::Element &was = old->value.element(), &is = v.element();
        if (was.variable && was.elements.get() == is.elements.get()) {
            w.b.store(was.variable->pointer, is.number);
            return;
        }
    }
    refuse_array(w, target, v);
    if (old ? !(old->value.is_sequence() && v.is_sequence()) : !(w.places.storable(v) || is_kept(w, v)))
        w.fail_syntax(target, "Variable '" + text(name) + "' cannot be assigned. Maybe it is not a Quadrants object?",
                      old ? "use another name" : "bind it at compile time: `" + text(name) + " = qd.static(...)`");
    if (old && (w.frames.back().dynamic || old->value.parts().size() != v.parts().size())) {
        store_sequence(w, target, old->value, v);
        return;
    }
    Val variable = w.places.new_variable(target, v);
    if (old)
        w.scopes.find_local(name)->value = std::move(variable);
    else
        w.scopes.bind(name, std::move(variable));
}

void store_sequence(Walk &w, const Node *target, const Val &place, const Val &v) {
    const std::vector<Val> &places = place.sequence().items;
    if (!v.is_sequence() || v.sequence().items.size() != places.size())
        w.fail_type(target,
                    "cannot assign '" + type_text(w, v) + "' of another length to '" + type_text(w, place) + "'");
    const std::vector<Val> &items = v.sequence().items;
    for (size_t i = 0; i < items.size(); ++i) {
        if (places[i].is_sequence())
            store_sequence(w, target, places[i], items[i]);
        else if (places[i].is_structure())
            w.structs.store_struct(target, places[i], items[i]);
        else if (places[i].is_ref())
            w.places.store(target, *places[i].ref(), items[i]);
        else
            w.fail_type(target, "Cannot assign to non-lvalue");
    }
}

/// True if the target lies in an instance that a kernel made, and evaluating it twice has no effects.
static bool is_in_instance(Walk &w, const Node *target) {
    while (target->kind == NodeKind::Attribute || target->kind == NodeKind::Subscript) {
        const Node *key = target->kind == NodeKind::Subscript ? child(target, Field::slice) : nullptr;
        if (key && key->kind != NodeKind::Name && key->kind != NodeKind::Constant) return false;
        target = child(target, Field::value);
    }
    const Binding *bound = target->kind == NodeKind::Name ? w.scopes.find_local(word_of(target, Field::id)) : nullptr;
    return bound && bound->value.is_structure() && bound->value.structure().type->cls;
}

Flow augmented_assign(Walk &w, const Node *node) {
    const Node *target = child(node, Field::target);
    const NodeKind op = child(node, Field::op)->kind;
    if (target->kind == NodeKind::Name) {
        refuse_argument(w, target, w.scopes.find_local(word_of(target, Field::id)));
    }
    const Val place = eval(w, target, Use::updated);
    const Val amount = value(w, child(node, Field::value));
    if (place.is_triplet()) {
        append_triplet(w, node, op, place, amount);
        return Flow::next;
    }
    if (place.is_structure()) {
        std::optional<Val> made = class_method(w, node, place, "i" + method_name(op), {amount});
        if (!made) made = class_binary(w, node, op, w.places.load(place), amount);
        if (made) {
            AtNode at(w, node);
            assign_to(w, target, std::move(*made));
            return Flow::next;
        }
    }
    if (place.is_structure()) fail_unsupported(w, node, (std::string(symbol_of(op)) + "=").c_str(), place, amount);
    check_member_target(w, target, place);
    // A property or an item of an instance is read by one method and stored by another.
    if (!place.is_ref() && is_in_instance(w, target) &&
        assign_in_instance(w, target, binary(w, node, op, place, amount)))
        return Flow::next;
    if (!place.is_ref())
        w.fail_type(target, "Cannot assign to non-lvalue: this expression is not a place that can be updated",
                    "assign it to a variable first");
    AtNode at(w, node);
    update(w, node, op, place, amount);
    return Flow::next;
}

/// True if a number, or the element type of a vector or matrix, is real.
static bool has_real(Walk &w, const Node *node, const Val &v) {
    return ir::is_float(scalar_type(w, node, v.is_scalar() || is_number(v) ? v : to_matrix(w, node, v)));
}

static void update(Walk &w, const Node *node, NodeKind op, const Val &place, const Val &amount) {
    const Operator &row = operator_of(op);
    // The product of an integer and a real is computed, then converted.
    const bool converts = op == NodeKind::Mult && !ir::is_float(place.ref()->elem) && has_real(w, node, amount);
    if (row.atomic && !converts) {
        update_atomic(w, node, *row.atomic, row.negates, *place.ref(), amount);
        return;
    }
    const Val old = w.places.load(place);
    const Val result = binary(w, node, op, old, amount);
    w.places.store(node, *place.ref(), result);
}

} // namespace qd::frontend
