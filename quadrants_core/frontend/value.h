#pragma once
// What an expression of a kernel is while it is walked: something known at compile time (a Python object) or something
// computed at run time (scalars and scalarised matrices), or a place that can be read and written. Val is a variant; its
// alternatives are listed in values.def, and what has a meaning for several of them is a switch over all tags.
#include "frontend/py.h"
#include "ir/function.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
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
    PyRef cls;                ///< of instances that a kernel makes: their class
    int nesting = 0;          ///< the same: Walk::nesting where one is being made
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

constexpr double most_items = 1 << 20; ///< that a kernel takes one by one at compile time
constexpr int deepest_sequence = 100;  ///< lists in lists of Python

class Val;
struct BuiltinRow;
struct LoopSource;
struct BoundMethod;
struct DictKeys;

/// The alternatives of Val, in the order of values.def.
namespace val {

/// Of a call without a result.
struct None {};

/// A Python object, known at compile time.
struct Constant {
    PyRef object;
    int node = -1;                    ///< its members are asked of Request::member; -1: of Python
    std::shared_ptr<const Val> owner; ///< a func: the argument that it was found in; may be none
    /// A number that has a type, and is computed with as the run would: what a func gets for a parameter without an
    /// annotation. None: Python computes with it.
    ir::Scalar elem = ir::Scalar::none;
};

/// A number computed at run time.
struct Scalar {
    ir::Value v;
    ir::Scalar elem = ir::Scalar::none;
};

/// A vector or matrix computed at run time.
struct Matrix {
    std::vector<ir::Value> comps; ///< row-major
    int n = 1, m = 1, ndim = 0;   ///< 1: vector, 2: matrix
    ir::Scalar elem = ir::Scalar::none;
};

/// An array parameter, or a stretch of one.
struct Array {
    ir::Value parameter;
    ir::Scalar elem = ir::Scalar::none;
    int ndim = 0;          ///< number of indices
    int n = 1, m = 1;      ///< shape of an element
    int element_dim = 0;   ///< 0 scalar, 1 vector, 2 matrix elements
    int node = -1;         ///< its members are asked of Request::member; -1: it has none
    ir::Value begin, size; ///< of a view made in the kernel; none: all of the parameter
};

/// An argument with members: a dataclass.
struct Bundle {
    PyRef object;
    int node = -1; ///< its members are asked of Request::member
};

/// A tuple or a list.
struct Sequence {
    enum class Type : uint8_t { tuple, list };
    enum class Flavour : uint8_t {
        plain,
        vector,   ///< indices of an unrolled grouped loop: arithmetic as on a vector
        text,     ///< formatted string: items are strings and (value, spec) pairs
        unpacked, ///< vector whose components are members of a struct
    };
    std::vector<Val> items;
    Type type = Type::tuple;
    Flavour flavour = Flavour::plain;
    PyRef member; ///< unpacked: what the struct calls the vector
};

struct Dict {
    std::vector<Val> values;
    std::shared_ptr<DictKeys> keys; ///< never none
};

/// A struct.
struct Record {
    const RecordType *type = nullptr;
    std::vector<Val> members; ///< may be places
};

/// What a `for` runs over.
struct Loop {
    std::shared_ptr<const LoopSource> source; ///< never none
};

/// A method, waiting to be called.
struct Method {
    std::shared_ptr<const BoundMethod> bound; ///< never none
};

/// Somewhere in memory.
struct Place {
    std::shared_ptr<Ref> ref; ///< never none
    Ref *operator->() const { return ref.get(); }
    Ref &operator*() const { return *ref; }
};

/// A container of a dynamic level.
struct Container {
    PyRef field;
    std::vector<ir::Value> indices; ///< without the last
};

/// An element of a mesh.
struct Element {
    PyRef elements;                ///< all of its kind
    ir::Value number;              ///< unless it is a variable
    std::shared_ptr<Ref> variable; ///< where the number lies; else none
};

/// What touches an element of a mesh.
struct Relation {
    PyRef object;
    ir::Value number; ///< of the element
};

/// A[i, j] of a sparse matrix builder.
struct Triplet {
    std::shared_ptr<const Val> builder; ///< never none
    ir::Value row, column;
};

} // namespace val

/// Which alternative a value is.
enum class Tag : uint8_t {
#define VALUE(name, Alternative) name,
#include "frontend/values.def"
};

/// A value was asked for the fields of an alternative that it is not.
[[noreturn]] void fail_alternative(Tag wanted, Tag found);

class Val {
  public:
    Val() = default;
    Val(const Val &other);
    Val(Val &&other) noexcept;
    Val &operator=(const Val &other);
    Val &operator=(Val &&other) noexcept;
    ~Val();
    // Of a value that is about to go, fields are moved out: a reference to them would dangle.
#define VALUE(name, Alternative)                                                                                       \
    Val(val::Alternative alternative) : what_(std::move(alternative)) {}                                               \
    bool is_##name() const { return tag() == Tag::name; }                                                              \
    const val::Alternative &name() const & { return get<Tag::name, val::Alternative>(); }                              \
    val::Alternative &name() & { return get<Tag::name, val::Alternative>(); }                                          \
    val::Alternative name() && { return std::move(get<Tag::name, val::Alternative>()); }                               \
    const val::Alternative *if_##name() const & { return std::get_if<val::Alternative>(&what_); }                      \
    val::Alternative *if_##name() & { return std::get_if<val::Alternative>(&what_); }                                  \
    void if_##name() && = delete;
#include "frontend/values.def"

    Tag tag() const { return Tag(what_.index()); }
    bool is_static = false; ///< came out of qd.static

    /// Of a constant.
    PyObject *object() const { return constant().object.get(); }
    bool is_tuple() const { return is_sequence() && sequence().type == val::Sequence::Type::tuple; }
    bool is_list() const { return is_sequence() && sequence().type == val::Sequence::Type::list; }
    /// A sequence with a meaning of its own.
    bool is(val::Sequence::Flavour flavour) const { return is_sequence() && sequence().flavour == flavour; }
    /// What its members are asked of Request::member by; -1: it is no argument with members.
    int node() const;
    /// The values that it holds: items, values of a dict, members of a struct. None of what holds no values.
    std::span<const Val> parts() const &;
    std::span<Val> parts() &;
    void parts() && = delete;

  private:
    template <class... Alternatives> struct Listed;
    template <class None, class... Alternatives> struct Listed<None, Alternatives...> {
        using Variant = std::variant<Alternatives...>;
    };

    template <Tag tag, class Alternative> const Alternative &get() const {
        if (const Alternative *found = std::get_if<Alternative>(&what_)) [[likely]]
            return *found;
        fail_alternative(tag, this->tag());
    }
    template <Tag tag, class Alternative> Alternative &get() {
        if (Alternative *found = std::get_if<Alternative>(&what_)) [[likely]]
            return *found;
        fail_alternative(tag, this->tag());
    }

    Listed<void
#define VALUE(name, Alternative) , val::Alternative
#include "frontend/values.def"
           >::Variant what_;
};
static_assert(sizeof(Val) <= 56, "values are copied and moved everywhere: what is rare stands behind a pointer");

using Flavour = val::Sequence::Flavour;

inline Val tuple_of(std::vector<Val> items) { return val::Sequence{std::move(items)}; }
inline Val list_of(std::vector<Val> items) { return val::Sequence{std::move(items), val::Sequence::Type::list}; }

struct DictKeys {
    std::vector<PyRef> known;      ///< by position; none where it is known only at run time
    std::map<size_t, Val> unknown; ///< those known only at run time, by position
};

struct BoundMethod {
    std::string name;
    Val self;                            ///< none: of a class
    PyRef callee;                        ///< of a struct: the func; else none
    const BuiltinRow *builtin = nullptr; ///< of a class of the package: the function
    /// functools.partial with values of the run: `self` is what is called, these are its first arguments.
    std::optional<std::vector<Val>> first;
    std::vector<std::pair<PyRef, Val>> by_name;
    PyRef after; ///< `super()` in a method of `self`: its class
    bool is_partial() const { return first.has_value(); }
};

struct LoopSource {
    enum class Over : uint8_t { range, ndrange, target };
    Over over = Over::range;
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
