#define PY_SSIZE_T_CLEAN
#include "python/bind/entry_name.h"

#include "base/bytes.h"
#include "frontend/dependencies.h"
#include "python/bind/scalar.h"

#include "frontend_stamp.h"

namespace qd::bind {
namespace {

using frontend::PyRef;

constexpr const char *option_names[] = {
#define QD_NAME_entry(name) #name,
#define QD_NAME_none(name)
#define OPTION(name, type, initial, set_by, key, doc) QD_NAME_##key(name)
#define NO_EFFECT(name, type, initial, doc)
#include "options/options.def"
    "coverage", "fastcache", "graph", "checkpoints"};

// The request to the frontend is destructured by name, so that a new member must be added here as well. All values are written as text,
// so that they can be shown.

std::string text_of(bool value) { return value ? "True" : "False"; }
std::string text_of(ir::Scalar value) { return scalar_name(value); }
template <class Number> std::string text_of(Number value) { return std::to_string(value); }

void write_options(Writer &w, const frontend::Options &options) {
    options.each([&](auto value) { w.text(text_of(value)); });
    for (const bool flag : {options.coverage, options.pure, options.graph, options.checkpoints}) w.text(text_of(flag));
}

std::string kind_of(const frontend::Param &p) {
    std::string text = frontend::kind_name(p.kind);
    if (p.elem != ir::Scalar::none) text += std::string(" of ") + scalar_name(p.elem);
    if (p.rows > 1 || p.cols > 1) text += " " + std::to_string(p.rows) + "x" + std::to_string(p.cols);
    if (frontend::passes(p.kind) == frontend::Passes::array)
        text += ", " + std::to_string(p.ndim) + (p.ndim == 1 ? " index" : " indices");
    return text;
}

void write_param(Writer &w, const frontend::Param &param) {
    const bool shown = param.kind == frontend::ParamKind::constant && frontend::is_plain(param.value);
    w.text(param.name);
    w.text(kind_of(param));
    w.text(shown ? frontend::repr(param.value) : "");
    Writer exact;
    frontend::write(exact, param);
    w.blob(exact.bytes);
}

void put(PyObject *dict, const char *key, PyObject *owned) {
    if (owned) PyDict_SetItemString(dict, key, owned);
    Py_XDECREF(owned);
}

PyObject *text_object(std::string_view text) {
    return PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace");
}

} // namespace

EntryName entry_name(const frontend::Source &kernel, const frontend::Request &request, uint64_t code_options) {
    const auto &[source, function, params, returns, place, companion, source_of, member, warn, options, mode] = request;
    EntryName name;
    name.kernel = kernel.name;
    name.file = kernel.file;
    Writer w;
    w.text(QD_FRONTEND_STAMP);
    w.number(uint32_t(PY_VERSION_HEX));
    w.text(kernel.file);
    w.text(kernel.name);
    w.number(kernel.first_line);
    w.text(kernel.text);
    write_options(w, options);
    w.number(code_options);
    w.number(mode);
    name.of_source = w.bytes.size();
    w.number(uint64_t(params.size()));
    for (const frontend::Param &p : params) write_param(w, p);
    // Kernels made by one factory differ in their closures.
    Writer cells;
    uint64_t count = 0;
    PyRef closure = PyRef::steal(PyObject_GetAttrString(function, "__closure__"));
    PyErr_Clear();
    for (Py_ssize_t i = 0; closure && PyTuple_Check(closure.get()) && i < PyTuple_GET_SIZE(closure.get()); i++) {
        PyObject *content = PyCell_GET(PyTuple_GET_ITEM(closure.get(), i));
        if (!content || !frontend::is_plain(content)) continue;
        cells.text(frontend::repr(content));
        count++;
    }
    w.number(count);
    w.raw(cells.bytes.data(), cells.bytes.size());
    w.number(uint64_t(returns.size()));
    for (const auto &[elem, rows, cols, element_dim, structure] : returns) {
        w.number(elem);
        for (const int n : {rows, cols, element_dim, int(structure != nullptr)}) w.number(n);
    }
    name.bytes = std::move(w.bytes);
    return name;
}

PyObject *describe_name(std::span<const uint8_t> bytes) {
    Reader r(bytes);
    PyObject *out = PyDict_New();
    if (!out) return nullptr;
    put(out, "compiler", text_object(r.view()));
    put(out, "python", PyLong_FromUnsignedLong(r.number<uint32_t>()));
    put(out, "file", text_object(r.view()));
    put(out, "name", text_object(r.view()));
    put(out, "line", PyLong_FromLong(r.number<int>()));
    put(out, "text", text_object(r.view()));
    PyObject *options = PyDict_New(), *params = PyList_New(0), *closure = PyList_New(0);
    for (const char *option : option_names) put(options, option, text_object(r.view()));
    put(out, "code_options", PyLong_FromUnsignedLongLong(r.number<uint64_t>()));
    put(options, "derivative", PyLong_FromLong(long(r.number<autodiff::Mode>())));
    for (size_t i = r.count(); i > 0; i--) {
        const std::string_view name = r.view(), kind = r.view(), value = r.view();
        const auto exact = r.blob();
        PyObject *one = Py_BuildValue("(NNNy#)", text_object(name), text_object(kind), text_object(value),
                                      reinterpret_cast<const char *>(exact.data()), Py_ssize_t(exact.size()));
        if (one) PyList_Append(params, one);
        Py_XDECREF(one);
    }
    for (size_t i = r.count(); i > 0; i--) {
        PyObject *one = text_object(r.view());
        if (one) PyList_Append(closure, one);
        Py_XDECREF(one);
    }
    put(out, "options", options);
    put(out, "parameters", params);
    put(out, "closure", closure);
    if (PyErr_Occurred()) {
        Py_DECREF(out);
        return nullptr;
    }
    if (r.ok) return out;
    Py_DECREF(out);
    Py_RETURN_NONE;
}

} // namespace qd::bind
