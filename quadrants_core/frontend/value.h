#pragma once
// What an expression of a kernel is while it is walked: something known at compile time (a Python object) or something
// computed at run time (scalars and scalarised matrices), or a place that can be read and written.
#include "frontend/py.h"
#include "ir/function.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace qd::frontend {

/// A matrix that lives in locals: one per component. If an index known only at run time touches it, `array` is made and
/// the components become addresses inside it once the walk is over.
struct MatrixVar {
    std::vector<ir::Value> parts;
    ir::Value array; ///< none until a run-time index is met
    ir::BlockId block;
};

/// A component of a quant type. Its place is the word in which the number lies.
struct Packed {
    uint32_t packing = 0; ///< entry of ir::Function::packings
    ir::Scalar compute = ir::Scalar::i32;
    // quant arrays, per index of the field; else empty
    std::vector<int> cells; ///< elements in a word
    std::vector<int> outer; ///< whether the words have that index too
    std::vector<int32_t> shape;
};

/// A field as the walk needs it, read once from its Python object.
struct FieldInfo {
    PyObject *object = nullptr;
    std::string name;
    ir::Scalar elem = ir::Scalar::none;
    std::vector<uint32_t> places; ///< indices into ir::Function::places, row-major
    int n = 1, m = 1, element_dim = 0;
    int dims() const { return int(shape.size()); }
    std::vector<int32_t> shape, offset;
    long stride = 0;            ///< bytes between components if they stand evenly in one cell, else 0
    std::vector<Packed> packed; ///< quant types: one per component; `elem` is the type they are computed in
    bool is_packed() const { return !packed.empty(); }
};

/// A struct type as the walk needs it, read once from its Python object.
struct RecordType {
    PyRef object;             ///< the struct type; none for qd.Struct(...) written in a kernel
    std::vector<PyRef> names; ///< of the members, interned
    std::vector<PyRef> types; ///< of the members; none if `object` is none
    PyRef methods;            ///< dict: name -> func; may be none
};

/// A place that can be read, stored to, and updated atomically. A matrix place denotes components `comps` of its base.
struct Ref {
    enum class Base : uint8_t { pointer, variable, element, field };
    Base base = Base::pointer;
    bool local = false; ///< a variable of the kernel
    ir::BlockId region; ///< local: the kernel's body, or that of the parallel loop in which it was made
    ir::Scalar elem = ir::Scalar::none;
    int n = 1, m = 1, ndim = 0; ///< 0: scalar, 1: vector, 2: matrix
    std::vector<int> comps;     ///< matrix: component of the base for each component denoted, row-major
    ir::Value shift;            ///< added to each of `comps`; none: 0
    ir::Value pointer;          ///< scalars; none: made from the base when used
    MatrixVar *variable = nullptr;
    ir::Value array;                  ///< element: the array parameter
    std::vector<ir::Value> indices;   ///< element, field, an element of a scalar field
    const FieldInfo *field = nullptr; ///< the field, also if `pointer` is all that is needed
};

enum class Tag : uint8_t {
    none,
    constant, ///< Python object, known at compile time
    scalar,   ///< run-time value
    matrix,   ///< run-time values, row-major
    array,    ///< array parameter
    bundle,   ///< argument with members: a dataclass
    tuple,
    list,
    dict,
    record, ///< struct: `record` and its members in `items`, which may be places
    loop,   ///< what a `for` runs over
    method, ///< method of a run-time value, waiting to be called
    ref,
    container, ///< container of a dynamic level: `object` is the field, `comps` the indices without the last
    element,   ///< of a mesh: `object` is all of its kind, `v` its number; a variable has that in `ref`
    relation,  ///< what touches an element of a mesh: `object` is the relation, `v` the element's number
    triplet,   ///< A[i, j] of a sparse matrix builder: `items` is the builder, `comps` are the indices
};

struct Extra;

constexpr double most_items = 1 << 20; ///< that a kernel takes one by one at compile time
constexpr int deepest_sequence = 100;  ///< lists in lists of Python

/// What a tuple or list stands for, in Val::element_dim.
enum Flavour : int {
    is_vector = 1,   ///< indices of an unrolled grouped loop: arithmetic as on a vector
    is_text = 2,     ///< formatted string: items are strings and (value, spec) pairs
    is_unpacked = 3, ///< vector whose components are members of a struct: `object` is its name
};

struct Val {
    Tag tag = Tag::none;
    bool is_static = false; ///< came out of qd.static
    ir::Scalar elem = ir::Scalar::none;
    int n = 1, m = 1, ndim = 0;   ///< matrix: shape; array: ndim = number of indices, n x m = element
    int element_dim = 0;          ///< array: 0 scalar, 1 vector, 2 matrix elements; tuple, list: a `Flavour`
    int node = -1;                ///< constant, bundle, array: its members are asked of Request::member
    ir::Value v;                  ///< scalar: the value; array: the parameter
    PyRef object;                 ///< constant, bundle
    std::vector<ir::Value> comps; ///< matrix: row-major; array: offset and size of a view made in the kernel
    std::vector<Val> items;       ///< tuple, list; values of a dict; members of a struct
    const RecordType *record = nullptr;
    std::shared_ptr<Ref> ref;
    std::shared_ptr<Extra> extra;

    bool is_constant() const { return tag == Tag::constant; }
    bool is_sequence() const { return tag == Tag::tuple || tag == Tag::list; }
};

/// The rarely used parts of a value.
struct Extra {
    std::vector<PyRef> keys;            ///< dict
    std::map<size_t, Val> unknown_keys; ///< dict: those known only at run time, by position
    std::string name;                   ///< method
    Val self;                           ///< method; constant: a func found in this object
    PyRef callee;                       ///< method of a struct: the func

    enum class Over : uint8_t { range, ndrange, target };
    Over over = Over::range; ///< loop
    bool grouped = false;
    std::vector<Val> lower, upper; ///< range, ndrange
    std::vector<int> axes;         ///< ndrange: order of iteration, outermost first; empty = as written
    Val target;                    ///< array or field, or a compile-time sequence
};

/// Parameter of an array: what the walk knows of it.
struct ArrayInfo {
    std::string name;
    int position = 0; ///< among the kernel's parameters as the user wrote them
    bool clamp = false;
    std::vector<int> layout; ///< see Param::layout
    bool is_view = false;    ///< a stretch of an array
    bool constant = false;   ///< see Param::constant
    /// The level of storage that index `axis` of the user selects.
    int level(int axis) const {
        if (layout.empty()) return axis;
        return int(std::find(layout.begin(), layout.end(), axis) - layout.begin());
    }
};

} // namespace qd::frontend
