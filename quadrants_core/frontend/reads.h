#pragma once
// What the walk of one kernel read from the Python world: names, attributes, funcs, template arguments. A later process
// that finds all of it unchanged may run the code that was made then; see docs/design/README.md.
//
// A read says where something was found (an attribute of what read 3 found) and what was there, as a print. Objects
// that are their value (numbers, text, dtypes, fields, matrices, builtins) are printed whole. Of all others (modules,
// instances, classes, funcs) the print says only what they are; the walk may use them for nothing but reading an
// attribute, inlining a func, or handing them on to a func, and each of these is a read of its own. Whatever else the
// walk meets in an expression makes the kernel one without a record: `give_up`.
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

/// How reads reach the Python world in a later process.
struct World {
    const Request &request;     ///< without source
    PyObject *kernel = nullptr; ///< what `source` takes for it
    /// Print of the first `lines` lines of the source of a kernel or func; empty if it no longer ends there.
    std::function<std::string(PyObject *object, int64_t lines)> source;
};

/// Print of a source that was walked, and how many lines it has: what World::source gives for it.
std::string print_of(const Source &source, int64_t *lines);

/// A number, text or None, or tuples, lists and dicts of such alone.
bool is_plain(PyObject *object);
/// A func that the package itself lends to kernels; empty with an error set if there is none.
PyRef library_func(const char *name);

class Reads {
  public:
    explicit Reads(const Request &request);

    void name(PyObject *function, PyObject *name, PyObject *found);
    void attribute(PyObject *object, PyObject *name, PyObject *found);
    void param(size_t index, PyObject *value);
    void member(int node, PyObject *key, bool item, const Param &found);
    void library(const char *name, PyObject *func);
    /// A func is inlined: its source, annotations and defaults.
    void function(PyObject *func, PyObject *function, const Source &source);
    void annotation(PyObject *function, PyObject *name, PyObject *found);
    void give_up() { complete_ = false; }

    /// An expression gave `object` and does with it what it likes.
    void use(PyObject *object) {
        if (complete_ && !is_whole(object)) give_up();
    }
    /// `object` is used for reading an attribute: whether one was noted since `expect`.
    void expect() { last_ = nullptr; }
    bool was_read(PyObject *object) const { return last_ == object; }
    /// `object` is compared, shown or computed with, and what it holds takes part.
    void use_within(PyObject *object) {
        if (complete_ && (PyTuple_Check(object) || PyList_Check(object) || PyDict_Check(object)) && !is_plain(object))
            give_up();
    }
    /// Whether its print says all of it.
    bool is_whole(PyObject *object) const;

    /// Everything, in an order in which it can be read again; empty if something cannot be told.
    std::vector<Read> take() { return complete_ ? std::move(list_) : std::vector<Read>(); }

  private:
    struct Known {
        uint32_t read;
        bool whole;
    };
    const Request &request_;
    std::vector<Read> list_;
    std::vector<PyRef> found_; ///< by read
    std::map<std::tuple<Read::How, uint32_t, int64_t, std::string>, uint32_t> places_;
    std::unordered_map<PyObject *, Known> known_;
    std::unordered_map<PyObject *, uint32_t> functions_; ///< Python functions whose names are read
    PyObject *last_ = nullptr;
    bool complete_ = true;

    uint32_t note(Read::How how, uint32_t parent, int64_t index, std::string key, PyObject *found);
    uint32_t add(Read read, PyObject *found);
    void parts(uint32_t read, PyObject *found);
};

/// True if every read finds today what it found then.
bool unchanged(const std::vector<Read> &reads, const World &world);

/// All of a parameter but its value.
void write(Writer &out, const Param &param);
void write(Writer &out, const std::vector<Read> &reads);
std::vector<Read> read_reads(Reader &in);

} // namespace qd::frontend
