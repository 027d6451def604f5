// The kinds of Python objects that the walk meets.
#include "frontend/objects.h"

#include "frontend/builtins.h"

#include <string_view>

namespace qd::frontend {

namespace {

constexpr std::pair<std::string_view, Kind> kind_names[] = {
    {"dtype", Kind::dtype},
    {"matrix_type", Kind::matrix_type},
    {"struct_type", Kind::struct_type},
    {"builtin", Kind::builtin},
    {"func", Kind::func},
    {"kernel", Kind::kernel},
    {"field", Kind::field},
    {"matrix_field", Kind::matrix_field},
    {"struct_field", Kind::struct_field},
    {"struct", Kind::struct_},
    {"matrix", Kind::matrix},
    {"ndarray", Kind::ndarray},
    {"data_oriented", Kind::data_oriented},
    {"template", Kind::template_},
    {"ndarray_type", Kind::ndarray_type},
    {"ndrange", Kind::ndrange},
    {"buffer_view_type", Kind::buffer_view_type},
    {"ref", Kind::ref},
    {"tensor", Kind::tensor},
    {"snode", Kind::snode},
    {"mesh_elements", Kind::mesh_elements},
    {"mesh_relation", Kind::mesh_relation},
    {"sparse_matrix_builder", Kind::sparse_matrix_builder},
    {"sparse_matrix_builder_type", Kind::sparse_matrix_builder_type},
};

bool has_no_kind(PyObject *object) {
    return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object) ||
           PyUnicode_CheckExact(object) || object == Py_None || PyTuple_CheckExact(object) ||
           PyList_CheckExact(object) || PyDict_CheckExact(object) || PyModule_CheckExact(object);
}

} // namespace

Kind kind_of_object(PyObject *object) {
    if (has_no_kind(object)) return Kind::foreign;
    const bool on_object = PyFunction_Check(object) || PyType_Check(object) || PyCFunction_Check(object);
    PyRef word = attribute(on_object ? object : reinterpret_cast<PyObject *>(Py_TYPE(object)), names()._qd_kind_);
    if (!word && !on_object) word = attribute(object, names()._qd_kind_);
    Kind kind = Kind::foreign;
    if (word && PyUnicode_Check(word.get())) {
        const std::string name = text(word.get());
        for (const auto &[known, value] : kind_names)
            if (known == name) kind = value;
    }
    if (PyType_Check(object) && kind != Kind::builtin) // a class whose instances have a kind
        kind = row_of_object(object) ? Kind::builtin : kind == Kind::template_ ? kind : Kind::foreign;
    return kind;
}

Kind Objects::kind_of(PyObject *object) {
    if (has_no_kind(object)) return Kind::foreign;
    if (const auto found = kinds_.find(object); found != kinds_.end()) return found->second.kind;
    const PyRef held = PyRef::borrow(object); // the lookup of its kind may run Python code
    const Kind kind = kind_of_object(object);
    kinds_.emplace(object, Met{held, kind});
    return kind;
}

const BuiltinRow *row_of_object(PyObject *object) {
    if (const BuiltinRow *row = python_builtin(object)) return row;
    PyRef name = attribute(object, names()._qd_name_);
    return name && PyUnicode_Check(name.get()) ? find_builtin(text(name.get())) : nullptr;
}

const BuiltinRow *Objects::builtin_of(PyObject *object) {
    if (const auto found = rows_.find(object); found != rows_.end()) return found->second;
    const BuiltinRow *row = row_of_object(object);
    rows_.emplace(object, row);
    kept_.push_back(PyRef::borrow(object));
    return row;
}

PyObject *Objects::intern(const std::string &name) {
    PyObject *str = PyUnicode_InternFromString(name.c_str());
    keep(PyRef::steal(str));
    return str;
}

} // namespace qd::frontend
