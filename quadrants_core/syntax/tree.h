#pragma once
// The syntax tree of one function: Python's own nodes and fields (nodes.def) as plain structs in an arena. Nodes are immutable once made. A
// name is an interned str, a constant any Python object; the tree holds a reference to both. Trees are made and freed under the GIL.
#include "base/stack.h"

#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qd::syntax {

enum class NodeKind : uint8_t {
#define NODE(name, fields) name,
#include "syntax/nodes.def"
};

// The kinds of each family, for switches that cover the whole family. A node outside the family has none of these values.
enum class StatementKind : uint8_t {
#define NODE(name, fields)
#define STATEMENT(name, fields) name = uint8_t(NodeKind::name),
#include "syntax/nodes.def"
};
enum class ExpressionKind : uint8_t {
#define NODE(name, fields)
#define EXPRESSION(name, fields) name = uint8_t(NodeKind::name),
#include "syntax/nodes.def"
};
enum class TargetKind : uint8_t {
#define NODE(name, fields)
#define TARGET(name, fields) name = uint8_t(NodeKind::name),
#include "syntax/nodes.def"
};

enum class Field : uint8_t {
#define FIELD(name) name,
#include "syntax/nodes.def"
};

/// The type of a field; `nothing` pads the table.
enum class FieldType : uint8_t { nothing, child, list, word, object, number };

struct FieldRow {
    Field field{};
    FieldType holds = FieldType::nothing;
};

struct KindRow {
    const char *name;
    std::array<FieldRow, 7> fields; ///< in the order of their slots
};

inline constexpr KindRow kind_rows[] = {
#define CHILD(name) FieldRow{Field::name, FieldType::child},
#define LIST(name) FieldRow{Field::name, FieldType::list},
#define WORD(name) FieldRow{Field::name, FieldType::word},
#define OBJECT(name) FieldRow{Field::name, FieldType::object},
#define NUMBER(name) FieldRow{Field::name, FieldType::number},
#define NODE(name, fields) KindRow{#name, {fields}},
#include "syntax/nodes.def"
#undef CHILD
#undef LIST
#undef WORD
#undef OBJECT
#undef NUMBER
};

inline constexpr const char *field_names[] = {
#define FIELD(name) #name,
#include "syntax/nodes.def"
};

inline constexpr size_t kind_count = std::size(kind_rows), field_count = std::size(field_names);

constexpr const char *kind_name(NodeKind kind) { return kind_rows[size_t(kind)].name; }
constexpr const char *field_name(Field field) { return field_names[size_t(field)]; }
constexpr bool is_operator(NodeKind kind) { return kind >= NodeKind::And; }
constexpr bool is_statement(NodeKind kind) { return kind < NodeKind::BoolOp; }

inline constexpr auto slot_counts = [] {
    std::array<uint8_t, kind_count> counts{};
    for (size_t kind = 0; kind < kind_count; ++kind)
        for (const FieldRow &row : kind_rows[kind].fields) counts[kind] += row.holds != FieldType::nothing;
    return counts;
}();

/// The fields of a kind.
constexpr std::span<const FieldRow> fields_of(NodeKind kind) {
    return {kind_rows[size_t(kind)].fields.data(), slot_counts[size_t(kind)]};
}

struct Node;
struct List;

union Slot {
    int64_t number = 0;
    const Node *child;
    const List *list;
    PyObject *object;

    Slot() = default;
    Slot(std::nullptr_t) {}
    Slot(const Node *n) : child(n) {}
    Slot(const List *l) : list(l) {}
    Slot(PyObject *o) : object(o) {}
    Slot(int n) : number(n) {}
};

/// The source range of a node: lines from 1, columns from 0 in bytes of UTF-8, the end exclusive.
struct Extent {
    int line = 0, column = 0, end_line = 0, end_column = 0;
    bool operator==(const Extent &) const = default;
};

/// A node; its slots follow it in memory.
struct alignas(Slot) Node {
    Extent at;
    NodeKind kind{};

    const Slot *slots() const { return reinterpret_cast<const Slot *>(this + 1); }
    Slot *slots() { return reinterpret_cast<Slot *>(this + 1); }
};

/// The nodes of a list. Some may be null: the keys of `{**a}`, the defaults of keyword-only parameters.
struct Items {
    const Node *const *first = nullptr;
    size_t count = 0;

    size_t size() const { return count; }
    bool empty() const { return count == 0; }
    const Node *operator[](size_t i) const { return first[i]; }
    const Node *back() const { return first[count - 1]; }
    const Node *const *begin() const { return first; }
    const Node *const *end() const { return first + count; }
    Items to(size_t i) const { return {first, i}; }
    Items from(size_t i) const { return {first + i, count - i}; }
};

/// A list; the pointers to its nodes follow it in memory.
struct List {
    size_t count = 0;
    Items items() const { return {reinterpret_cast<const Node *const *>(this + 1), count}; }
};

inline constexpr uint8_t no_slot = 0xff;

/// [kind][field] -> slot.
inline constexpr auto slot_table = [] {
    std::array<std::array<uint8_t, field_count>, kind_count> table{};
    for (size_t kind = 0; kind < kind_count; ++kind) {
        table[kind].fill(no_slot);
        uint8_t slot = 0;
        for (const FieldRow &row : fields_of(NodeKind(kind))) table[kind][size_t(row.field)] = slot++;
    }
    return table;
}();

constexpr bool has_field(NodeKind kind, Field field) { return slot_table[size_t(kind)][size_t(field)] != no_slot; }

/// A field of a node; zero if nodes of its kind do not have the field.
inline Slot slot_of(const Node *node, Field field) {
    const uint8_t slot = slot_table[size_t(node->kind)][size_t(field)];
    return slot == no_slot ? Slot() : node->slots()[slot];
}

// The caller must know the type of the field: `body` is a list in statements and a child in Lambda and IfExp.
inline const Node *child(const Node *node, Field field) { return slot_of(node, field).child; }
inline PyObject *word_of(const Node *node, Field field) { return slot_of(node, field).object; }
inline long number_of(const Node *node, Field field) { return long(slot_of(node, field).number); }
inline Items items_of(const Node *node, Field field) {
    const List *list = slot_of(node, field).list;
    return list ? list->items() : Items{};
}
/// The value of a Constant, borrowed; null for other nodes.
inline PyObject *constant_of(const Node *node) {
    return node->kind == NodeKind::Constant ? node->slots()->object : nullptr;
}

/// Operators have neither a source range nor slots: there is one shared node of each kind.
const Node *operator_node(NodeKind kind);

/// Calls `visit` for each direct child of a node, except operators.
template <class Visit> void each_child(const Node *node, const Visit &visit) {
    const Slot *slot = node->slots();
    for (const FieldRow &row : fields_of(node->kind)) {
        if (row.holds == FieldType::child && slot->child && !is_operator(slot->child->kind)) visit(slot->child);
        if (row.holds == FieldType::list && slot->list)
            for (const Node *item : slot->list->items())
                if (item && !is_operator(item->kind)) visit(item);
        ++slot;
    }
}

/// Calls `visit` for a node and all its descendants in pre-order, except operators.
template <class Visit> void each_node(const Node *node, const Visit &visit) {
    check_stack();
    visit(node);
    each_child(node, [&](const Node *below) { each_node(below, visit); });
}

/// Owns the nodes and the Python objects that they reference.
class Tree {
  public:
    Tree() = default;
    Tree(const Tree &) = delete;
    Tree &operator=(const Tree &) = delete;
    ~Tree();

    /// `slots` are the values of the kind's fields, in their order.
    Node *make(NodeKind kind, const Extent &at, std::initializer_list<Slot> slots);
    Node *make(NodeKind kind, const Extent &at); ///< all slots empty
    const List *list(std::span<const Node *const> nodes);
    PyObject *keep(PyObject *owned); ///< takes the reference; null stays null
    PyObject *word(std::string_view name);
    /// Mangles private names (`__x`) inside the root with the name of a class (`_Class__x`), as Python does.
    void name_privates(std::string_view class_name);

    const Node *root = nullptr;

  private:
    void *allocate(size_t bytes);
    void name_private(Slot &word, const std::string &prefix);

    static constexpr size_t block_bytes = 16 << 10;
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::byte *next_ = nullptr;
    size_t left_ = 0;
    std::vector<PyObject *> kept_;
};

/// Formats a node as `Assign(targets=[Name(id='x')], value=Constant(value=1))`; empty fields are omitted. With `places` each node is
/// followed by `@line:column-line:column`.
std::string dump(const Node *node, bool places);

/// Describes the first difference between two trees, source ranges included; empty if the trees are equal.
std::string difference(const Node *a, const Node *b);

} // namespace qd::syntax
