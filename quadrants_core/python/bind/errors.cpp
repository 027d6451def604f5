#include "python/bind/errors.h"

#include "base/error.h"
#include "engine/stopped.h"

#include <new>
#include <optional>
#include <utility>

namespace qd::bind {
namespace {

const char *class_name(ErrorClass kind) {
    switch (kind) {
    case ErrorClass::compilation: return "QuadrantsCompilationError";
    case ErrorClass::syntax: return "QuadrantsSyntaxError";
    case ErrorClass::name: return "QuadrantsNameError";
    case ErrorClass::index: return "QuadrantsIndexError";
    case ErrorClass::type: return "QuadrantsTypeError";
    case ErrorClass::runtime: return "QuadrantsRuntimeError";
    case ErrorClass::assertion: return "QuadrantsAssertionError";
    case ErrorClass::runtime_type: return "QuadrantsRuntimeTypeError";
    case ErrorClass::mismatch: return "_Mismatch";
    case ErrorClass::value: return "ValueError";
    case ErrorClass::bounds: return "_OutOfBounds";
    case ErrorClass::argument: return "QuadrantsArgumentError";
    case ErrorClass::interrupted: return "QuadrantsInterruptedError";
    }
    return "QuadrantsRuntimeError";
}

ErrorClass class_of(UserErrorKind kind) {
    switch (kind) {
    case UserErrorKind::compilation: return ErrorClass::compilation;
    case UserErrorKind::syntax: return ErrorClass::syntax;
    case UserErrorKind::name: return ErrorClass::name;
    case UserErrorKind::index: return ErrorClass::index;
    case UserErrorKind::type: return ErrorClass::type;
    case UserErrorKind::runtime: return ErrorClass::runtime;
    case UserErrorKind::assertion: return ErrorClass::assertion;
    case UserErrorKind::runtime_type: return ErrorClass::runtime_type;
    case UserErrorKind::argument: return ErrorClass::argument;
    }
    return ErrorClass::runtime;
}

PyObject *trace_list(const std::vector<Location> &trace) {
    PyObject *list = PyList_New(0);
    for (const Location &at : trace) {
        PyObject *entry = Py_BuildValue("(ssIIII)", at.file.c_str(), at.scope.c_str(), at.line, at.column, at.end_line,
                                        at.end_column);
        if (entry) PyList_Append(list, entry);
        Py_XDECREF(entry);
    }
    return list;
}

/// The most recent launch of this thread that Stop ended, until an error reports its position.
thread_local std::optional<engine::Activity> stopped;

/// Returns the position as text; null, without an error set, if it is unknown.
PyObject *text_of_position(const std::optional<engine::Activity> &at) {
    if (!at || at->kernel.empty()) return nullptr;
    PyObject *maker = package_attr("quadrants._live.activity", "where_it_stopped");
    PyObject *iterations = maker ? PyTuple_New(Py_ssize_t(at->passes.size())) : nullptr;
    for (size_t i = 0; iterations && i < at->passes.size(); i++)
        PyTuple_SET_ITEM(iterations, Py_ssize_t(i), PyLong_FromUnsignedLong(at->passes[i]));
    PyObject *text = iterations ? PyObject_CallFunction(maker, "ssIIIN", at->kernel.c_str(), at->file.c_str(), at->line,
                                                        at->chunks_done, at->chunks, iterations)
                                : nullptr;
    Py_XDECREF(maker);
    if (!text) PyErr_Clear();
    return text;
}

/// Lets quadrants._exceptions build the exception, and sets it.
void raise_through(const char *maker, PyObject *args) {
    PyObject *function = args ? package_attr("quadrants._exceptions", maker) : nullptr;
    PyObject *error = function ? PyObject_CallObject(function, args) : nullptr;
    Py_XDECREF(function);
    Py_XDECREF(args);
    if (!error) return;
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error)), error);
    Py_DECREF(error);
}

/// User code called at compile time raised: sets its error, extended by the location in the kernel.
void raise_foreign(const frontend::PythonError &error) {
    error.error->restore();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback && value) PyException_SetTraceback(value, traceback);
    PyObject *cause = value ? value : Py_None;
    raise_through("from_foreign", Py_BuildValue("(ON)", cause, trace_list(error.trace)));
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

} // namespace

void raise(ErrorClass kind, const std::string &message) {
    if (kind == ErrorClass::value) {
        PyErr_SetString(PyExc_ValueError, message.c_str());
        return;
    }
    PyObject *type = package_attr("quadrants._exceptions", class_name(kind));
    if (!type) return;
    PyErr_SetString(type, message.c_str());
    Py_DECREF(type);
}

void forget_where_it_stopped() { stopped.reset(); }

void say_where_it_stopped() {
    const std::optional<engine::Activity> at = std::exchange(stopped, std::nullopt);
    if (!at || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const bool is_plain = type == PyExc_KeyboardInterrupt && !value; // as Python's own handler raises it
    PyObject *text = is_plain ? text_of_position(at) : nullptr;
    PyErr_Restore(type, text ? text : value, traceback);
}

void raise_stopped_on_other_thread() {
    PyObject *text = text_of_position(std::exchange(stopped, std::nullopt));
    const char *where = text ? PyUnicode_AsUTF8(text) : nullptr;
    if (!where) PyErr_Clear();
    raise(ErrorClass::interrupted, std::string(where ? where : "the kernel was stopped") + " (Ctrl-C or Stop)");
    Py_XDECREF(text);
}

void raise_current_exception() {
    try {
        throw;
    } catch (const frontend::LoweringError &e) {
        raise_through("from_frontend",
                      Py_BuildValue("(sss)", class_name(class_of(e.kind)), e.what(), e.rendered.c_str()));
    } catch (const UserError &e) {
        raise_through("from_core", Py_BuildValue("(ssNs)", class_name(class_of(e.kind)), e.what(), trace_list(e.trace),
                                                 e.hint.c_str()));
    } catch (const frontend::PythonError &e) {
        raise_foreign(e);
    } catch (const DeviceError &e) {
        raise_through("from_device", Py_BuildValue("(ssl)", e.what(), e.call.c_str(), e.code));
    } catch (const engine::StoppedLaunch &e) {
        stopped = e.at;
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const Interrupted &) {
        stopped.reset();
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::exception &e) {
        raise_through("from_internal", Py_BuildValue("(s)", e.what()));
    }
}

} // namespace qd::bind
