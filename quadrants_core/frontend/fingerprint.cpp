#include "frontend/fingerprint.h"

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

FingerprintExtent Fingerprinter::number(PyObject *o) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) {
        tagged('I');
        out_.text(repr(o));
    } else {
        tagged('i');
        out_.number(small);
    }
    return FingerprintExtent::plain;
}

/// True for a member of an int enumeration that computes as an int does.
bool Fingerprinter::is_plain_enum(PyObject *o) {
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

FingerprintExtent Fingerprinter::items(PyObject *o, int depth) {
    if (depth > deepest) return FingerprintExtent::outline;
    const bool is_dict = PyDict_CheckExact(o), is_tuple = PyTuple_CheckExact(o);
    const Py_ssize_t size = is_dict ? PyDict_GET_SIZE(o) : is_tuple ? PyTuple_GET_SIZE(o) : PyList_GET_SIZE(o);
    tagged(is_dict ? '{' : is_tuple ? '(' : '[');
    out_.number(int64_t(size));
    FingerprintExtent all = FingerprintExtent::plain;
    const auto one = [&](PyObject *borrowed) { // a fingerprint may run Python code that changes `o`
        const PyRef held = PyRef::borrow(borrowed);
        PyObject *item = held.get();
        const size_t before = out_.bytes.size();
        if (fingerprint(item, depth + 1) == FingerprintExtent::plain) return;
        out_.bytes.resize(before);
        tagged('?');
        all = FingerprintExtent::parts;
    };
    if (is_dict) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &item);) {
            const PyRef held = PyRef::borrow(key), held_item = PyRef::borrow(item);
            if (fingerprint(key, depth + 1) != FingerprintExtent::plain) return FingerprintExtent::outline;
            one(item);
        }
    } else {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++) one(PySequence_Fast_GET_ITEM(o, i));
    }
    return all;
}

FingerprintExtent Fingerprinter::fingerprint(PyObject *o, int depth) {
    PyTypeObject *t = Py_TYPE(o);
    if (o == Py_None) return tagged('N');
    if (t == &PyBool_Type) return tagged(o == Py_True ? 'T' : 'F');
    if (t == &PyLong_Type) return number(o);
    if (t == &PyFloat_Type) {
        tagged('f');
        out_.number(PyFloat_AS_DOUBLE(o));
        return FingerprintExtent::plain;
    }
    if (t == &PyUnicode_Type) {
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(o, &size);
        if (!data) {
            PyErr_Clear();
            return FingerprintExtent::outline;
        }
        tagged('s');
        out_.text({data, size_t(size)});
        return FingerprintExtent::plain;
    }
    if (t == &PyTuple_Type || t == &PyList_Type || t == &PyDict_Type) return items(o, depth);
    if (PyRef number = plain_number(o)) {
        tagged('n', FingerprintExtent::whole);
        out_.text(t->tp_name);
        return fingerprint(number.get()) == FingerprintExtent::plain ? FingerprintExtent::whole
                                                                     : FingerprintExtent::outline;
    }
    if (t == &PyRange_Type) {
        tagged('r');
        const bool extent = covers_attribute(o, "start") && covers_attribute(o, "stop") && covers_attribute(o, "step");
        return extent ? FingerprintExtent::plain : FingerprintExtent::outline;
    }
    if (is_plain_enum(o)) {
        tagged('E');
        outline(reinterpret_cast<PyObject *>(t), Kind::foreign);
        number(o);
        return FingerprintExtent::whole;
    }
    if (const BuiltinRow *row = python_builtin(o)) {
        tagged('b');
        out_.text(row->name);
        return FingerprintExtent::whole;
    }
    if (t == &PyMethod_Type) return tagged('M', FingerprintExtent::parts);
    return special(o, kind_of_object(o));
}

/// Adds an attribute to the fingerprint; false if not all of it is covered.
bool Fingerprinter::covers_attribute(PyObject *o, const char *name) {
    PyRef value = PyRef::steal(PyObject_GetAttrString(o, name));
    if (!value) {
        PyErr_Clear();
        return false;
    }
    return fingerprint(value.get()) <= FingerprintExtent::whole;
}

FingerprintExtent Fingerprinter::special(PyObject *o, Kind kind) {
    const auto extent = [&](char tag, std::initializer_list<const char *> attributes) {
        tagged(tag);
        for (const char *name : attributes)
            if (!covers_attribute(o, name)) return FingerprintExtent::outline;
        return FingerprintExtent::whole;
    };
    switch (kind) {
    case Kind::dtype: return extent('d', {"_qd_scalar_"});
    case Kind::builtin: return extent('B', {"_qd_name_"});
    case Kind::matrix_type: return extent('V', {"n", "m", "ndim", "dtype"});
    case Kind::matrix: return extent('X', {"n", "m", "ndim", "_entries"});
    case Kind::ndrange: return extent('R', {"bounds", "axes"});
    case Kind::ndarray_type: return extent('A', {"scalar", "ndim", "element_dim", "rows", "cols", "boundary"});
    case Kind::template_: return tagged('t', FingerprintExtent::whole);
    case Kind::struct_type: return tagged('Y', FingerprintExtent::parts);
    case Kind::struct_field: return tagged('Z', FingerprintExtent::parts);
    case Kind::struct_: return tagged('W', FingerprintExtent::parts);
    case Kind::tensor: return tagged('Q', FingerprintExtent::parts);
    case Kind::buffer_view_type: return extent('U', {"dtype", "element", "boundary"});
    case Kind::ref: return extent('&', {"dtype"});
    case Kind::sparse_matrix_builder_type: return tagged('S', FingerprintExtent::whole);
    case Kind::snode: return snode(o);
    case Kind::mesh_elements: return extent('H', {"_order", "_count"});
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

FingerprintExtent Fingerprinter::field(PyObject *o, bool is_matrix) {
    const Names &n = names();
    bool sparse = false;
    tagged('P');
    if (!places(PyObject_CallMethodNoArgs(o, is_matrix ? n._qd_places_ : n._qd_place_), &sparse))
        return FingerprintExtent::outline;
    if (sparse) { // the other members of its cells
        PyRef level = PyRef::steal(PyObject_CallMethod(o, "parent", nullptr));
        PyErr_Clear();
        if (!level || snode(level.get()) != FingerprintExtent::whole) return FingerprintExtent::outline;
    }
    PyRef packing = PyRef::steal(PyObject_CallMethodNoArgs(o, n._qd_packing_));
    PyErr_Clear();
    if (!packing || fingerprint(packing.get()) != FingerprintExtent::plain) return FingerprintExtent::outline;
    if (is_matrix && (!covers_attribute(o, "n") || !covers_attribute(o, "m") || !covers_attribute(o, "ndim")))
        return FingerprintExtent::outline;
    return FingerprintExtent::whole;
}

/// Adds a level of a tree: its cells and their members.
FingerprintExtent Fingerprinter::snode(PyObject *o) {
    tagged('L');
    const bool done = places(PyObject_CallMethodNoArgs(o, names()._qd_place_)) &&
                      places(PyObject_CallMethod(o, "_qd_member_places_", nullptr));
    return done ? FingerprintExtent::whole : FingerprintExtent::outline;
}

/// Adds the places that a number or a list of numbers names; false if one has no memory.
bool Fingerprinter::places(PyObject *owned, bool *sparse) {
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
    } catch (const UserError &) { // its memory was freed
        return false;
    }
    return true;
}

/// Adds the location of the gradient or dual of a place.
void Fingerprinter::companion(int place) {
    const int other = request_.companion(place);
    out_.number(other >= 0);
    if (other < 0) return;
    ir::Place described = request_.place(other);
    described.id = 0;
    ir::write(out_, described);
}

FingerprintExtent Fingerprinter::outline(PyObject *o, Kind kind) {
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
        return FingerprintExtent::outline;
    }
    for (PyObject *part : {n.__module__, n.__qualname__}) {
        PyRef name = frontend::attribute(of, part);
        out_.text(name ? text(name.get()) : "");
    }
    // Functions and classes of the interpreter itself.
    const bool is_native =
        PyCFunction_CheckExact(o) ||
        (PyType_Check(o) && !PyType_HasFeature(reinterpret_cast<PyTypeObject *>(o), Py_TPFLAGS_HEAPTYPE));
    return is_native ? FingerprintExtent::whole : FingerprintExtent::outline;
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
