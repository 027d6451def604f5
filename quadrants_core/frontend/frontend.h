#pragma once
// Python syntax tree -> typed IR. Called with the GIL held, once per specialisation. Walks the tree (syntax/), inlines
// funcs, evaluates qd.static by calling Python, and raises every compile-time user error with its place.
//
// How Python objects that a kernel mentions tell what they are: `type(obj)._qd_kind_` (a str, absent on foreign
// objects; for functions and modules of the package the attribute sits on the object itself) and the attributes listed
// here.
//   "dtype"         `_qd_scalar_`: int, an ir::Scalar
//   "matrix_type"   `n`, `m` (1 for vectors), `dtype` (a dtype), `ndim` (1 or 2)
//   "struct_type"   `members`: dict name -> type; `methods`: dict name -> function
//   "builtin"       `_qd_name_`: row of builtins.def ("sin", "atomic_add", "static", "ndrange", ...)
//   "func"          `fn`: the Python function; inlined. Request::source_of gives its source
//   "field"         a scalar field: `_qd_place_()` -> int, index into Request::places
//                   `_qd_packing_()` -> None, or how the numbers lie in words (packed.cpp); also of matrix fields
//   "matrix_field"  `n`, `m`, `ndim`, `_qd_places_()` -> list of ints, row-major
//   "snode"         a level of a tree: `_qd_place_()` -> int; `_qd_member_places_()` -> list of ints
//   "struct_field"  `keys`, `get_member_field(name)`, `dtype` (the struct type)
//   "struct"        a host Struct: `_entries`: dict name -> value; `_type`: its struct type or None
//   "matrix"        a host Matrix/Vector: compile-time constant; `n`, `m`, `ndim`, `_entries` (row-major list)
//   "mesh_elements" elements of one kind of a mesh: `_count`, `_patches` (None or a field), and by name fields or
//   "mesh_relation" what touches each: `width` (None if it differs), `values`, `offsets` (fields), `target` (elements)
//   "ndarray"       only legal as an argument
//   "sparse_matrix_builder"  a dataclass with the members that triplets.cpp names
//   "data_oriented" instance whose methods are kernels and funcs: attributes are read at compile time
// ints, floats, bools, strings, None, tuples, lists, dicts, numpy scalars are compile-time values. Anything else is
// usable inside qd.static only.
#include "autodiff/autodiff.h"
#include "base/error.h"
#include "frontend/py.h"
#include "frontend/read.h"
#include "ir/function.h"
#include "options/options.h"
#include "syntax/tree.h"

#include <Python.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace qd::frontend {

using syntax::child;
using syntax::constant_of;
using syntax::each_child;
using syntax::each_node;
using syntax::ExpressionKind;
using syntax::Extent;
using syntax::Field;
using syntax::has_field;
using syntax::is_statement;
using syntax::Items;
using syntax::items_of;
using syntax::kind_name;
using syntax::Node;
using syntax::NodeKind;
using syntax::number_of;
using syntax::StatementKind;
using syntax::TargetKind;
using syntax::word_of;

/// Text and tree of one kernel or func, as made once per function by the Python package.
struct Source {
    const Node *tree = nullptr; ///< a FunctionDef
    std::string file;           ///< path, or the cell's name ("cell 4")
    int first_line = 1;         ///< file line of the tree's line 1
    std::string name;           ///< __qualname__
    std::string text;           ///< as it stands in the file, indented or not; line 1 is the tree's
    bool counted = true;        ///< coverage sees into it; not so funcs that come with the package
};

/// As parameters.def says.
enum class ParamKind : uint8_t {
#define PARAMETER(kind, name, passes) kind,
#include "frontend/parameters.def"
};
enum class Passes : uint8_t { nothing, number, numbers, array };

constexpr const char *kind_name(ParamKind kind) {
    constexpr const char *names[] = {
#define PARAMETER(kind, name, passes) name,
#include "frontend/parameters.def"
    };
    return names[size_t(kind)];
}

constexpr Passes passes(ParamKind kind) {
    constexpr Passes all[] = {
#define PARAMETER(kind, name, passes) Passes::passes,
#include "frontend/parameters.def"
    };
    return all[size_t(kind)];
}

struct Param {
    std::string name;
    ParamKind kind = ParamKind::scalar;
    ir::Scalar elem = ir::Scalar::i32;
    int ndim = 0;              ///< arrays: number of indices
    int rows = 1, cols = 1;    ///< matrix values; elements of arrays
    int element_dim = 0;       ///< arrays: 0 scalar, 1 vector, 2 matrix elements; matrices: 1 vector, 2 matrix
    bool clamp = false;        ///< boundary="clamp"
    std::vector<int> layout;   ///< arrays: index of the user at each level of storage, outermost first; empty: in order
    PyObject *value = nullptr; ///< constant and bundle: the object; structure: the struct type; borrowed
    int leaf = -1;             ///< the caller's number for it: see Result::leaves
    int node = -1;             ///< the caller's number for an object with members; -1: it has none
    int position = 0;          ///< among the kernel's parameters as the user wrote them, `self` left out
    bool lifted = false;       ///< a number that a class asked to have read at every launch
    bool constant = false;     ///< arrays: no gradient flows to it, whatever it has
};

struct ReturnType {
    ir::Scalar elem = ir::Scalar::none;
    int rows = 1, cols = 1, element_dim = 0;
    PyObject *structure = nullptr; ///< a struct type, borrowed: the scalars of its members, depth first
};

struct Options : LanguageOptions {
    bool coverage = false;                   ///< this kernel's lines are counted
    bool pure = false;                       ///< nothing but the arguments may be read
    bool graph = false, checkpoints = false; ///< as the decorator says
};

struct Request {
    Source source;
    PyObject *function = nullptr; ///< for __globals__ and __closure__
    std::vector<Param> params;
    std::vector<ReturnType> returns;             ///< empty: no return annotation
    std::function<ir::Place(int)> place;         ///< description of the place with that index
    std::function<int(int)> companion;           ///< of the place with that index: its gradient or dual, or -1
    std::function<Source(PyObject *)> source_of; ///< of a func object
    /// Attribute (or item) `key` of an object with members; asked once for each.
    std::function<Param(int node, PyObject *key, bool item)> member;
    std::function<void(const std::string &category, const std::string &message, const Location &)> warn;
    Options options;
    autodiff::Mode mode = autodiff::Mode::none; ///< what the kernel is walked for: `companion` is asked for the others
};

/// What people call the levels and checkpoints of a kernel, each in the order in which they begin.
struct GraphNames {
    struct Checkpoint {
        PyRef label;      ///< as written; none: it stands for a loop alone
        std::string flag; ///< empty: none
    };
    std::vector<std::string> levels; ///< their flags
    std::vector<Checkpoint> checkpoints;
};

/// A kernel's parameters in ir::Function order: scalars one each, matrix values one per component (row-major), structs
/// one per scalar of their members, depth first, arrays one each; constants none.
struct Result {
    ir::Function fn;
    std::vector<int> leaves;  ///< Param::leaf of those that became parameters of `fn`, in its order
    std::vector<PyRef> funcs; ///< funcs that were inlined, each once
    std::vector<Read> reads;  ///< all that was read from the Python world; empty if that cannot be told
    autodiff::Companions companions;
    GraphNames graph;
};

/// A user error with its text as people see it outside raw mode: place blocks with carets, then message and hint.
/// `what()` is the bare message.
struct __attribute__((visibility("default"))) LoweringError : UserError {
    using UserError::UserError;
    std::string rendered;
};

/// An exception of Python on its way through C++. Python's own error is clear meanwhile: destructors may run code of
/// Python, which must not find one.
class __attribute__((visibility("default"))) HeldError {
  public:
    HeldError() { PyErr_Fetch(&type_, &value_, &traceback_); }
    HeldError(const HeldError &) = delete;
    HeldError &operator=(const HeldError &) = delete;
    ~HeldError() {
        Py_XDECREF(type_);
        Py_XDECREF(value_);
        Py_XDECREF(traceback_);
    }
    /// Sets Python's error again, once.
    void restore() {
        PyErr_Restore(type_, value_, traceback_);
        type_ = value_ = traceback_ = nullptr;
    }

  private:
    PyObject *type_, *value_, *traceback_;
};

/// Throws LoweringError, PythonError when user code called at compile time raised, or Interrupted after Stop.
Result lower(const Request &request);

/// Every builtin: `_qd_name_`, and the names of its parameters that may be given by keyword, separated by spaces.
std::vector<std::pair<std::string_view, std::string_view>> builtin_parameters();

/// Made while Python's error is set, which it takes.
struct __attribute__((visibility("default"))) PythonError {
    std::vector<Location> trace; ///< where the kernel called it
    std::shared_ptr<HeldError> error = std::make_shared<HeldError>();
};

} // namespace qd::frontend
