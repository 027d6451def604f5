#define PY_SSIZE_T_CLEAN
#include "python/bind/tree.h"

#include "python/bind/errors.h"
#include "python/bind/lines.h"

#include "base/stack.h"
#include "syntax/from_python.h"
#include "syntax/parser.h"

#include <algorithm>

namespace qd::bind {
namespace {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using syntax::Tree;

struct TreeObject {
    PyObject_HEAD;
    Tree *tree;
};

PyTypeObject *tree_type = nullptr;

const Tree &self_of(PyObject *o) { return *reinterpret_cast<TreeObject *>(o)->tree; }

void destroy(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    delete reinterpret_cast<TreeObject *>(o)->tree;
    type->tp_free(o);
    Py_DECREF(type);
}

PyObject *get_name(PyObject *o, void *) {
    PyObject *name = syntax::word_of(self_of(o).root, Field::name);
    return Py_NewRef(name ? name : Py_None);
}

PyObject *get_kind(PyObject *o, void *) { return PyUnicode_FromString(kind_name(self_of(o).root->kind)); }
PyObject *get_line(PyObject *o, void *) { return PyLong_FromLong(self_of(o).root->at.line); }
PyObject *get_end_line(PyObject *o, void *) { return PyLong_FromLong(self_of(o).root->at.end_line); }

PyObject *dump_tree(PyObject *o, PyObject *) {
    return PyUnicode_FromString(syntax::dump(self_of(o).root, true).c_str());
}

PyObject *difference(PyObject *o, PyObject *other) {
    const Tree *tree = tree_of(other);
    if (!tree) return PyErr_Format(PyExc_TypeError, "%R is not a syntax tree", other);
    return PyUnicode_FromString(syntax::difference(self_of(o).root, tree->root).c_str());
}

struct Statement {
    int line, column, last; ///< lines of the text of the function, from 1
    auto operator<=>(const Statement &) const = default;
};

/// Returns the last line of a statement; of a compound statement, that of its header.
int last_line(const Node *statement) {
    if (!has_field(statement->kind, Field::body)) return statement->at.end_line;
    int last = 0;
    for (const Field field : {Field::test, Field::iter})
        if (const Node *head = child(statement, field)) last = std::max(last, head->at.end_line);
    for (const Node *item : items_of(statement, Field::items))
        last = std::max(last, child(item, Field::context_expr)->at.end_line);
    return last ? last : statement->at.end_line;
}

PyObject *list_statements(PyObject *o, PyObject *shift) {
    const int lower = int(PyLong_AsLong(shift));
    if (PyErr_Occurred()) return nullptr;
    try {
        syntax::Items body = items_of(self_of(o).root, Field::body);
        if (!body.empty() && body[0]->kind == NodeKind::Expr) {
            PyObject *text = syntax::constant_of(child(body[0], Field::value));
            if (text && PyUnicode_Check(text)) body = body.from(1);
        }
        std::vector<Statement> found;
        for (const Node *statement : body)
            syntax::each_node(statement, [&](const Node *node) {
                if (is_statement(node->kind)) found.push_back({node->at.line, node->at.column, last_line(node)});
            });
        std::ranges::sort(found);
        const auto same_line = std::ranges::unique(found, {}, &Statement::line);
        found.erase(same_line.begin(), same_line.end());
        PyObject *all = PyList_New(Py_ssize_t(found.size()));
        for (size_t i = 0; all && i < found.size(); i++) {
            const auto [line, column, last] = found[i];
            PyObject *one = Py_BuildValue("(iii)", line + lower, column, last + lower);
            if (one)
                PyList_SET_ITEM(all, Py_ssize_t(i), one);
            else
                Py_CLEAR(all);
        }
        return all;
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
}

PyObject *name_privates(PyObject *o, PyObject *class_name) {
    Py_ssize_t size = 0;
    const char *words = PyUnicode_AsUTF8AndSize(class_name, &size);
    if (!words) return nullptr;
    try {
        reinterpret_cast<TreeObject *>(o)->tree->name_privates({words, size_t(size)});
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"name_privates", name_privates, METH_O, "makes private names those of a class; before the tree is used"},
    {"statements", list_statements, METH_O,
     "[(line, column, last line)], shifted by so many lines: each statement that is the first on its line, without the "
     "docstring; a compound statement ends with its header"},
    {"dump", dump_tree, METH_NOARGS, "as text, with places"},
    {"difference", difference, METH_O, "what differs first from another tree; empty if nothing does"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"name", get_name, nullptr, "of the function", nullptr},
    {"kind", get_kind, nullptr, "class in `ast` of the outermost node", nullptr},
    {"line", get_line, nullptr, "of `def`, from 1", nullptr},
    {"end_line", get_end_line, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, nullptr},
};

PyType_Spec spec = {"quadrants._lib.core.quadrants_python.Tree", sizeof(TreeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyObject *object_of(std::unique_ptr<Tree> tree) {
    if (!tree) return nullptr;
    PyObject *o = tree_type->tp_alloc(tree_type, 0);
    if (o) reinterpret_cast<TreeObject *>(o)->tree = tree.release();
    return o;
}

PyObject *convert_tree(PyObject *, PyObject *args) {
    PyObject *node;
    int shift;
    if (!PyArg_ParseTuple(args, "Oi", &node, &shift)) return nullptr;
    return object_of(syntax::from_python(node, shift));
}

constexpr int max_ends = 100; ///< maximum number of lines at which the parser tries to end a function

/// Appends lines; returns false if one is not text, or if the list has shrunk while the parser called Python.
bool add_lines(std::string &text, const Lines &lines, Py_ssize_t begin, Py_ssize_t end) {
    if (end > lines.size()) return false;
    for (; begin < end; begin++) {
        const std::string_view line = lines[begin];
        if (line.empty()) return false;
        text += line;
    }
    return true;
}

/// Returns the tree and the text of the function that begins at lines[start]; None if CPython must parse it.
PyObject *parse_function(PyObject *, PyObject *args) {
    Lines lines;
    if (!PyArg_ParseTuple(args, "On", &lines.list, &lines.start)) return nullptr;
    if (!PyList_Check(lines.list) || lines.start < 0 || lines.start >= lines.size()) return Py_NewRef(Py_None);
    std::string text;
    Py_ssize_t end = lines.start, next = first_end(lines);
    for (int tried = 0; tried < max_ends && add_lines(text, lines, end, next); tried++) {
        end = next;
        if (!text.ends_with('\n')) text += '\n';
        auto tree = std::make_unique<Tree>();
        const syntax::Outcome outcome = syntax::parse_function(*tree, text, 1);
        if (outcome == syntax::Outcome::parsed)
            return Py_BuildValue("(Ns#)", object_of(std::move(tree)), text.data(), Py_ssize_t(text.size()));
        if (outcome == syntax::Outcome::cannot || end == lines.size()) break;
        for (next = end + 1; !may_end(lines, next);) next++;
    }
    return Py_NewRef(Py_None);
}

/// For recursion outside the core: raises an error unless this many bytes of the thread's stack are left.
PyObject *require_stack(PyObject *, PyObject *bytes) {
    const size_t needed = PyLong_AsSize_t(bytes);
    if (needed == size_t(-1) && PyErr_Occurred()) return nullptr;
    try {
        if (stack_left() < needed) fail_stack();
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"require_stack", require_stack, METH_O, "raises QuadrantsCompilationError unless so many bytes are left"},
    {"parse_function", parse_function, METH_VARARGS, "(tree, text) of the function at a line of a list, or None"},
    {"convert_tree", convert_tree, METH_VARARGS, "the Tree of a node of `ast`, its lines `shift` lower"},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

const Tree *tree_of(PyObject *object) {
    return Py_TYPE(object) == tree_type ? reinterpret_cast<TreeObject *>(object)->tree : nullptr;
}

bool add_tree_type(PyObject *module) {
    tree_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return tree_type && PyModule_AddObjectRef(module, "Tree", reinterpret_cast<PyObject *>(tree_type)) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}

} // namespace qd::bind
