#include "syntax/tree.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace qd::syntax {

Tree::~Tree() {
    for (PyObject *object : kept_) Py_DECREF(object);
}

void *Tree::allocate(size_t bytes) {
    if (bytes > left_) {
        left_ = std::max(bytes, block_bytes);
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(left_));
        next_ = blocks_.back().get();
    }
    left_ -= bytes;
    return std::exchange(next_, next_ + bytes);
}

Node *Tree::make(NodeKind kind, const Extent &at) {
    const size_t count = fields_of(kind).size();
    Node *node = new (allocate(sizeof(Node) + count * sizeof(Slot))) Node{at, kind};
    std::uninitialized_fill_n(node->slots(), count, Slot());
    return node;
}

Node *Tree::make(NodeKind kind, const Extent &at, std::initializer_list<Slot> slots) {
    QD_CHECK(slots.size() == fields_of(kind).size(), kind_name(kind));
    Node *node = new (allocate(sizeof(Node) + slots.size() * sizeof(Slot))) Node{at, kind};
    std::uninitialized_copy(slots.begin(), slots.end(), node->slots());
    return node;
}

const List *Tree::list(std::span<const Node *const> nodes) {
    List *made = new (allocate(sizeof(List) + nodes.size_bytes())) List{nodes.size()};
    std::uninitialized_copy(nodes.begin(), nodes.end(), reinterpret_cast<const Node **>(made + 1));
    return made;
}

PyObject *Tree::keep(PyObject *owned) {
    if (owned) kept_.push_back(owned);
    return owned;
}

PyObject *Tree::word(std::string_view name) {
    PyObject *made = PyUnicode_FromStringAndSize(name.data(), Py_ssize_t(name.size()));
    if (!made) fail_internal("a name is not UTF-8");
    PyUnicode_InternInPlace(&made);
    return keep(made);
}

void Tree::name_privates(std::string_view class_name) {
    class_name.remove_prefix(std::min(class_name.find_first_not_of('_'), class_name.size()));
    if (class_name.empty()) return;
    const std::string prefix = "_" + std::string(class_name);
    each_node(root, [&](const Node *node) {
        if (node == root) return; // the function's own name stays as it is
        Slot *slot = const_cast<Node *>(node)->slots();
        for (const FieldRow &row : fields_of(node->kind)) {
            if (row.holds == FieldType::word && slot->object) name_private(*slot, prefix);
            ++slot;
        }
    });
}

void Tree::name_private(Slot &slot, const std::string &prefix) {
    const char *utf8 = PyUnicode_AsUTF8(slot.object);
    if (!utf8) fail_internal("a name is not UTF-8");
    const std::string_view name = utf8;
    if (name.starts_with("__") && !name.ends_with("__")) slot = word(prefix + std::string(name));
}

const Node *operator_node(NodeKind kind) {
    static const auto nodes = [] {
        std::array<Node, kind_count> all{};
        for (size_t i = 0; i < kind_count; ++i) all[i].kind = NodeKind(i);
        return all;
    }();
    return &nodes[size_t(kind)];
}

namespace {

std::string repr(PyObject *object) {
    PyObject *made = PyObject_Repr(object);
    const char *words = made ? PyUnicode_AsUTF8(made) : nullptr;
    if (!words) PyErr_Clear();
    std::string out = words ? words : "?";
    Py_XDECREF(made);
    return out;
}

std::string place(const Extent &at) {
    return "@" + std::to_string(at.line) + ":" + std::to_string(at.column) + "-" + std::to_string(at.end_line) + ":" +
           std::to_string(at.end_column);
}

std::string dump_slot(FieldType holds, const Slot &slot, bool places) {
    switch (holds) {
    case FieldType::nothing: break;
    case FieldType::child: return slot.child ? dump(slot.child, places) : "";
    case FieldType::list: {
        std::string out;
        if (slot.list)
            for (const Node *item : slot.list->items())
                out += (out.empty() ? "" : ", ") + (item ? dump(item, places) : "None");
        return "[" + out + "]";
    }
    case FieldType::word:
    case FieldType::object: return slot.object ? repr(slot.object) : "";
    case FieldType::number: return std::to_string(slot.number);
    }
    return "";
}

std::string difference_of_lists(const List *a, const List *b) {
    const Items x = a ? a->items() : Items{}, y = b ? b->items() : Items{};
    if (x.size() != y.size()) return ": " + std::to_string(x.size()) + " or " + std::to_string(y.size()) + " items";
    for (size_t i = 0; i < x.size(); ++i) {
        if (!x[i] && !y[i]) continue;
        const std::string found = x[i] && y[i] ? difference(x[i], y[i]) : "one is none";
        if (!found.empty()) return "[" + std::to_string(i) + "] " + found;
    }
    return "";
}

std::string difference_of_slots(FieldType holds, const Slot &a, const Slot &b) {
    switch (holds) {
    case FieldType::nothing: break;
    case FieldType::child: {
        if (!a.child && !b.child) break;
        const std::string found = a.child && b.child ? difference(a.child, b.child) : "one is none";
        return found.empty() ? "" : " " + found;
    }
    case FieldType::list: return difference_of_lists(a.list, b.list);
    case FieldType::word:
        if (a.object == b.object) break; // interned
        return ": one is another word";
    case FieldType::object: {
        if (Py_TYPE(a.object) == Py_TYPE(b.object) && repr(a.object) == repr(b.object)) break;
        return ": " + repr(a.object) + " or " + repr(b.object);
    }
    case FieldType::number:
        if (a.number == b.number) break;
        return ": " + std::to_string(a.number) + " or " + std::to_string(b.number);
    }
    return "";
}

} // namespace

std::string dump(const Node *node, bool places) {
    std::string inside;
    const Slot *slot = node->slots();
    for (const FieldRow &row : fields_of(node->kind)) {
        const std::string words = dump_slot(row.holds, *slot++, places);
        if (words.empty()) continue;
        inside += (inside.empty() ? "" : ", ") + std::string(field_name(row.field)) + "=" + words;
    }
    return kind_name(node->kind) + ("(" + inside + ")") + (places && node->at.line ? place(node->at) : "");
}

std::string difference(const Node *a, const Node *b) {
    if (a->kind != b->kind) return std::string(kind_name(a->kind)) + " or " + kind_name(b->kind) + place(b->at);
    if (a->at != b->at) return kind_name(a->kind) + (" " + place(a->at) + " or ") + place(b->at);
    const Slot *x = a->slots(), *y = b->slots();
    for (const FieldRow &row : fields_of(a->kind)) {
        const std::string found = difference_of_slots(row.holds, *x++, *y++);
        if (!found.empty()) return std::string(kind_name(a->kind)) + "." + field_name(row.field) + found;
    }
    return "";
}

} // namespace qd::syntax
