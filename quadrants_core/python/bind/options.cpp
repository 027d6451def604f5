#include "python/bind/options.h"

namespace qd::bind {

namespace {

bool read(PyObject *value, bool *out) {
    const int truth = PyObject_IsTrue(value);
    *out = truth > 0;
    return truth >= 0;
}

bool read(PyObject *value, int64_t *out) {
    PyObject *number = PyNumber_Long(value);
    if (!number) return false;
    *out = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return !(*out == -1 && PyErr_Occurred());
}

bool read(PyObject *value, uint64_t *out) {
    PyObject *number = PyNumber_Long(value);
    if (!number) return false;
    *out = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return !(*out == uint64_t(-1) && PyErr_Occurred());
}

bool read(PyObject *value, double *out) {
    *out = PyFloat_AsDouble(value);
    return !(*out == -1 && PyErr_Occurred());
}

bool read(PyObject *value, std::string *out) {
    PyObject *path = PyOS_FSPath(value);
    if (!path) return false;
    PyObject *bytes = PyUnicode_Check(path) ? PyUnicode_EncodeFSDefault(path) : Py_NewRef(path);
    Py_DECREF(path);
    if (!bytes) return false;
    out->assign(PyBytes_AS_STRING(bytes), size_t(PyBytes_GET_SIZE(bytes)));
    Py_DECREF(bytes);
    return true;
}

bool read(PyObject *value, ir::Scalar *out) {
    PyObject *code = PyObject_GetAttrString(value, "_qd_scalar_");
    if (!code) return false;
    *out = ir::Scalar(PyLong_AsLong(code));
    Py_DECREF(code);
    return !PyErr_Occurred();
}

PyObject *object_of(bool value) { return PyBool_FromLong(value); }
PyObject *object_of(int64_t value) { return PyLong_FromLongLong(value); }
PyObject *object_of(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
PyObject *object_of(double value) { return PyFloat_FromDouble(value); }
PyObject *object_of(const std::string &value) { return PyUnicode_DecodeFSDefault(value.c_str()); }
PyObject *object_of(ir::Scalar value) { return PyLong_FromLong(long(value)); }

bool put(PyObject *dict, const char *name, PyObject *value) {
    const bool done = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return done;
}

/// Prepends the name of the option to the error that is set.
bool refuse(const char *name) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyErr_Format(type, "the option %s: %S", name, value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return false;
}

} // namespace

bool read_options(PyObject *dict, Options *options) {
    // Names are created once, because options are read whenever a kernel is compiled.
#define OPTION(name, type, initial, set_by, key, doc)                                                                  \
    {                                                                                                                  \
        static PyObject *const word = PyUnicode_InternFromString(#name);                                               \
        if (PyObject *value = PyDict_GetItemWithError(dict, word)) {                                                   \
            if (!read(value, &options->name)) return refuse(#name);                                                    \
        } else if (PyErr_Occurred()) {                                                                                 \
            return false;                                                                                              \
        }                                                                                                              \
    }
#define NO_EFFECT(name, type, initial, doc) OPTION(name, type, initial, config, none, doc)
#include "options/options.def"
    return true;
}

PyObject *options_dict(const Options &options) {
    PyObject *dict = PyDict_New();
    bool good = dict != nullptr;
#define OPTION(name, type, initial, set_by, key, doc) good = good && put(dict, #name, object_of(options.name));
#define NO_EFFECT(name, type, initial, doc) OPTION(name, type, initial, config, none, doc)
#include "options/options.def"
    if (!good) Py_CLEAR(dict);
    return dict;
}

} // namespace qd::bind
