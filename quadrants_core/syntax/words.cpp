#include "syntax/words.h"

#include <algorithm>
#include <utility>

namespace qd::syntax {

size_t NameTable::hash(std::string_view name) {
    size_t h = name.size();
    for (char c : name) h = h * 31 + uint8_t(c);
    return h ^ h >> 7;
}

void NameTable::grow() {
    std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(std::max<size_t>(64, entries_.size() * 2)));
    const size_t mask = entries_.size() - 1;
    for (const Entry &entry : old) {
        if (!entry.word) continue;
        size_t i = hash(entry.name) & mask;
        while (entries_[i].word) i = (i + 1) & mask;
        entries_[i] = entry;
    }
}

PyObject *NameTable::intern(std::string_view name) {
    if (used_ * 2 >= entries_.size()) grow();
    const size_t mask = entries_.size() - 1;
    size_t i = hash(name) & mask;
    for (; entries_[i].word; i = (i + 1) & mask)
        if (entries_[i].name == name) return entries_[i].word;
    PyObject *word = make(name);
    if (!word) return nullptr;
    entries_[i] = {name, word};
    used_++;
    return word;
}

namespace {

/// Returns the name in NFKC, as CPython's parser does; takes the reference. Null if it is not an identifier or on an error.
PyObject *normalised(PyObject *name) {
    PyObject *result = nullptr;
    if (PyUnicode_IsIdentifier(name) == 1) {
        if (PyObject *module = PyImport_ImportModule("unicodedata")) {
            result = PyObject_CallMethod(module, "normalize", "sO", "NFKC", name);
            Py_DECREF(module);
        }
    }
    Py_DECREF(name);
    if (result && PyUnicode_CheckExact(result)) return result;
    Py_XDECREF(result);
    return nullptr;
}

} // namespace

PyObject *NameTable::make(std::string_view name) {
    PyObject *made = PyUnicode_DecodeUTF8(name.data(), Py_ssize_t(name.size()), nullptr);
    if (made && !PyUnicode_IS_ASCII(made)) made = normalised(made);
    if (!made) {
        PyErr_Clear();
        return nullptr;
    }
    PyUnicode_InternInPlace(&made);
    return tree_.keep(made);
}

} // namespace qd::syntax
