#pragma once
// Lowers a Python syntax tree to typed IR. Called with the GIL held, once per specialisation. Walks the tree (syntax/), inlines funcs,
// evaluates qd.static by calling Python, and reports every compile-time user error with its location.
//
// The kind of a Python object that a kernel mentions is `type(obj)._qd_kind_` (a str, absent on foreign objects; functions and modules of
// the package carry the attribute themselves). Each kind has the attributes listed here.
//   "dtype"         `_qd_scalar_`: int, an ir::Scalar
//   "matrix_type"   `n`, `m` (1 for vectors), `dtype` (a dtype), `ndim` (1 or 2)
//   "struct_type"   `members`: dict name -> type; `methods`: dict name -> function
//   "builtin"       `_qd_name_`: row of builtins.def ("sin", "atomic_add", "static", "ndrange", ...)
//   "func"          `fn`: the Python function, which is inlined. Request::source_of returns its source
//   "field"         a scalar field: `_qd_place_()` -> int, the argument of Request::place
//                   `_qd_packing_()` -> None, or how the numbers are packed into words (packed.cpp); also of matrix fields
//   "matrix_field"  `n`, `m`, `ndim`, `_qd_places_()` -> list of ints, row-major
//   "snode"         a level of a tree: `_qd_place_()` -> int; `_qd_member_places_()` -> list of ints
//   "struct_field"  `keys`, `get_member_field(name)`, `dtype` (the struct type)
//   "struct"        a host Struct: `_entries`: dict name -> value; `_type`: its struct type or None
//   "matrix"        a host Matrix/Vector: compile-time constant; `n`, `m`, `ndim`, `_entries` (row-major list)
//   "mesh_elements" elements of one kind of a mesh: `_count`, `_patches` (None or a field), and named fields or relations
//   "mesh_relation" elements adjacent to each element: `width` (None if it varies), `values`, `offsets` (fields), `target` (elements)
//   "ndarray"       only legal as an argument
//   "sparse_matrix_builder"  a dataclass with the members listed in triplets.cpp
//   "data_oriented" instance whose methods are kernels and funcs: its attributes are read at compile time
// ints, floats, bools, strings, None, tuples, lists, dicts, numpy scalars are compile-time values. Other objects can be used only inside
// qd.static.
#include "autodiff/autodiff.h"
#include "base/error.h"
#include "frontend/py.h"
#include "frontend/dependency.h"
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

/// Text and tree of one kernel or func; the Python package makes them once per function.
struct Source {
    const Node *tree = nullptr; ///< a FunctionDef
    std::string file;           ///< path, or the cell's name ("cell 4")
    int first_line = 1;         ///< file line of the tree's line 1
    std::string name;           ///< __qualname__
    std::string text;           ///< as in the file, with its indentation; line 1 is the tree's
    bool counted = true;        ///< coverage counts its lines; false for funcs of the package
};

/// Defined in parameters.def.
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
    int rows = 1, cols = 1;    ///< shape of matrix values and of elements of arrays
    int element_dim = 0;       ///< arrays: 0 scalar, 1 vector, 2 matrix elements; matrices: 1 vector, 2 matrix
    bool clamp = false;        ///< boundary="clamp"
    std::vector<int> layout;   ///< arrays: the user's index at each level of storage, outermost first; empty: in order
    PyObject *value = nullptr; ///< constants and bundles: the object; structures: the struct type; borrowed
    int leaf = -1;             ///< the caller's number for the parameter: see Result::leaves
    int node = -1;             ///< the caller's number for an object with members, or -1
    int position = 0;          ///< among the declared parameters of the kernel, `self` excluded
    bool runtime_number = false; ///< a number that a class declares to be read at every launch
    bool constant = false;       ///< arrays: no gradient flows to it, even if it has one
};

struct ReturnType {
    ir::Scalar elem = ir::Scalar::none;
    int rows = 1, cols = 1, element_dim = 0;
    PyObject *structure = nullptr; ///< a struct type, borrowed: the values are the scalars of its members, depth first
};

struct Options : LanguageOptions {
    bool coverage = false;                   ///< count the lines of this kernel
    bool pure = false;                       ///< only the arguments may be read
    bool graph = false, checkpoints = false; ///< arguments of the decorator
};

struct Request {
    Source source;
    PyObject *function = nullptr; ///< for __globals__ and __closure__
    std::vector<Param> params;
    std::vector<ReturnType> returns;             ///< empty: no return annotation
    std::function<ir::Place(int)> place;         ///< description of the place with that index
    std::function<int(int)> companion;           ///< index of the gradient or dual of the place with that index, or -1
    std::function<Source(PyObject *)> source_of; ///< source of a func object
    /// Returns attribute (or item) `key` of an object with members; called once for each.
    std::function<Param(int node, PyObject *key, bool item)> member;
    std::function<void(const std::string &category, const std::string &message, const Location &)> warn;
    Options options;
    autodiff::Mode mode = autodiff::Mode::none; ///< mode of the kernel; all but `none` call `companion`
};

/// The user's names for the levels and checkpoints of a kernel, each in the order in which they begin.
struct GraphNames {
    struct Checkpoint {
        PyRef label;      ///< as written; null: the checkpoint is a single loop
        std::string flag; ///< empty: none
    };
    std::vector<std::string> levels; ///< names of their flags
    std::vector<Checkpoint> checkpoints;
};

/// The lowered kernel. The parameters of `fn` are in order: one per scalar, one per component of a matrix value (row-major), one per scalar
/// of a struct's members (depth first), one per array; none for constants.
struct Result {
    ir::Function fn;
    std::vector<int> leaves;  ///< Param::leaf of each argument that became a parameter of `fn`, in order
    std::vector<PyRef> funcs; ///< the inlined funcs, each once
    std::vector<Dependency>
        dependencies; ///< everything that was read from the Python world; empty if it cannot be recorded
    autodiff::Companions companions;
    GraphNames graph;
};

/// A user error with its text as users see it outside raw mode: source excerpts with carets, then message and hint. `what()` is the bare
/// message.
struct __attribute__((visibility("default"))) LoweringError : UserError {
    using UserError::UserError;
    std::string rendered;
};

/// A Python exception that passes through C++. Python's error indicator is clear meanwhile: destructors may run Python code, which must not
/// find an error set.
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
    /// Sets Python's error again; at most once.
    void restore() {
        PyErr_Restore(type_, value_, traceback_);
        type_ = value_ = traceback_ = nullptr;
    }

  private:
    PyObject *type_, *value_, *traceback_;
};

/// Lowers a kernel. Throws LoweringError, PythonError if user code called at compile time raised, or Interrupted after Stop.
Result lower(const Request &request);

/// Every builtin: `_qd_name_` and the names of the parameters that may be given by keyword, separated by spaces.
std::vector<std::pair<std::string_view, std::string_view>> builtin_parameters();

/// Constructed while Python's error is set; takes over the error.
struct __attribute__((visibility("default"))) PythonError {
    std::vector<Location> trace; ///< where the kernel made the call
    std::shared_ptr<HeldError> error = std::make_shared<HeldError>();
};

} // namespace qd::frontend
