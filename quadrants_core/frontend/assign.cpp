// Assignments. The first one to a name makes a variable of the value's type; later ones convert to it.
#include "frontend/walker.h"

namespace qd::frontend {

Flow Walker::assign(const Node *node) {
    const Node *source = child(node, Field::value);
    if (source->kind == NodeKind::GeneratorExp)
        fail_syntax(source, "Cannot store generators in variables, inside kernels or functions",
                    "use a list comprehension");
    const Items targets = items_of(node, Field::targets);
    handed_on_ = targets.size() == 1 && targets[0]->kind == NodeKind::Name; // another name for it
    Val v = value(source);
    for (size_t i = 0; i + 1 < targets.size(); ++i) assign_to(targets[i], v);
    assign_to(targets.back(), std::move(v));
    return Flow::next;
}

Flow Walker::annotated_assign(const Node *node) {
    const Node *target = child(node, Field::target), *source = child(node, Field::value);
    if (!source) fail_syntax(node, "A declaration needs a value", "write `x: qd.f32 = 0.0`");
    const Val v = value(source);
    if (v.is_static) fail_syntax(node, "Static assign cannot be used on annotated assignment");
    const Val annotation = value(child(node, Field::annotation));
    const Kind kind = annotation.is_constant() ? kind_of(annotation.object.get()) : Kind::foreign;
    if (!annotation.is_constant() ||
        (!is_dtype(annotation.object.get()) && kind != Kind::matrix_type && kind != Kind::struct_type))
        fail_syntax(node, "Invalid type annotation of a variable: " +
                              (annotation.is_constant() ? repr(annotation.object.get()) : type_text(annotation)));
    const std::string name = source_text(target);
    const Val typed_value = convert_to_annotation(node, annotation.object.get(), v, "Variable '" + name + "'");
    if (target->kind != NodeKind::Name) {
        assign_to(target, typed_value);
        return Flow::next;
    }
    if (const Binding *old = find_local(word_of(target, Field::id))) {
        refuse_argument(target, old);
        const std::string was = type_text(old->value), is = type_text(typed_value);
        if (was != is)
            fail_syntax(node,
                        "Static assign cannot have type overloading: '" + name + "' is of type " + was + ", not " + is,
                        "drop the annotation, or use another name");
        if (old->annotated && in_this_scope(old))
            fail_syntax(node, "Recreating variables is not allowed",
                        "assign without an annotation: `" + name + " = ...`");
        assign_name(target, typed_value);
        return Flow::next;
    }
    Binding binding;
    binding.name = word_of(target, Field::id);
    binding.value = new_variable(node, typed_value);
    binding.annotated = true;
    bindings_.push_back(std::move(binding));
    return Flow::next;
}

void Walker::assign_to(const Node *target, Val v) {
    switch (target->kind) {
    case NodeKind::Name: assign_name(target, std::move(v)); return;
    case NodeKind::Tuple: unpack(target, v); return;
    case NodeKind::Subscript:
    case NodeKind::Attribute: {
        if (v.is_static) fail_syntax(target, "Static assign cannot be used on elements in arrays");
        const Val place = eval(target);
        AtNode at(*this, target);
        if (place.tag == Tag::record && is_place(place)) {
            store_record(target, place, v);
            return;
        }
        if (place.is_sequence() && place.element_dim == is_unpacked) {
            store_sequence(target, place, sequence_items(target, load(v)));
            return;
        }
        check_member_target(target, place);
        if (place.tag != Tag::ref)
            fail_type(target, "Cannot assign to non-lvalue: this expression is not a place that can be stored to",
                      target->kind == NodeKind::Attribute ? "attributes of Python objects are constants in a kernel"
                                                          : "");
        if (target->kind == NodeKind::Attribute && place.ref->ndim == 1 && v.tag == Tag::matrix && v.n != place.ref->n)
            if (const std::string name = text(word_of(target, Field::attr));
                is_swizzle(name) && int(name.size()) == place.ref->n)
                fail(target, UserErrorKind::runtime, "value len does not match the swizzle pattern=" + name);
        store(target, *place.ref, v);
        return;
    }
    case NodeKind::List: fail_syntax(target, "Unpacking works with tuples on the left side, not lists");
    default: fail_syntax(target, "Cannot assign to this expression");
    }
}

/// Members of dataclass arguments are read-only, as scalar arguments are.
void Walker::check_member_target(const Node *target, const Val &place) {
    if (target->kind != NodeKind::Attribute || place.tag == Tag::ref) return;
    if (eval(child(target, Field::value)).tag != Tag::bundle) return;
    const std::string name = source_text(target);
    fail_syntax(target, "Kernel argument \"" + name + "\" is immutable in the kernel",
                "copy it first: `x = " + name + "`");
}

void Walker::unpack(const Node *target, const Val &given) {
    const Items elements = items_of(target, Field::elts);
    const Val v = load(given);
    if (v.tag == Tag::scalar || is_number(v) || v.tag == Tag::array || v.tag == Tag::loop)
        fail_syntax(target, "Cannot unpack type: " + type_text(v));
    if (v.tag == Tag::matrix && v.ndim == 2 && v.m > 1)
        fail_syntax(target, "Matrices with more than one columns cannot be unpacked");
    const Val many = sequence_items(target, v);
    if (many.items.size() != elements.size())
        fail_syntax(target, "The number of targets is not equal to value length: " + std::to_string(elements.size()) +
                                " targets, " + std::to_string(many.items.size()) + " values");
    std::vector<Val> items;
    for (const Val &item : many.items) {
        items.push_back(load(item));
        items.back().is_static = v.is_static || item.is_static;
    }
    for (size_t i = 0; i < elements.size(); ++i) assign_to(elements[i], items[i]);
}

void Walker::refuse_argument(const Node *target, const Binding *binding) {
    if (!binding || !binding->argument) return;
    const std::string name = text(binding->name);
    fail_syntax(target, "Kernel argument \"" + name + "\" is immutable in the kernel",
                "copy it first: `new_" + name + " = " + name + "`");
}

void Walker::assign_name(const Node *target, Val given) {
    PyObject *name = word_of(target, Field::id);
    Binding *old = find_local(name);
    refuse_argument(target, old);
    if (given.is_static) {
        if (in_this_scope(old)) fail_syntax(target, "Recreating variables is not allowed", "use another name");
        given.is_static = false;
        bind(name, std::move(given));
        return;
    }
    Val v = load(std::move(given));
    if (old && old->value.tag == Tag::ref) {
        const Val place = old->value;
        store(target, *place.ref, v);
        return;
    }
    if (old && old->value.tag == Tag::record) {
        const Val place = old->value;
        store_record(target, place, v);
        return;
    }
    if (old && old->value.tag == Tag::element && v.tag == Tag::element && old->value.ref &&
        old->value.object.get() == v.object.get()) {
        b_.store(old->value.ref->pointer, v.v);
        return;
    }
    const bool keeps = v.tag == Tag::array || v.tag == Tag::bundle || v.tag == Tag::loop || v.tag == Tag::dict ||
                       v.tag == Tag::element || v.tag == Tag::relation ||
                       (v.is_constant() && kind_of(v.object.get()) != Kind::foreign);
    refuse_array(target, v);
    if (old ? !(old->value.is_sequence() && v.is_sequence()) : !(storable(v) || keeps))
        fail_syntax(target, "Variable '" + text(name) + "' cannot be assigned. Maybe it is not a Quadrants object?",
                    old ? "use another name" : "bind it at compile time: `" + text(name) + " = qd.static(...)`");
    if (old && (frames_.back().dynamic || old->value.items.size() != v.items.size())) {
        store_sequence(target, old->value, v);
        return;
    }
    Val variable = new_variable(target, v);
    if (old)
        find_local(name)->value = std::move(variable);
    else
        bind(name, std::move(variable));
}

void Walker::store_sequence(const Node *target, const Val &place, const Val &v) {
    if (!v.is_sequence() || v.items.size() != place.items.size())
        fail_type(target, "cannot assign '" + type_text(v) + "' of another length to '" + type_text(place) + "'");
    for (size_t i = 0; i < v.items.size(); ++i) {
        if (place.items[i].is_sequence())
            store_sequence(target, place.items[i], v.items[i]);
        else if (place.items[i].tag == Tag::record)
            store_record(target, place.items[i], v.items[i]);
        else if (place.items[i].tag == Tag::ref)
            store(target, *place.items[i].ref, v.items[i]);
        else
            fail_type(target, "Cannot assign to non-lvalue");
    }
}

Flow Walker::augmented_assign(const Node *node) {
    const Node *target = child(node, Field::target);
    const NodeKind op = child(node, Field::op)->kind;
    if (target->kind == NodeKind::Name) {
        refuse_argument(target, find_local(word_of(target, Field::id)));
    }
    updated_ = target;
    const Val place = eval(target);
    const Val amount = value(child(node, Field::value));
    if (place.tag == Tag::triplet) {
        append_triplet(node, op, place, amount);
        return Flow::next;
    }
    if (place.tag == Tag::record) fail_unsupported(node, (std::string(symbol_of(op)) + "=").c_str(), place, amount);
    check_member_target(target, place);
    if (place.tag != Tag::ref)
        fail_type(target, "Cannot assign to non-lvalue: this expression is not a place that can be updated",
                  "assign it to a variable first");
    AtNode at(*this, node);
    update(node, op, place, amount);
    return Flow::next;
}

/// Whether a number, or what a vector or matrix is made of, is real.
bool Walker::has_real(const Node *node, const Val &v) {
    return ir::is_float(scalar_type(node, v.tag == Tag::scalar || is_number(v) ? v : to_matrix(node, v)));
}

void Walker::update(const Node *node, NodeKind op, const Val &place, const Val &amount) {
    std::optional<ir::Op> atomic;
    switch (op) {
    case NodeKind::Add:
    case NodeKind::Sub: atomic = ir::Op::atomic_add; break;
    case NodeKind::BitAnd: atomic = ir::Op::atomic_and; break;
    case NodeKind::BitOr: atomic = ir::Op::atomic_or; break;
    case NodeKind::BitXor: atomic = ir::Op::atomic_xor; break;
    case NodeKind::Mult: // not of an integer by a real: that product is computed, then converted
        if (ir::is_float(place.ref->elem) || !has_real(node, amount)) atomic = ir::Op::atomic_mul;
        break;
    default: break;
    }
    if (atomic) {
        update_atomic(node, *atomic, op == NodeKind::Sub, *place.ref, amount);
        return;
    }
    const Val old = load(place);
    const Val result = binary(node, op, old, amount);
    store(node, *place.ref, result);
}

} // namespace qd::frontend
