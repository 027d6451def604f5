#include "syntax/from_python.h"

#include <unordered_map>

namespace qd::syntax {
namespace {

/// The types and attribute names of the module `ast` that the conversion uses; never freed.
struct Ast {
    std::unordered_map<PyTypeObject *, NodeKind> kinds;
    std::array<PyObject *, field_count> fields{};
    PyObject *line, *column, *end_line, *end_column;
};

/// Built under the GIL. The import may release it, so this is not a guarded static: another thread could wait on the guard with the GIL
/// held.
const Ast *ast() {
    static const Ast *made = nullptr;
    if (made) return made;
    PyObject *module = PyImport_ImportModule("_ast");
    if (!module) return nullptr;
    auto *table = new Ast;
    for (size_t i = 0; i < kind_count; ++i) {
        if (PyObject *type = PyObject_GetAttrString(module, kind_rows[i].name))
            table->kinds[reinterpret_cast<PyTypeObject *>(type)] = NodeKind(i);
        else
            PyErr_Clear();
    }
    for (size_t i = 0; i < field_count; ++i) table->fields[i] = PyUnicode_InternFromString(field_names[i]);
    table->line = PyUnicode_InternFromString("lineno");
    table->column = PyUnicode_InternFromString("col_offset");
    table->end_line = PyUnicode_InternFromString("end_lineno");
    table->end_column = PyUnicode_InternFromString("end_col_offset");
    Py_DECREF(module);
    return made = table;
}

class Conversion {
  public:
    Conversion(Tree &tree, const Ast &ast, int shift) : tree_(tree), ast_(ast), shift_(shift) {}

    /// Null with an error set if the conversion fails.
    const Node *node(PyObject *object) {
        if (stack_is_short()) {
            PyErr_SetString(PyExc_RecursionError, stack_message);
            return nullptr;
        }
        const auto found = ast_.kinds.find(Py_TYPE(object));
        if (found == ast_.kinds.end()) {
            PyErr_Format(PyExc_TypeError, "%R is no node of a syntax tree", object);
            return nullptr;
        }
        const NodeKind kind = found->second;
        if (is_operator(kind)) return operator_node(kind);
        Extent at{number(object, ast_.line), number(object, ast_.column), number(object, ast_.end_line),
                  number(object, ast_.end_column)};
        if (at.line) at.line -= shift_, at.end_line -= shift_;
        Node *made = tree_.make(kind, at);
        Slot *slot = made->slots();
        for (const FieldRow &row : fields_of(kind))
            if (!fill(row, value(object, ast_.fields[size_t(row.field)]), *slot++)) return nullptr;
        return made;
    }

  private:
    /// A reference borrowed from the node; null if the attribute is absent.
    static PyObject *value(PyObject *object, PyObject *name) {
        PyObject *found = PyObject_GetAttr(object, name);
        PyErr_Clear();
        Py_XDECREF(found); // the node's dict holds a reference
        return found;
    }

    static int number(PyObject *object, PyObject *name) {
        PyObject *found = value(object, name);
        return found && PyLong_Check(found) ? int(PyLong_AsLong(found)) : 0;
    }

    bool fill(const FieldRow &row, PyObject *given, Slot &slot) {
        if (row.holds == FieldType::object) {
            slot.object = tree_.keep(Py_XNewRef(given));
            return true;
        }
        if (!given || given == Py_None) return true;
        switch (row.holds) {
        case FieldType::child: return (slot.child = node(given)) != nullptr;
        case FieldType::list: return (slot.list = list(given)) != nullptr;
        case FieldType::word:
            Py_INCREF(given);
            PyUnicode_InternInPlace(&given);
            slot.object = tree_.keep(given);
            return true;
        case FieldType::number: slot.number = PyLong_AsLong(given); return true;
        case FieldType::object:
        case FieldType::nothing: break;
        }
        return true;
    }

    const List *list(PyObject *given) {
        if (!PyList_Check(given)) {
            PyErr_Format(PyExc_TypeError, "%R is no list of nodes", given);
            return nullptr;
        }
        std::vector<const Node *> items(size_t(PyList_GET_SIZE(given)));
        for (size_t i = 0; i < items.size(); ++i) {
            PyObject *item = PyList_GET_ITEM(given, Py_ssize_t(i));
            if (item != Py_None && !(items[i] = node(item))) return nullptr;
        }
        return tree_.list(items);
    }

    Tree &tree_;
    const Ast &ast_;
    const int shift_;
};

} // namespace

const Node *from_python(Tree &tree, PyObject *node, int shift) {
    const Ast *table = ast();
    return table ? Conversion(tree, *table, shift).node(node) : nullptr;
}

std::unique_ptr<Tree> from_python(PyObject *function, int shift) {
    auto tree = std::make_unique<Tree>();
    tree->root = from_python(*tree, function, shift);
    return tree->root ? std::move(tree) : nullptr;
}

} // namespace qd::syntax
