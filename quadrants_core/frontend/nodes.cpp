#include "frontend/nodes.h"

#include "base/error.h"

#include <array>

namespace qd::frontend {
namespace {

/// Open addressing; the types of `ast` live as long as the process.
struct Table {
    struct Slot {
        PyTypeObject *type = nullptr;
        Node kind = Node::unknown;
    };
    std::array<Slot, 512> slots{};

    static size_t start(PyTypeObject *type) { return (reinterpret_cast<uintptr_t>(type) >> 4) * 0x9E3779B1u % 512; }

    Table() {
        PyRef ast = PyRef::steal(PyImport_ImportModule("ast"));
        if (!ast) fail_internal("the module `ast` cannot be imported");
#define NODE(name) add(ast.get(), #name, Node::name);
#include "frontend/nodes.def"
    }
    void add(PyObject *ast, const char *name, Node kind) {
        PyObject *type = PyObject_GetAttrString(ast, name); // kept for the life of the process
        if (!type) {
            PyErr_Clear();
            return;
        }
        size_t i = start(reinterpret_cast<PyTypeObject *>(type));
        while (slots[i].type) i = (i + 1) % slots.size();
        slots[i] = {reinterpret_cast<PyTypeObject *>(type), kind};
    }
};

} // namespace

namespace {

/// Built under the GIL, which an import may let go: no guarded static, or another thread could wait with the GIL held.
const Table &node_table() {
    static const Table *table = nullptr;
    if (!table) {
        const Table *made = new Table;
        if (table)
            delete made;
        else
            table = made;
    }
    return *table;
}

} // namespace

Node node_kind(PyObject *node) {
    const Table &table = node_table();
    PyTypeObject *type = Py_TYPE(node);
    for (size_t i = Table::start(type);; i = (i + 1) % table.slots.size()) {
        if (table.slots[i].type == type) return table.slots[i].kind;
        if (!table.slots[i].type) return Node::unknown;
    }
}

const char *node_name(Node kind) {
    static constexpr const char *list[] = {
        "?",
#define NODE(name) #name,
#include "frontend/nodes.def"
    };
    return list[int(kind)];
}

} // namespace qd::frontend
