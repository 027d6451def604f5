// Kernels that promise to read only their arguments (fastcache=True). A violation is a name from outside the kernel that denotes a plain
// number, text or a field, or such an attribute of an object from outside. Funcs, types and modules are allowed, as are constants of math,
// numpy and this package. For names in upper case, and inside qd.static, it is a warning instead of an error.
#include "frontend/pure.h"

#include "frontend/objects.h"
#include "frontend/scope.h"

#include <string_view>

namespace qd::frontend {
namespace {

constexpr const char *tag = "[PURE.VIOLATION] WARNING: ";

/// Returns "numpy" for "numpy.linalg".
std::string_view package_of(std::string_view module) { return module.substr(0, module.find('.')); }

bool is_constant_module(PyObject *object) {
    const char *name = PyModule_Check(object) ? PyModule_GetName(object) : nullptr;
    if (!name) PyErr_Clear();
    if (!name) return false;
    const std::string_view package = package_of(name);
    return package == "math" || package == "numpy" || package == "quadrants";
}

bool is_upper(PyObject *name) {
    const PyRef answer = PyRef::steal(PyObject_CallMethod(name, "isupper", nullptr));
    return answer && answer.get() == Py_True;
}

} // namespace

static bool is_state(Walk &w, PyObject *object) {
    if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object) || PyUnicode_CheckExact(object))
        return true;
    const Kind kind = w.objects.kind_of(object);
    return kind == Kind::field || kind == Kind::matrix_field || kind == Kind::struct_field || kind == Kind::ndarray ||
           kind == Kind::tensor || kind == Kind::mesh_elements;
}

static void violation(Walk &w, const Node *node, PyObject *name, const std::string &message) {
    if (w.static_depth || is_upper(name))
        w.warn(node, "UserWarning", tag + message);
    else
        w.fail(node, UserErrorKind::compilation, tag + message, "pass it to the kernel as an argument");
}

/// True in a func of the package, which may read the package's own constants.
bool in_package(Walk &w) {
    const PyRef module = attribute(w.frames.back().function, names().__module__);
    return module && PyUnicode_Check(module.get()) && package_of(text(module.get())) == "quadrants";
}

void check_pure_name(Walk &w, const Node *node, PyObject *name, PyObject *found) {
    if (!w.request.options.pure || !w.frames.back().function || !is_state(w, found) || in_package(w)) return;
    const std::string shown = text(name);
    violation(w, node, name,
              "Accessing global variable " + shown + " " + repr(reinterpret_cast<PyObject *>(Py_TYPE(found))) + " " +
                  shown + " is in global vars, therefore violates pure");
}

void check_pure_attribute(Walk &w, const Node *node, const Val &base, const Val &found) {
    if (!w.request.options.pure || !found.is_constant() || !base.is_constant() || !is_state(w, found.object())) return;
    const Node *root = child(node, Field::value);
    while (root->kind == NodeKind::Attribute) root = child(root, Field::value);
    if (root->kind != NodeKind::Name || w.scopes.find_local(word_of(root, Field::id)) || !w.frames.back().function ||
        in_package(w))
        return; // reached through an argument
    if (is_constant_module(base.object()) || is_state(w, base.object())) return;
    PyObject *name = word_of(node, Field::attr);
    const std::string holder = text(word_of(root, Field::id));
    violation(w, node, name,
              "Accessing global var " + text(name) + " from outside function scope within pure kernel " + holder +
                  " is in global vars, therefore violates pure");
}

} // namespace qd::frontend
