#include "frontend/prints.h"

#include "ir/serial.h"

#include <algorithm>

namespace qd::frontend {

bool is_transparent(PyObject *o) {
    PyTypeObject *t = Py_TYPE(o);
    return o == Py_None || t == &PyLong_Type || t == &PyFloat_Type || t == &PyUnicode_Type || t == &PyBool_Type ||
           t == &PyTuple_Type || t == &PyList_Type || t == &PyDict_Type || t == &PyRange_Type || t == &PySlice_Type ||
           t == &PyBytes_Type || t == &PyComplex_Type || t == &PyEllipsis_Type || t == &PyEnum_Type ||
           t == &PyZip_Type || t == &PyReversed_Type || t == &PyDictKeys_Type || t == &PyDictValues_Type ||
           t == &PyDictItems_Type || t == &PyCFunction_Type;
}

Told Printer::number(PyObject *o) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) {
        tagged('I');
        out_.text(repr(o));
    } else {
        tagged('i');
        out_.number(small);
    }
    return Told::plain;
}

/// Members of an int enumeration that compute as ints do.
bool Printer::is_plain_enum(PyObject *o) {
    PyTypeObject *t = Py_TYPE(o);
    const PyNumberMethods *own = t->tp_as_number, *base = PyLong_Type.tp_as_number;
    return PyLong_Check(o) && own && own->nb_add == base->nb_add && own->nb_subtract == base->nb_subtract &&
           own->nb_multiply == base->nb_multiply && own->nb_true_divide == base->nb_true_divide &&
           own->nb_floor_divide == base->nb_floor_divide && own->nb_remainder == base->nb_remainder &&
           own->nb_power == base->nb_power && own->nb_and == base->nb_and && own->nb_or == base->nb_or &&
           own->nb_xor == base->nb_xor && own->nb_lshift == base->nb_lshift && own->nb_rshift == base->nb_rshift &&
           own->nb_negative == base->nb_negative && own->nb_invert == base->nb_invert &&
           own->nb_bool == base->nb_bool && own->nb_index == base->nb_index && own->nb_int == base->nb_int &&
           own->nb_float == base->nb_float && t->tp_richcompare == PyLong_Type.tp_richcompare;
}

Told Printer::items(PyObject *o, int depth) {
    if (depth > deepest) return Told::outline;
    const bool is_dict = PyDict_CheckExact(o), is_tuple = PyTuple_CheckExact(o);
    const Py_ssize_t size = is_dict ? PyDict_GET_SIZE(o) : is_tuple ? PyTuple_GET_SIZE(o) : PyList_GET_SIZE(o);
    tagged(is_dict ? '{' : is_tuple ? '(' : '[');
    out_.number(int64_t(size));
    Told all = Told::plain;
    const auto one = [&](PyObject *borrowed) { // printing may run code of Python that changes `o`
        const PyRef held = PyRef::borrow(borrowed);
        PyObject *item = held.get();
        const size_t before = out_.bytes.size();
        if (print(item, depth + 1) == Told::plain) return;
        out_.bytes.resize(before);
        tagged('?');
        all = Told::parts;
    };
    if (is_dict) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &item);) {
            const PyRef held = PyRef::borrow(key), beside = PyRef::borrow(item);
            if (print(key, depth + 1) != Told::plain) return Told::outline;
            one(item);
        }
    } else {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++) one(PySequence_Fast_GET_ITEM(o, i));
    }
    return all;
}

Told Printer::print(PyObject *o, int depth) {
    PyTypeObject *t = Py_TYPE(o);
    if (o == Py_None) return tagged('N');
    if (t == &PyBool_Type) return tagged(o == Py_True ? 'T' : 'F');
    if (t == &PyLong_Type) return number(o);
    if (t == &PyFloat_Type) {
        tagged('f');
        out_.number(PyFloat_AS_DOUBLE(o));
        return Told::plain;
    }
    if (t == &PyUnicode_Type) {
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(o, &size);
        if (!data) {
            PyErr_Clear();
            return Told::outline;
        }
        tagged('s');
        out_.text({data, size_t(size)});
        return Told::plain;
    }
    if (t == &PyTuple_Type || t == &PyList_Type || t == &PyDict_Type) return items(o, depth);
    if (PyRef number = plain_number(o)) {
        tagged('n', Told::whole);
        out_.text(t->tp_name);
        return print(number.get()) == Told::plain ? Told::whole : Told::outline;
    }
    if (t == &PyRange_Type) {
        tagged('r');
        const bool told = attribute_is_told(o, "start") && attribute_is_told(o, "stop") && attribute_is_told(o, "step");
        return told ? Told::plain : Told::outline;
    }
    if (is_plain_enum(o)) {
        tagged('E');
        outline(reinterpret_cast<PyObject *>(t), Kind::foreign);
        number(o);
        return Told::whole;
    }
    if (const BuiltinRow *row = python_builtin(o)) {
        tagged('b');
        out_.text(row->name);
        return Told::whole;
    }
    if (t == &PyMethod_Type) return tagged('M', Told::parts);
    return special(o, kind_of_object(o));
}

/// Prints an attribute; false if its print does not say all.
bool Printer::attribute_is_told(PyObject *o, const char *name) {
    PyRef value = PyRef::steal(PyObject_GetAttrString(o, name));
    if (!value) {
        PyErr_Clear();
        return false;
    }
    return print(value.get()) <= Told::whole;
}

Told Printer::special(PyObject *o, Kind kind) {
    const auto told = [&](char tag, std::initializer_list<const char *> attributes) {
        tagged(tag);
        for (const char *name : attributes)
            if (!attribute_is_told(o, name)) return Told::outline;
        return Told::whole;
    };
    switch (kind) {
    case Kind::dtype: return told('d', {"_qd_scalar_"});
    case Kind::builtin: return told('B', {"_qd_name_"});
    case Kind::matrix_type: return told('V', {"n", "m", "ndim", "dtype"});
    case Kind::matrix: return told('X', {"n", "m", "ndim", "_entries"});
    case Kind::ndrange: return told('R', {"bounds", "axes"});
    case Kind::ndarray_type: return told('A', {"scalar", "ndim", "element_dim", "rows", "cols", "boundary"});
    case Kind::template_: return tagged('t', Told::whole);
    case Kind::struct_type: return tagged('Y', Told::parts);
    case Kind::struct_field: return tagged('Z', Told::parts);
    case Kind::struct_: return tagged('W', Told::parts);
    case Kind::tensor: return tagged('Q', Told::parts);
    case Kind::buffer_view_type: return told('U', {"dtype", "element", "boundary"});
    case Kind::ref: return told('&', {"dtype"});
    case Kind::sparse_matrix_builder_type: return tagged('S', Told::whole);
    case Kind::snode: return snode(o);
    case Kind::mesh_elements: return told('H', {"_order", "_count"});
    case Kind::field:
    case Kind::matrix_field: return field(o, kind == Kind::matrix_field);
    case Kind::foreign:
    case Kind::func:
    case Kind::kernel:
    case Kind::mesh_relation:
    case Kind::ndarray:
    case Kind::sparse_matrix_builder:
    case Kind::data_oriented: break;
    }
    return outline(o, kind);
}

Told Printer::field(PyObject *o, bool is_matrix) {
    const Names &n = names();
    bool sparse = false;
    tagged('P');
    if (!places(PyObject_CallMethodNoArgs(o, is_matrix ? n._qd_places_ : n._qd_place_), &sparse)) return Told::outline;
    if (sparse) { // what its cells hold beside it
        PyRef level = PyRef::steal(PyObject_CallMethod(o, "parent", nullptr));
        PyErr_Clear();
        if (!level || snode(level.get()) != Told::whole) return Told::outline;
    }
    PyRef packing = PyRef::steal(PyObject_CallMethodNoArgs(o, n._qd_packing_));
    PyErr_Clear();
    if (!packing || print(packing.get()) != Told::plain) return Told::outline;
    if (is_matrix && (!attribute_is_told(o, "n") || !attribute_is_told(o, "m") || !attribute_is_told(o, "ndim")))
        return Told::outline;
    return Told::whole;
}

/// A level of a tree: its cells, and the members in them.
Told Printer::snode(PyObject *o) {
    tagged('L');
    const bool done = places(PyObject_CallMethodNoArgs(o, names()._qd_place_)) &&
                      places(PyObject_CallMethod(o, "_qd_member_places_", nullptr));
    return done ? Told::whole : Told::outline;
}

/// Prints the places that a number or a list of numbers names; false if one has no memory.
bool Printer::places(PyObject *owned, bool *sparse) {
    PyRef answer = PyRef::steal(owned);
    PyRef list = PyRef::steal(!answer                      ? nullptr
                              : PyLong_Check(answer.get()) ? Py_BuildValue("[O]", answer.get())
                                                           : PySequence_List(answer.get()));
    PyErr_Clear();
    if (!list) return false;
    out_.number(uint64_t(PyList_GET_SIZE(list.get())));
    try {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
            const int place = int(PyLong_AsLong(PyList_GET_ITEM(list.get(), i)));
            ir::Place described = request_.place(place);
            described.id = 0;
            if (sparse) *sparse |= ir::is_sparse(described);
            ir::write(out_, described);
            if (request_.mode != autodiff::Mode::none && !described.level) companion(place);
        }
    } catch (const UserError &) { // it has no memory any more
        return false;
    }
    return true;
}

/// Where the gradient or dual of a place lies.
void Printer::companion(int place) {
    const int other = request_.companion(place);
    out_.number(other >= 0);
    if (other < 0) return;
    ir::Place described = request_.place(other);
    described.id = 0;
    ir::write(out_, described);
}

Told Printer::outline(PyObject *o, Kind kind) {
    const Names &n = names();
    const bool names_itself = PyType_Check(o) || PyFunction_Check(o) || PyCFunction_Check(o) || PyModule_Check(o);
    PyObject *of = names_itself ? o : reinterpret_cast<PyObject *>(Py_TYPE(o));
    tagged('o');
    out_.number(kind);
    out_.number(names_itself);
    out_.text(Py_TYPE(o)->tp_name);
    if (PyModule_Check(o)) {
        PyRef name = frontend::attribute(o, n.__name__);
        out_.text(name ? text(name.get()) : "");
        return Told::outline;
    }
    for (PyObject *part : {n.__module__, n.__qualname__}) {
        PyRef name = frontend::attribute(of, part);
        out_.text(name ? text(name.get()) : "");
    }
    // Functions and classes of the interpreter itself.
    const bool is_native =
        PyCFunction_CheckExact(o) ||
        (PyType_Check(o) && !PyType_HasFeature(reinterpret_cast<PyTypeObject *>(o), Py_TPFLAGS_HEAPTYPE));
    return is_native ? Told::whole : Told::outline;
}

namespace {

bool is_plain(PyObject *object, int depth) {
    PyTypeObject *t = Py_TYPE(object);
    if (t == &PyTuple_Type || t == &PyList_Type) {
        PyObject **items = PySequence_Fast_ITEMS(object);
        return depth <= deepest && std::all_of(items, items + PySequence_Fast_GET_SIZE(object),
                                               [&](PyObject *item) { return is_plain(item, depth + 1); });
    }
    if (t == &PyDict_Type) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &item);)
            if (depth > deepest || !is_plain(key, depth + 1) || !is_plain(item, depth + 1)) return false;
        return true;
    }
    return object == Py_None || t == &PyLong_Type || t == &PyFloat_Type || t == &PyUnicode_Type || t == &PyBool_Type ||
           t == &PyRange_Type;
}

} // namespace

bool is_plain(PyObject *object) { return is_plain(object, 0); }

} // namespace qd::frontend
