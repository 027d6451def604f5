#pragma once
// The dependencies of one kernel's code on the Python world: the names, attributes, funcs and template arguments that the walk read. A
// later process that finds all of them unchanged may run the code that was compiled then; see docs/design/cache-entries.md.
//
// A dependency records where an object was found (an attribute of the object of dependency 3) and a fingerprint of it. Objects that are
// their value (numbers, text, dtypes, fields, matrices, builtins) are fingerprinted completely. The fingerprint of all others (modules,
// instances, classes, funcs) covers only their kind and name; the walk may use them only to read an attribute, to inline a func, or to pass
// them to a func, and each of these is a dependency of its own. Any other object in an expression leaves the kernel without a cache entry:
// `give_up`.
#include "frontend/frontend.h"
#include "frontend/py.h"

#include <map>
#include <tuple>
#include <unordered_map>

namespace qd {
class Writer;
class Reader;
} // namespace qd

namespace qd::frontend {

/// The Python world of a later process, in which dependencies are checked.
struct World {
    const Request &request;     ///< without a source
    PyObject *kernel = nullptr; ///< argument of `source` for the kernel
    /// Fingerprint of the first `lines` lines of the source of a kernel or func; empty if the source no longer ends there.
    std::function<std::string(PyObject *object, int64_t lines)> source;
};

/// Fingerprint of a source that was walked, which World::source returns for it, and its number of lines.
std::string fingerprint_of(const Source &source, int64_t *lines);

/// True for a number, text or None, and for tuples, lists and dicts that contain only such objects.
bool is_plain(PyObject *object);
/// A func of the package that kernels may use; null with an error set if there is none.
PyRef library_func(const char *name);

class Dependencies {
  public:
    explicit Dependencies(const Request &request);

    void name(PyObject *function, PyObject *name, PyObject *found);
    void attribute(PyObject *object, PyObject *name, PyObject *found);
    void param(size_t index, PyObject *value);
    void member(int node, PyObject *key, bool item, const Param &found);
    void library(const char *name, PyObject *func);
    /// Records an inlined func: its source, annotations and defaults.
    void function(PyObject *func, PyObject *function, const Source &source);
    void annotation(PyObject *function, PyObject *name, PyObject *found);
    void give_up() { complete_ = false; }

    /// An expression yields `object`, which may be used in any way.
    void use(PyObject *object) {
        if (complete_ && !is_whole(object)) give_up();
    }
    /// `expect` precedes an access to an attribute of `object`; `was_read` is true if the access was recorded.
    void expect() { last_ = nullptr; }
    bool was_read(PyObject *object) const { return last_ == object; }
    /// `object` is compared, shown or computed with, including its contents.
    void use_within(PyObject *object) {
        if (complete_ && (PyTuple_Check(object) || PyList_Check(object) || PyDict_Check(object)) && !is_plain(object))
            give_up();
    }
    /// True if the fingerprint of an object covers all of it.
    bool is_whole(PyObject *object) const;

    /// All dependencies, in an order in which they can be checked; empty if something could not be recorded.
    std::vector<Dependency> take() { return complete_ ? std::move(list_) : std::vector<Dependency>(); }

  private:
    struct Known {
        uint32_t read;
        bool whole;
    };
    const Request &request_;
    std::vector<Dependency> list_;
    std::vector<PyRef> found_; ///< by dependency
    std::map<std::tuple<Dependency::How, uint32_t, int64_t, std::string>, uint32_t> places_;
    std::unordered_map<PyObject *, Known> known_;
    std::unordered_map<PyObject *, uint32_t> functions_; ///< Python functions whose names are read
    PyObject *last_ = nullptr;
    bool complete_ = true;

    uint32_t note(Dependency::How how, uint32_t parent, int64_t index, std::string key, PyObject *found);
    uint32_t add(Dependency read, PyObject *found);
    void parts(uint32_t read, PyObject *found);
};

/// True if every dependency still finds the same object.
bool unchanged(const std::vector<Dependency> &dependencies, const World &world);

/// Writes all of a parameter except its value.
void write(Writer &out, const Param &param);
void write(Writer &out, const std::vector<Dependency> &dependencies);
std::vector<Dependency> read_dependencies(Reader &in);

} // namespace qd::frontend
