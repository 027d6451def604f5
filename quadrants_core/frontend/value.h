#pragma once
// The value of an expression during the walk: known at compile time (a Python object), computed at run time (scalars and scalarised
// matrices), or a place that can be read and written. Val is a variant. Its alternatives are listed in values.def; a function that handles
// several of them switches over all tags.
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

/// A matrix in local variables, one per component. If a run-time index accesses it, `array` is made, and the components become addresses in
/// it after the walk.
struct MatrixVar {
    std::vector<ir::Value> parts;
    ir::Value array; ///< none until a run-time index occurs
    ir::BlockId block;
};

/// A component of a quant type. Its place is the word that contains the number.
struct Packed {
    uint32_t packing = 0; ///< index into ir::Function::packings
    ir::Scalar compute = ir::Scalar::i32;
    // quant arrays, per index of the field; otherwise empty
    std::vector<int> cells; ///< elements per word
    std::vector<int> outer; ///< whether the words are indexed along it, too
    std::vector<int32_t> shape;
};

/// A field, read once from its Python object.
struct FieldInfo {
    PyObject *object = nullptr;
    std::string name;
    ir::Scalar elem = ir::Scalar::none;
    std::vector<uint32_t> places; ///< indices into ir::Function::places, row-major
    int n = 1, m = 1, element_dim = 0;
    int dims() const { return int(shape.size()); }
    std::vector<int32_t> shape, offset;
    long stride = 0;            ///< bytes between components if they are evenly spaced in one cell, else 0
    std::vector<Packed> packed; ///< quant types: one per component; `elem` is the type for computations
    bool is_packed() const { return !packed.empty(); }
};

/// A struct type, read once from its Python object.
struct StructLayout {
    PyRef object;             ///< the struct type; null for qd.Struct(...) written in a kernel
    std::vector<PyRef> names; ///< names of the members, interned
    std::vector<PyRef> types; ///< types of the members; null if `object` is null
    PyRef methods;            ///< dict: name -> func; may be null
    PyRef cls;                ///< class of instances that a kernel makes
    int nesting = 0;          ///< for such instances: Walk::nesting where one is under construction
};

/// A place that can be read, stored to, and updated atomically. A matrix place denotes the components `comps` of its base.
struct Ref {
    enum class Base : uint8_t { pointer, variable, element, field };
    Base base = Base::pointer;
    bool local = false; ///< a variable of the kernel
    ir::BlockId region; ///< local: the body of the kernel, or of the parallel loop in which it was made
    ir::Scalar elem = ir::Scalar::none;
    int n = 1, m = 1, ndim = 0; ///< 0: scalar, 1: vector, 2: matrix
    std::vector<int> comps;     ///< matrix: component of the base for each component, row-major
    ir::Value shift;            ///< added to each of `comps`; none: 0
    ir::Value pointer;          ///< scalars; none: made from the base when used
    MatrixVar *variable = nullptr;
    ir::Value array;                  ///< element: the array parameter
    std::vector<ir::Value> indices;   ///< element, field, element of a scalar field
    const FieldInfo *field = nullptr; ///< the field, even if `pointer` suffices
};

constexpr double max_items = 1 << 20; ///< limit on the items that a kernel takes one by one at compile time
constexpr int deepest_sequence = 100; ///< nesting limit of Python lists

class Val;
struct BuiltinRow;
struct LoopSource;
struct BoundMethod;
struct DictKeys;

/// The alternatives of Val, in the order of values.def.
namespace val {

/// The result of a call without a return value.
struct None {};

/// A Python object, known at compile time.
struct Constant {
    PyRef object;
    int node = -1;                    ///< Request::member provides its members; -1: Python does
    std::shared_ptr<const Val> owner; ///< a func: the argument in which it was found; may be null
    /// The type of a number that is computed with as at run time, such as an argument for a func's parameter without an annotation. None:
    /// Python computes with it.
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

/// An array parameter, or a view of a part of it.
struct Array {
    ir::Value parameter;
    ir::Scalar elem = ir::Scalar::none;
    int ndim = 0;          ///< number of indices
    int n = 1, m = 1;      ///< shape of an element
    int element_dim = 0;   ///< 0 scalar, 1 vector, 2 matrix elements
    int node = -1;         ///< Request::member provides its members; -1: it has none
    ir::Value begin, size; ///< view made in the kernel; none: the whole parameter
};

/// An argument with members: a dataclass.
struct Bundle {
    PyRef object;
    int node = -1; ///< Request::member provides its members
};

/// A tuple or a list.
struct Sequence {
    enum class Type : uint8_t { tuple, list };
    enum class Flavour : uint8_t {
        plain,
        vector,   ///< indices of an unrolled grouped loop, with vector arithmetic
        text,     ///< formatted string: items are strings and (value, spec) pairs
        unpacked, ///< vector whose components are members of a struct
    };
    std::vector<Val> items;
    Type type = Type::tuple;
    Flavour flavour = Flavour::plain;
    PyRef member; ///< unpacked: name of the vector in the struct
};

struct Dict {
    std::vector<Val> values;
    std::shared_ptr<DictKeys> keys; ///< never null
};

/// A struct.
struct StructValue {
    const StructLayout *type = nullptr;
    std::vector<Val> members; ///< may be places
};

/// The iteration space of a `for`.
struct Loop {
    std::shared_ptr<const LoopSource> source; ///< never null
};

/// A bound method.
struct Method {
    std::shared_ptr<const BoundMethod> bound; ///< never null
};

/// A place in memory.
struct Place {
    std::shared_ptr<Ref> ref; ///< never null
    Ref *operator->() const { return ref.get(); }
    Ref &operator*() const { return *ref; }
};

/// A container of a dynamic level.
struct Container {
    PyRef field;
    std::vector<ir::Value> indices; ///< without the last one
};

/// An element of a mesh.
struct Element {
    PyRef elements;                ///< all of its kind
    ir::Value number;              ///< unless `variable` holds it
    std::shared_ptr<Ref> variable; ///< place that holds the number; else null
};

/// The elements adjacent to an element of a mesh.
struct Relation {
    PyRef object;
    ir::Value number; ///< number of the element
};

/// A[i, j] of a sparse matrix builder.
struct Triplet {
    std::shared_ptr<const Val> builder; ///< never null
    ir::Value row, column;
};

/// An array shared by the threads of a block.
struct Shared {
    ir::Value pointer; ///< of its first element
    std::shared_ptr<const std::vector<int>> shape;
};

} // namespace val

/// The alternative that a value holds.
enum class Tag : uint8_t {
#define VALUE(name, Alternative) name,
#include "frontend/values.def"
};

/// Fails because a value does not hold the alternative whose fields were requested.
[[noreturn]] void fail_alternative(Tag wanted, Tag found);

class Val {
  public:
    Val() = default;
    Val(const Val &other);
    Val(Val &&other) noexcept;
    Val &operator=(const Val &other);
    Val &operator=(Val &&other) noexcept;
    ~Val();
    // Fields of an rvalue are moved out: a reference to them would dangle.
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
    bool is_static = false; ///< result of qd.static

    /// The object of a constant.
    PyObject *object() const { return constant().object.get(); }
    bool is_tuple() const { return is_sequence() && sequence().type == val::Sequence::Type::tuple; }
    bool is_list() const { return is_sequence() && sequence().type == val::Sequence::Type::list; }
    /// True for a sequence of the given flavour.
    bool is(val::Sequence::Flavour flavour) const { return is_sequence() && sequence().flavour == flavour; }
    /// The number under which Request::member provides its members, or -1 if it is not an argument with members.
    int node() const;
    /// The contained values: items, values of a dict, members of a struct; empty for other alternatives.
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
    std::vector<PyRef> known;      ///< by position; null for keys known only at run time
    std::map<size_t, Val> unknown; ///< keys known only at run time, by position
};

struct BoundMethod {
    std::string name;
    Val self;                            ///< none: method of a class
    PyRef callee;                        ///< struct methods: the func; else null
    const BuiltinRow *builtin = nullptr; ///< class of the package: the function
    /// functools.partial with run-time values: `self` is the callable, these are its first arguments.
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

/// The walk's data about an array parameter.
struct ArrayInfo {
    std::string name;
    int position = 0; ///< among the declared parameters of the kernel
    bool clamp = false;
    std::vector<int> layout; ///< see Param::layout
    bool is_view = false;    ///< part of an array
    bool constant = false;   ///< see Param::constant
    /// The level of storage that the user's index `axis` selects.
    int level(int axis) const {
        if (layout.empty()) return axis;
        return int(std::find(layout.begin(), layout.end(), axis) - layout.begin());
    }
};

} // namespace qd::frontend
