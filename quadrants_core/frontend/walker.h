#pragma once
// The walk over one kernel's tree. One object per specialisation; its member functions are spread over the files of
// this folder by what they handle. Rules that hold throughout:
//  - Variables are locals (memory); the pass `promote` turns them into SSA values.
//  - `eval` may return a place (Tag::ref); `value` reads it. Operands are read in the order Python evaluates them.
//  - Python objects stay Python objects until a run-time value is needed: arithmetic on them is Python's own.
//  - After a terminator nothing more is emitted into a block: statement functions return Flow::stop.
#include "base/stack.h"
#include "frontend/frontend.h"
#include "syntax/tree.h"
#include "frontend/reads.h"
#include "frontend/value.h"
#include "ir/builder.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <span>
#include <string_view>
#include <unordered_set>

namespace qd::frontend {

enum class Flow : uint8_t { next, stop, break_, continue_, return_ };

/// What `_qd_kind_` says.
enum class Kind : uint8_t {
    foreign,
    dtype,
    matrix_type,
    struct_type,
    builtin,
    func,
    kernel,
    field,
    matrix_field,
    struct_field,
    struct_,
    matrix,
    ndarray,
    data_oriented,
    template_,
    ndarray_type,
    ndrange,
    buffer_view_type,
    ref,
    tensor,
    snode,
    mesh_elements,
    mesh_relation,
    sparse_matrix_builder,
    sparse_matrix_builder_type,
};

Kind kind_of_object(PyObject *object);
inline bool is_field(Kind kind) {
    return kind == Kind::field || kind == Kind::matrix_field || kind == Kind::struct_field;
}

/// A func, read once per walk.
struct FuncInfo {
    PyObject *object = nullptr; ///< the func object
    PyRef function;             ///< the Python function
    Source source;
    struct FuncParam {
        PyObject *name = nullptr;
        PyRef annotation; ///< evaluated; none if absent
        PyRef fallback;   ///< default value
    };
    std::vector<FuncParam> params;
    PyRef returns; ///< evaluated annotation; none if absent
    std::unordered_set<PyObject *> assigned;
    std::optional<std::unordered_set<PyObject *>> receivers; ///< names whose methods are called; made when asked for
    uint32_t scope = 0, file = 0;
    int depth = 0; ///< how many times it is being inlined now
    bool is_real = false, needs_top_level = false;
    std::optional<std::vector<FuncInfo *>> calls; ///< made when asked for
    std::optional<bool> recursive, cut;           ///< made when asked for
};

struct LoopContext {
    enum class What : uint8_t { static_, serial, parallel } what = What::serial;
    int branches = 0; ///< non-static ifs around the current statement, inside this loop
};

/// Where the returns of a real func put their value.
struct RealFrame {
    PyObject *annotation = nullptr; ///< null: returns nothing
    Val result;                     ///< a variable, or a tuple of them
    ir::Value returned;             ///< u1 variable: a return has been met
    int returns = 0;                ///< how many were walked
};

/// One kernel or func body being walked.
struct Frame {
    const Source *source = nullptr;
    PyObject *function = nullptr; ///< whose names these are
    const std::unordered_set<PyObject *> *assigned = nullptr;
    bool is_kernel = false;
    SpanId call = no_span;
    uint32_t scope = 0, file = 0;
    size_t first_binding = 0;
    std::vector<LoopContext> loops;
    int dynamic = 0;           ///< non-static ifs and loops around the current statement
    std::optional<Val> result; ///< what `return` gave
    const Node *result_node = nullptr;
    bool has_return_type = false;
    int streams = 0;                 ///< `with qd.stream_parallel():` around the current statement
    std::shared_ptr<RealFrame> real; ///< body of a real func
};

struct Binding {
    PyObject *name = nullptr;
    Val value;
    bool argument = false; ///< of a kernel: immutable
    bool annotated = false;
};

/// Bounds of a loop nest, one pair per index of the user; `order` lists them outermost first.
struct Nest {
    std::vector<ir::Value> lower, upper;
    std::vector<int> order;
    bool grouped = false;
    bool single = false;            ///< one iteration, whose index is empty: of what has no dimensions
    Val elements;                   ///< of a mesh, whose numbers the one index runs over, or what touches one of them
    const Packing *array = nullptr; ///< cells are words of a quant array: their elements are visited
    ir::Loop settings;
};

/// Cells of one element of a list (abi/tree.h), while the loops over them are emitted.
struct Piece {
    uint32_t place = 0;
    ir::Value base, begin, end;
    std::vector<ir::Value> at; ///< indices where the piece begins
    ir::Value cell, around;    ///< the cell at hand; the one around the containers
};

/// What becomes of the branches of an `if`.
struct Choice {
    std::optional<bool> fixed; ///< by qd.static; else `taken` chooses at run time
    ir::Value taken;
    bool walked[2] = {true, true}; ///< whether the branch has code
};

struct Call;
struct BuiltinRow;
struct Machine;
struct MachineFunction;
struct FlatAxis;
struct Level;

class Walker {
  public:
    explicit Walker(const Request &request);
    Result run();

    // walker.cpp: places, errors
    PyObject *intern(const std::string &name);
    void finish_kernel(const Node *tree);
    SpanId span_of(const Node *node);
    std::vector<Level> levels() const;
    [[noreturn]] void fail(const Node *node, UserErrorKind kind, const std::string &message,
                           const std::string &hint = "");
    [[noreturn]] void fail_syntax(const Node *node, const std::string &message, const std::string &hint = "");
    [[noreturn]] void fail_type(const Node *node, const std::string &message, const std::string &hint = "");
    [[noreturn]] void fail_too_long(const Node *node);
    [[noreturn]] void fail_here(UserErrorKind kind, const std::string &message, const std::string &hint = "");
    [[noreturn]] void python_failed(const Node *node);
    /// Refuses to go deeper where little of the thread's stack is left.
    void check_depth() {
        if (stack_is_short()) [[unlikely]]
            fail_here(UserErrorKind::compilation, stack_message, stack_hint);
    }
    void warn(const Node *node, const std::string &category, const std::string &message);

    // members.cpp: parameters, and what is found inside of them
    void declare_parameters();
    bool changes_struct(const Binding &argument);
    Val declare(const Param &param);
    Val declare_value(PyObject *type);
    ir::Value add_parameter(ir::Type type);
    const Val &member(const Node *node, const Val &owner, PyObject *key, bool item);
    Val bundle_attribute(const Node *node, const Val &bundle, PyObject *name);
    ir::Value extent(const Val &array, int axis); ///< along an index of the user
    std::vector<ir::Value> storage_indices(const Val &array, std::vector<ir::Value> indices) const;

    // real.cpp: real funcs
    Val result_place(const Node *node, PyObject *annotation);
    void store_result(const Node *node, const Val &place, const Val &v);
    Flow real_return(const Node *node);
    void leave_if_returned(int returns_before);
    int returns_so_far() const;
    Val real_body(FuncInfo &info);
    Val loaded_result(Val result);

    // recursion.cpp: real funcs that call themselves
    PyRef object_outside(const Node *node);
    FuncInfo *func_called(const Node *node);
    const std::vector<FuncInfo *> &funcs_called_in(FuncInfo &info);
    bool leads_to(FuncInfo &info, const std::function<bool(FuncInfo &)> &wanted);
    bool is_recursive(FuncInfo &info);
    bool is_cut(FuncInfo &info);
    FuncInfo *cut_callee(const Node *node);
    ir::Value make_local(ir::Scalar elem);
    int new_state();
    void begin_state(int k);
    void jump(int k);
    void branch_to(ir::Value condition, int yes, int no);
    ir::Value stack_place(ir::Scalar elem, int slot);
    std::vector<ir::Value> live_variables();
    static bool is_local(const Val &v);
    bool outlives_state(const Val &v) const;
    bool calls_real(const Node *tree);
    bool is_reference(const FuncInfo &info, size_t i);
    const Node *reference_node(const Node *node, const FuncInfo &info, size_t i);
    void copy_back(const Node *node, const FuncInfo &info, const std::vector<Val> &finals);
    std::vector<Val> final_references(const MachineFunction &f);
    void flat_call(const Node *node, FuncInfo &info);
    void flat_inline(const Node *node, FuncInfo &info);
    MachineFunction &machine_function(const Node *node, FuncInfo &info, const std::vector<Val> &args);
    void machine_body(MachineFunction &f);
    MachineFunction &start_machine(const Node *node, FuncInfo &info, const std::vector<Val> &args, ir::Value loop);
    Val recursive_call(const Node *node, FuncInfo &info, const std::vector<Val> &args);

    // states.cpp: their statements and expressions
    void flat_calls(const Node *tree);
    Val choice_place(const Node *node, const Val &like);
    void store_choice(const Node *node, const Val &place, const Val &v);
    Val flat_choose(const Node *node, ir::Value test, const std::function<Val()> &yes, const std::function<Val()> &no);
    Val flat_boolop(const Node *node, const Items &values, size_t i);
    Val flat_ifexp(const Node *node);
    std::vector<Val> kept_items(const Node *node, std::vector<Val> items);
    bool needs_states(const Node *statement);
    bool flat_block(Items list);
    bool flat_statement(const Node *node);
    void flat_return(const Node *source);
    bool flat_if(const Node *node);
    void flat_while(const Node *node);
    void flat_for(const Node *node);
    void flat_nest(const Node *node, const Nest &nest, const std::vector<FlatAxis> &axes, size_t depth, int out,
                   int after);
    Val reference(const Node *node, PyObject *annotation, const Val &arg, const std::string &name);

    // views.cpp: buffer views
    bool is_view(const Val &v) const;
    ir::Value view_size(const Val &view);
    ir::Value view_offset(const Node *node, const Val &view);
    bool checks_bounds() const;
    void check_view(const Node *node, const char *what, ir::Value first, ir::Value last, const Val &of);
    Val make_view(const Val &array, ir::Value offset, ir::Value size);
    Val slice_view(const Node *node, const Val &view, const Node *slice);
    Val view_method(const Node *node, const Val &bound);
    std::string call_stack(const Node *node);
    Val subscript_view(const Node *node, const Val &view, const std::vector<Val> &indices);
    Val view_attribute(const Node *node, const Val &view, const std::string &what);

    // triplets.cpp: builders of sparse matrices
    bool is_builder(const Val &v);
    Val triplet(const Node *node, const Val &builder, const Node *slice);
    void check_triplet(const Node *node, const Val &builder, ir::Value i, ir::Value j);
    void append_triplet(const Node *node, NodeKind op, const Val &place, const Val &amount);
    void check_builder_argument(const Node *node, const Val &arg, const std::string &name);

    // scope.cpp: names
    Binding *find_local(PyObject *name);
    bool in_this_scope(const Binding *binding) const { return binding && size_t(binding - bindings_.data()) >= scope_; }
    void refuse_argument(const Node *target, const Binding *binding);
    void bind(PyObject *name, Val value);
    PyRef find_global(PyObject *name);

    // suggest.cpp
    [[noreturn]] void fail_unknown_name(const Node *node, PyObject *name);
    [[noreturn]] void fail_attribute(const Node *node, PyObject *object, PyObject *name);

    // pure.cpp
    bool is_state(PyObject *object);
    bool in_package();
    void violation(const Node *node, PyObject *name, const std::string &message);
    void check_pure_name(const Node *node, PyObject *name, PyObject *found);
    void check_pure_attribute(const Node *node, const Val &base, const Val &found);
    Kind kind_of(PyObject *object);
    const BuiltinRow *builtin_of(PyObject *object);

    // expr.cpp
    Val eval(const Node *node);
    Val eval_kind(const Node *node);
    Val value(const Node *node) {
        if (const Ref *variable = scalar_variable(node)) return scalar(load_part(*variable, 0));
        Val v = eval(node);
        return v.tag == Tag::ref ? read_place(node, v) : load(std::move(v));
    }
    Val read_place(const Node *node, const Val &place);
    const Ref *scalar_variable(const Node *node);
    Val eval_handed_on(const Node *node); ///< it is read from, called as a func, or given to one: see reads.h
    Val eval_name(const Node *node);
    void refuse_generator(const Node *node, PyObject *object);
    Val eval_constant(const Node *node);
    Val eval_attribute(const Node *node);
    Val eval_binop(const Node *node);
    Val eval_unary(const Node *node);
    Val eval_sequence(const Node *node, bool is_tuple);
    Val eval_named(const Node *node);
    Val array_attribute(const Node *node, const Val &array, PyObject *name);
    Val bound_method(const Val &base, PyObject *name);
    Val sequence_items(const Node *node, const Val &v);
    Val attribute_of(const Node *node, const Val &base, PyObject *name);
    Val wrap(PyRef object);
    PyRef to_python(const Val &v); ///< empty if it holds run-time values

    // dict.cpp
    Val eval_dict(const Node *node);
    Val key_of(const Val &dict, size_t i);
    PyRef known_key(const Node *node, const Val &dict, size_t i);
    std::optional<size_t> find_key(const Node *node, const Val &dict, const Val &key);
    void put_in_dict(const Node *node, Val &dict, const Val &key, Val value);
    bool is_dict_method(PyObject *name) const;
    Val dict_method(const Node *node, const Val &bound);

    // arithmetic.cpp
    Val binary(const Node *node, NodeKind op, const Val &a, const Val &b);
    Val unary(const Node *node, NodeKind op, const Val &a);
    Val scalar_binary(const Node *node, NodeKind op, const Val &a, const Val &b);
    Val scalar_power(const Node *node, const Val &a, const Val &b);
    Val scalar_compare(const Node *node, NodeKind op, const Val &a, const Val &b);
    Val matmul(const Node *node, const Val &a, const Val &b);
    ir::Value real_to_integer_power(ir::Value x, ir::Value y);
    ir::Value power_constant(ir::Value base, long exponent);
    void guard_divisor(const Node *node, ir::Value divisor);
    /// Applies f to scalars, or element by element with broadcast.
    using ScalarFn = std::function<Val(const Val &, const Val &)>;
    Val broadcast(const Node *node, const char *symbol, const Val &a, const Val &b, const ScalarFn &f);
    [[noreturn]] void fail_unsupported(const Node *node, const char *symbol, const Val &a, const Val &b);
    Val map(const Node *node, const Val &a, const std::function<Val(const Val &)> &f);
    ir::Value emit2(ir::Op op, ir::Value a, ir::Value b) { return b_.emit(op, {a, b}); }
    ir::Value emit1(ir::Op op, ir::Value a) { return b_.emit(op, {a}); }

    // overflow.cpp
    ir::Value watched(ir::Op op, ir::Value x, ir::Value y);
    ir::Value overflows(ir::Op op, ir::Value x, ir::Value y, ir::Value result);
    ir::Value product_overflows(ir::Value x, ir::Value y, ir::Value result);

    // compare.cpp
    Val eval_compare(const Node *node);
    Val eval_boolop(const Node *node);
    Val eval_ifexp(const Node *node);
    Val compare(const Node *node, NodeKind op, const Val &a, const Val &b);
    Val compare_static(const Node *node, NodeKind op, const Val &a, const Val &b);
    Val boolop_from(const Node *node, bool is_and, const Items &values, size_t i);
    void check_integral(const Node *node, const char *word, const Val &v);
    bool decides_type(const Val &v) const;
    Val with_type_of(const Node *node, const char *word, const Val &first, const Val &rest);
    bool is_choosable(const Val &v);
    static bool is_known(const Val &v);
    Val known_choice(const Node *node, bool is_yes);
    Val in_type(const Val &v, const Val &like);
    Val chosen_value(const Node *node, const Val &side);
    Val chosen_type(const Node *node, const Val &a, const Val &b);
    void append_chosen(const Val &v, const Val &like, std::vector<ir::Value> &out);
    void take_results(ir::Value branch, Val &out);
    Val choose(const Node *node, ir::Value test, const std::function<Val()> &yes, const std::function<Val()> &no);

    // types.cpp
    /// Type a scalar or constant has, or will have.
    ir::Scalar scalar_type(const Node *node, const Val &v) {
        return v.tag == Tag::scalar || v.tag == Tag::matrix ? v.elem : type_of_constant(node, v);
    }
    ir::Scalar type_of_constant(const Node *node, const Val &v);
    void refuse_array(const Node *node, const Val &v);
    ir::Scalar promote(ir::Scalar a, ir::Scalar b);
    /// A scalar or constant, converted.
    ir::Value as(const Node *node, const Val &v, ir::Scalar type) {
        return v.tag == Tag::scalar && fn_.type(v.v).elem == type ? v.v : converted(node, v, type);
    }
    ir::Value converted(const Node *node, const Val &v, ir::Scalar type);
    ir::Value as_is(const Node *node, const Val &v) { return as(node, v, scalar_type(node, v)); }
    ir::Value convert(ir::Value v, ir::Scalar type);
    ir::Value condition(const Node *node, const Val &v, const char *what);
    ir::Value index_value(const Node *node, const Val &v);
    Val typed(const Node *node, const Val &v); ///< constants become run-time values; sequences of numbers stay
    Val cast(const Node *node, const Val &v, ir::Scalar type);
    uint64_t literal_bits(const Node *node, PyObject *object, ir::Scalar literal, ir::Scalar type, const char *what);
    /// Python tuples and lists become sequences of values.
    Val unpacked(const Node *node, const Val &v, int depth = 0);
    Val to_matrix(const Node *node, const Val &v); ///< host matrices and sequences become run-time matrices
    Val scalar(ir::Value v) const;
    Val constant(PyRef object) const;
    Val integer(long v) const;
    static bool is_number(const Val &v);
    static bool is_scalar(const Val &v) { return v.tag == Tag::scalar || is_number(v); }
    bool truth(const Node *node, PyObject *object);
    void check_narrowing(const Node *node, ir::Scalar to, ir::Scalar from);
    std::string type_text(const Val &v);
    std::optional<long> constant_int(const Val &v);

    // place.cpp: reading and writing places
    Val load(Val v);
    Val component(const Val &matrix, int k) const;
    ir::Value part_pointer(const Ref &ref, int k);
    ir::Value scalar_pointer(const Ref &ref) { return ref.pointer ? ref.pointer : part_pointer(ref, 0); }
    ir::Value part_pointer(const Node *node, const Ref &ref, ir::Value k);
    ir::Value indexed_pointer(const Ref &ref, ir::Value component);
    void check_indexable(const Node *node, const Ref &ref);
    ir::Value load_part(const Ref &ref, int k);
    void store_part(const Ref &ref, int k, ir::Value value);
    void store(const Node *node, const Ref &ref, const Val &value);
    Val scalar_ref(ir::Value pointer, bool local);
    Val element_ref(const Ref &whole, ir::Value pointer);
    Val new_variable(const Node *node, const Val &value);
    std::shared_ptr<Ref> make_matrix_variable(ir::Scalar elem, int n, int m, int ndim);
    void settle_matrices();
    bool storable(const Val &v);
    uint32_t place_index(int place);
    long component_stride(const std::vector<uint32_t> &places) const;
    const FieldInfo *field_info(const Node *node, PyObject *object);
    Val field_ref(const FieldInfo *info, std::vector<ir::Value> indices);
    static bool is_place(const Val &v); ///< can be stored to

    // packed.cpp: numbers of quant types
    struct PackedPlace {
        ir::Value word, shift; ///< pointer; lowest bit
    };
    PackedPlace packed_place(const Ref &ref, int k);
    Flow each_in_word(const Packing &array, std::span<const ir::Value> word, std::vector<ir::Value> &indices,
                      const std::function<Flow()> &body);
    static const Packing &packing_at(const Ref &ref, int k);
    ir::Value unpacked_number(const Packing &packing, ir::Value word, ir::Value shift);
    ir::Value packed_bits(const Packing &packing, ir::Value value);
    ir::Value change_word(ir::Value pointer, const std::function<ir::Value(ir::Value)> &next);
    ir::Value word_with_bits(const Packing &packing, ir::Value word, ir::Value shift, ir::Value bits);
    ir::Value word_with(const Packing &packing, ir::Value word, ir::Value shift, ir::Value value);
    ir::Value load_packed(const Ref &ref, int k);
    void store_packed(const Ref &ref, int k, ir::Value value);
    ir::Value update_packed(const Ref &ref, int k, const std::function<ir::Value(ir::Value)> &next);
    std::vector<Packing> packing_of(const Node *node, PyObject *field);

    // shared_exponent.cpp
    ir::Value shared_number(const Packing &packing, ir::Value word);
    ir::Value word_with_shared(const Packing &packing, ir::Value word, ir::Value value);
    ir::Value bits_at(ir::Value word, int shift, int count, ir::Scalar type);
    ir::Value own_exponent(const Packing &packing, ir::Value value);

    // record.cpp: structs
    const RecordType *record_type(const Node *node, PyObject *struct_type);
    Val make_record(const RecordType *type, std::vector<Val> members) const;
    Val anonymous_record(const Node *node, const std::vector<std::pair<PyRef, Val>> &members);
    Val call_struct_type(const Node *node, PyObject *struct_type);
    Val record_from(const Node *node, const RecordType *type, const std::vector<std::pair<PyObject *, Val>> &given);
    Val member_value(const Node *node, PyObject *type, const Val &v, const std::string &what);
    Val zero_member(const Node *node, PyObject *type);
    Val host_struct(const Node *node, PyObject *object);
    Val convert_record(const Node *node, PyObject *struct_type, const Val &v, const std::string &what);
    bool has_members(const Node *node, const RecordType &type, const Val &v);
    void check_returned(const Node *node, PyObject *struct_type, const Val &v);
    Val record_attribute(const Node *node, const Val &record, PyObject *name);
    std::optional<Val> unpacked_vector(const Val &record, PyObject *name);
    std::optional<Val> record_method(const RecordType *type, const Val &self, PyObject *name);
    void store_record(const Node *node, const Val &place, const Val &v);
    Val struct_field_element(const Node *node, PyObject *field, const std::vector<Val> &indices);
    PyRef leaf_field(PyObject *struct_field);

    // subscript.cpp
    Val eval_subscript(const Node *node);
    bool contains_slice(const Node *slice);
    Val subscript_unpacked(const Node *node, const Val &base, const Node *slice);
    Val subscript_python(const Node *node, const Val &base, const Node *slice);
    Val subscript_field(const Node *node, PyObject *field, const std::vector<Val> &indices);
    Val field_element(const FieldInfo *info, std::vector<ir::Value> indices);
    Val subscript_array(const Node *node, const Val &array, const std::vector<Val> &indices);
    Val element_place(const Val &array, std::vector<ir::Value> indices);
    Val subscript_matrix(const Node *node, const Val &base, const Node *slice);
    Val subscript_run_time(const Node *node, const Val &base, const std::vector<Val> &indices);
    Val indexed_value(const Node *node, const Val &v);
    Val slice_object(const Node *slice);
    void refuse_negative_bounds(const Node *slice, const Val &object);
    Val slice_sequence(const Node *node, const Val &base, const Node *slice);
    Val slice_matrix(const Node *node, const Val &base, const Node *slice, int n, int m, int ndim);
    Val slice_run_time(const Node *node, const Val &base, const std::vector<int> &comps, int count, int axis,
                       const Val &index);
    void check_matrix_bounds(const Ref &ref, std::span<const ir::Value> indices, std::span<const int> extents);
    Val select_components(const Val &base, const std::vector<int> &which, int n, int m, int ndim);
    int check_static_index(const Node *node, long k, int extent);
    std::vector<Val> indices_of(const Node *slice);
    std::vector<ir::Value> index_values(const Node *node, const std::vector<Val> &indices, bool may_be_negative);
    ir::Value clamped(ir::Value index, ir::Value size);
    ir::Value inside(std::span<const ir::Value> indices, std::span<const ir::Value> lower,
                     std::span<const ir::Value> upper);
    void append_values(ir::Message &message, size_t count, const char *open, const char *close);
    void check_array_bounds(const Val &array, const ArrayInfo &info, const std::vector<ir::Value> &indices);
    std::string field_title(const Node *node, const FieldInfo &info);
    void check_field_bounds(const Node *node, const FieldInfo &info, const std::vector<ir::Value> &indices);
    void check_cell_bounds(uint32_t place, const std::vector<ir::Value> &indices);

    // assign.cpp
    Flow assign(const Node *node);
    Flow annotated_assign(const Node *node);
    Flow augmented_assign(const Node *node);
    void assign_to(const Node *target, Val value);
    void assign_name(const Node *target, Val value);
    void check_member_target(const Node *target, const Val &place);
    void unpack(const Node *target, const Val &value);
    void store_sequence(const Node *target, const Val &place, const Val &value);
    void update(const Node *node, NodeKind op, const Val &place, const Val &value);
    bool has_real(const Node *node, const Val &v);

    // control.cpp
    Flow block(Items list, size_t from = 0, size_t to = SIZE_MAX);
    Flow statement(const Node *node);
    /// Leaves the innermost loop of the IR if `test` is `value`.
    void break_when(bool value, ir::Value test);
    Choice choice(const Node *node, const Val &test);
    Flow if_(const Node *node);
    Flow while_(const Node *node);
    Flow with_(const Node *node);
    void check_stream_parallel(const Node *node);
    void poll();
    Flow break_or_continue(const Node *node, bool is_break);
    Flow return_(const Node *node);
    void append_scalars(const Val &v, std::vector<ir::Value> &out);
    std::vector<ir::Value> return_values(const Node *node, const Val &result);
    Flow expression(const Node *node);
    Flow body_in(ir::BlockId target, const std::function<Flow()> &body); ///< its own scope; ends it with yield

    // loops.cpp
    Flow for_(const Node *node);
    Val host_ndrange(const Node *node, const Val &v);
    Flow for_static(const Node *node, const std::vector<Val> &items);
    bool is_of_mesh(const Val &v);
    void check_range(const Node *node, const Node *call);
    Val loop_source(const Node *node);
    Nest nest_of(const Node *node, const Extra &loop, std::optional<uint32_t> &cells);
    Nest range_nest(const Node *node, const Extra &loop);
    void make_single(Nest &nest);
    Nest ndrange_nest(const Node *node, const Extra &loop);
    Nest target_nest(const Node *node, const Extra &loop, std::optional<uint32_t> &cells);
    uint32_t loop_place(const Node *node, PyObject *object, std::vector<int32_t> &first, std::vector<int32_t> &extents,
                        Nest &nest);
    Flow for_nest(const Node *node, Nest nest);
    void bind_loop_targets(const Node *node, std::span<const ir::Value> indices, const Nest &nest);
    void check_loop_target(const Node *target);
    void bind_target(const Node *target, ir::Value index);
    void bind_static(const Node *target, const Val &item);
    std::vector<Val> static_product(const Extra &loop, const std::vector<long> &lower, const std::vector<long> &upper);
    ir::Value range_bound(const Node *node, const Val &v);
    std::vector<Val> static_items(const Node *node, const Val &v);
    bool is_top_level() const;
    bool inside_loop() const;
    Flow parallel_body(Items list, size_t from);
    void count_trips(const Node *node, std::span<const ir::Value> lower, std::span<const ir::Value> upper);
    Flow nest_parallel(const Node *node, const Nest &nest);
    Flow iteration(const Node *node);
    Flow loop_body(const Node *node);

    // cells.cpp: sparse trees
    uint32_t level_place(const Node *node, PyObject *object);
    ir::LevelKind last_level(uint32_t place) const;
    std::vector<ir::Value> cell_indices(const Node *node, uint32_t place, const Val &given, size_t missing);
    void deactivate_cell(const Node *node, uint32_t place, const Val &indices);
    void insert_dynamic_index(uint32_t place, std::vector<ir::Value> &indices, ir::Value index) const;
    uint32_t dynamic_place(const Call &call, const char *name);
    Val length_of_container(uint32_t place, std::vector<ir::Value> indices);
    Val append_values_to(const Node *node, uint32_t place, std::vector<ir::Value> indices,
                         const std::vector<uint32_t> &members, const Val &given);
    void flatten_value(const Node *node, const Val &given, std::vector<Val> &out);
    PyObject *call_object_argument(const Call &call, size_t i);
    Val dynamic_container(PyObject *field, const std::vector<ir::Value> &indices);
    bool is_cell_method(PyObject *name) const;
    bool is_dynamic_line(const Node *node, PyObject *object);
    Val container_method(const Node *node, const Val &bound);
    Flow for_cells(const Node *node, uint32_t place, const Nest &nest);
    void cell_body(const Node *node, const std::vector<ir::Value> &indices, const Nest &nest, bool parallel);
    Flow cells_parallel(const Node *node, uint32_t place, const Nest &nest);
    ir::Value byte_offset(ir::Value base, ir::Value cell, uint64_t bytes);
    ir::Value byte_offset(ir::Value base, int64_t bytes);
    ir::Value byte_offset_as(ir::Value pointer, ir::Scalar elem);
    void piece_cells(const Node *node, Piece &piece, const Nest &nest);
    void add_level_index(const ir::PlaceAxis &axis, ir::Value index, std::vector<ir::Value> &at);
    void dense_cells(const Node *node, Piece &piece, const Nest &nest, size_t level, size_t axis,
                     const std::vector<ir::Value> &at);
    void mask_cells(const Node *node, Piece &piece, const Nest &nest);
    ir::Value cell_coordinate(ir::Value cell, const ir::PlaceAxis &axis, uint64_t cells);
    void own_body(const Node *node, const Piece &piece, const std::vector<ir::Value> &at, const Nest &nest);
    void inside(ir::BlockId target, const std::function<void()> &emit);
    void cells_serial(const Node *node, uint32_t place, const Nest &nest, size_t level, std::vector<ir::Value> &units);
    uint32_t ancestor_place(uint32_t place, size_t depth);
    ir::Value unit_cell(uint32_t place, size_t depth, const std::vector<ir::Value> &units);
    void serial_axes(const Node *node, uint32_t place, const Nest &nest, size_t level, size_t axis,
                     std::vector<ir::Value> &units);

    void poll_in(ir::Value loop, bool has_loops);
    Flow nest_serial(const Node *node, const Nest &nest, size_t depth, std::vector<ir::Value> &indices);
    Flow nest_flat(const Node *node, const Nest &nest);

    // arrange.cpp
    Val with_values(PyObject *object, const std::vector<Val> &values);
    std::optional<Val> arranged(const Node *node, PyObject *callee, const Call &call, const std::string &module,
                                const std::string &name);

    // mesh.cpp
    PyRef known_attribute(const Node *node, PyObject *object, PyObject *name);
    ir::Value number_in(const Node *node, PyObject *field, ir::Value at);
    Val mesh_element(PyRef elements, ir::Value number) const;
    Val element_attribute(const Node *node, const Val &given, PyObject *name);
    Val gradient_element(const Node *node, const Ref &ref);
    std::pair<ir::Value, ir::Value> relation_bounds(const Node *node, const Val &relation);
    Val relation_size(const Node *node, const Val &relation);
    Val relation_attribute(const Node *node, const Val &relation, PyObject *name);
    Val touching(const Node *node, const Val &relation, ir::Value at);
    Val subscript_relation(const Node *node, const Val &relation, const std::vector<Val> &indices);
    Flow for_elements(const Node *node, const Val &over);
    void bind_element(const Node *node, const Val &over, ir::Value index);

    // call.cpp
    Val eval_call(const Node *node);
    bool append_to_list(const Node *node);
    Val call_object(const Node *node, const PyRef &callee, const Val *self);
    Val call_builtin(const Node *node, const BuiltinRow &row, PyObject *callee = nullptr);
    Val call_with_keyword(const Call &call, const std::string &keyword);
    Val call_python(const Node *node, PyObject *callee, const Call &call);
    std::optional<Val> call_foreign(const Node *node, PyObject *callee, Call call, const std::string &module,
                                    const std::string &name);
    std::optional<Val> call_partial(const Node *node, PyObject *partial, Call call);
    std::optional<Val> call_operator(const Node *node, const Call &call, const std::string &name);
    void warn_foreign(const Node *node, const std::string &name);
    Val call_host_method(const Node *node, PyObject *method, const std::string &func);
    Val call_dtype(const Node *node, PyObject *dtype);
    Val call_matrix_type(const Node *node, PyObject *type);
    Call arguments(const Node *node, bool as_places, bool handed_on = false);
    void check_star(const Node *node);
    void place_keywords(Call &call);
    static bool is_pure_call(PyObject *callee, PyObject *args, const std::string &module, const std::string &name);
    ir::Scalar dtype_scalar(const Node *node, PyObject *object);
    bool is_dtype(PyObject *object);
    /// The frame of a func's body; `call`: where it is called.
    void enter(FuncInfo &info, SpanId call);
    Val inline_func(const Node *node, const PyRef &callee, const Val *self);
    Val inline_method(const Node *node, const PyRef &callee, const Val &self);
    std::vector<Val> matched_arguments(const Node *node, FuncInfo &info, Call call, bool first_by_place = false);
    Val pass_argument(const Node *node, FuncInfo &info, size_t i, Val arg, bool as_place);
    bool is_changed(FuncInfo &info, const FuncInfo::FuncParam &param, const Val &arg);
    bool is_template(const FuncInfo &info, size_t i);
    bool can_recur(const FuncInfo &info, const std::vector<Val> &args);
    bool same_instance(const MachineFunction &f, const std::vector<Val> &args);
    [[noreturn]] void fail_endless(const FuncInfo &info);
    void note_inlined(const FuncInfo &info);
    Val inline_body(const Node *node, FuncInfo &info, std::vector<Val> args);
    std::optional<Val> inlined(FuncInfo &info, std::vector<Val> args, const std::function<std::optional<Val>()> &body);
    void check_array_argument(const Node *node, PyObject *annotation, const Val &arg, const std::string &name);
    void check_view_argument(const Node *node, PyObject *annotation, const Val &arg, const std::string &name);
    Val converted_result(const Node *node, PyObject *annotation, const Val &v, bool elementwise = false);
    Val convert_to_annotation(const Node *node, PyObject *annotation, const Val &v, const std::string &what,
                              bool elementwise = false);
    FuncInfo &func_info(const Node *node, PyObject *callee);
    PyRef resolved_annotation(const Node *node, PyObject *function, PyObject *name);
    static uint32_t add_name(std::vector<std::string> &list, const std::string &name);

    // static.cpp
    [[noreturn]] void fail_static(const Node *node, const Val &v);
    /// `cut`: in a state machine, with calls that are cut.
    Val eval_comprehension(const Node *node, NodeKind kind, bool cut = false);
    void run_comprehension(Items generators, size_t at, bool cut, const std::function<void()> &body);

    // atomics.cpp: one atomic per component; the old values
    Val update_atomic(const Node *node, ir::Op op, bool negate, const Ref &ref, const Val &value);
    bool is_private(const Ref &ref) const { return ref.local && ref.region == region_; }

    Val static_vector(const Node *node, const Val &v);
    Val comprehension_source(const Node *source);

    // builtins.cpp and the files of the handlers in builtins.def
#define HANDLER(name) Val name(const Call &call);
#include "frontend/builtins.def"
    Val builtin_value(const BuiltinRow &row);
    void refuse_keywords(const Call &call);
    void check_domain(const Node *node, const BuiltinRow &row, ir::Scalar type);
    void check_word(const Call &call, ir::Scalar type);
    bool python_builtin_applies(const Call &call);
    Val call_builtin_in_python(const Call &call);
    ir::Scalar target_type(const Call &call);
    uint32_t block_dim(const Node *node, const Val &v);
    std::vector<int> ndrange_axes(const Node *node, const Val &axes, size_t rank);

    // matrix.cpp
    Val matrix_attribute(const Node *node, const Val &base, PyObject *name);
    Val swizzle(const Node *node, const Val &base, const std::string &name, std::string_view letters);
    Val matrix_row(const Val &matrix, int i) const;
    Val matrix_shape(const Val &m) const;
    Val make_matrix(std::vector<ir::Value> comps, int n, int m, int ndim) const;
    Val with_dtype(const Call &call, const Val &m, size_t at);
    int static_extent(const Call &call, size_t i, long least = 1);
    Val transposed(const Val &m) const;
    Val reduce(const Node *node, const Val &m, ir::Op op);
    Val reduce_to_bool(const Node *node, const Val &m, ir::Op op);
    Val dot(const Node *node, const Val &a, const Val &b);
    Val norm(const Node *node, const Val &m, const Val *eps);
    Val cross(const Node *node, const Val &a, const Val &b);
    Val outer_product(const Node *node, const Val &a, const Val &b);
    void check_square(const Node *node, const Val &m);
    Val minor_determinant(const Node *node, const Val &m, const std::vector<int> &rows, const std::vector<int> &cols);
    Val determinant(const Node *node, const Val &m);
    Val inverse(const Node *node, const Val &m);
    Val method(const Node *node, const Val &bound);
    std::optional<Val> method_of_class(const BuiltinRow &row, PyObject *name);

    // linalg.cpp
    Val library_call(const Node *node, const char *name, std::vector<Val> args);
    PyRef dtype_object(ir::Scalar type) const;
    Val real_matrix(const Call &call, size_t i, ir::Scalar type);
    Val matrix_of_size(const Call &call);

    // format.cpp
    Val eval_joined(const Node *node);
    Val format_call(const Node *node, PyObject *pattern);
    PyRef constant_text(const Node *node, const Val &v, const std::string &spec);
    Val settled(const Node *node, Val pieces);
    Val format_in_python(const Node *node, PyObject *pattern, const Call &call);
    Flow assert_(const Node *node);
    void format_value(const Node *node, ir::Message &message, std::vector<ir::Value> &values, const Val &v,
                      const std::string &spec);
    std::string printf_spec(const Node *node, const std::string &spec, ir::Scalar type);
    Val assert_message(const Node *detail);
    static bool is_string(const Val &v);
    static Val joined(const Val &a, const Val &b);
    Val percent_format(const Node *node, const std::string &pattern, const Val &args);
    std::string source_text(const Node *node);
    std::string written(const Node *node);
    void emit_message(ir::Op op, ir::Message message, std::span<const ir::Value> values);
    void emit_assert(ir::Value condition, ir::Message message, std::span<const ir::Value> values);

    // coverage.cpp
    bool counts() const { return request_.options.coverage && frames_.back().source->counted; }
    void cover_line(const Node *statement);
    void cover(ir::Counter::What what, const Node *node, ir::Value amount = {});
    void cover_one_line(const Node *loop);

    const Request &request_;
    Reads reads_;
    bool handed_on_ = false; ///< the expression evaluated next may give an object that is no value
    ir::Function fn_;
    ir::Builder b_;
    std::vector<Binding> bindings_;
    size_t scope_ = 0; ///< the first of them that belongs to the innermost scope
    std::deque<Frame> frames_;
    std::deque<MatrixVar> matrices_;
    std::unordered_map<PyObject *, std::unique_ptr<FuncInfo>> funcs_;
    std::unordered_map<PyObject *, std::unique_ptr<FieldInfo>> fields_;
    struct Met {
        PyRef object;
        Kind kind;
    };
    std::unordered_map<PyObject *, Met> kinds_; ///< of every object that was met, which live as long as the walk
    std::unordered_map<PyObject *, const BuiltinRow *> rows_;
    std::unordered_map<PyObject *, const RecordType *> struct_types_;
    std::deque<RecordType> record_types_;
    std::unordered_map<int, uint32_t> places_;
    std::unordered_map<uint32_t, ArrayInfo> arrays_; ///< by parameter value
    ir::BlockId region_;                             ///< the kernel's body, or that of the parallel loop being walked
    std::map<std::pair<uintptr_t, uint32_t>, Val> tables_; ///< indexed_value: by what it holds and region
    /// What names outside of the kernel, and names in modules, stand for: by their nodes, until Python code runs.
    std::unordered_map<const Node *, PyRef> outside_;
    std::unordered_map<PyObject *, PyRef> foreign_; ///< the func that stands for a plain function
    std::vector<PyRef> kept_;                       ///< objects whose address is a key above
    std::unordered_set<PyObject *> kernel_assigned_;
    std::vector<PyRef> inlined_;
    std::map<std::pair<int, std::string>, Val> members_; ///< by owner and key
    std::unordered_set<uint32_t> lifted_;                ///< parameters that are attributes read at every launch
    struct InWord {
        ir::Value word, inner;
        int cells = 0;
    };
    std::unordered_map<uint32_t, InWord> in_word_; ///< indices made by loops over quant arrays, taken apart
    std::vector<int> leaves_;
    const Node *updated_ = nullptr; ///< target of the augmented assignment met last
    Machine *machine_ = nullptr;
    Val mesh_loop_;                     ///< the element of the innermost loop over all elements of a kind
    std::optional<ir::Loop> next_loop_; ///< set by qd.loop_config
    int nesting_ = 0;
    int static_depth_ = 0, grouped_depth_ = 0;
    long covered_line_ = 0; ///< line whose counter was emitted last; 0 where a function begins
    std::map<std::array<uint32_t, 4>, uint32_t> copies_; ///< counters so far, by kind, file, line and column
};

/// `xy`, `rgb`, ...: a name that reads or writes components of a vector.
bool is_swizzle(std::string_view name);
/// How Python writes an operator.
const char *symbol_of(NodeKind op);

/// Keeps the builder's span, and restores it.
struct AtNode {
    Walker &w;
    SpanId old;
    AtNode(Walker &walker, const Node *node) : w(walker), old(walker.b_.span) { w.b_.span = w.span_of(node); }
    ~AtNode() { w.b_.span = old; }
};

/// Drops the names bound inside.
struct Scope {
    Walker &w;
    size_t size, outer;
    explicit Scope(Walker &walker)
        : w(walker), size(walker.bindings_.size()), outer(std::exchange(walker.scope_, size)) {}
    ~Scope() {
        w.bindings_.resize(size);
        w.scope_ = outer;
    }
};

/// One more block around what is emitted. The IR limits how deep they nest.
struct Nested {
    Walker &w;
    explicit Nested(Walker &walker);
    ~Nested() { --w.nesting_; }
};

struct Call {
    const Node *node = nullptr;
    const BuiltinRow *row = nullptr;
    PyObject *callee = nullptr; ///< the object called; null for members of builtins
    std::vector<Val> args;
    std::vector<std::pair<PyObject *, Val>> kwargs;
    const Node *arg_node(size_t i) const;
    const Val *keyword(const char *name) const;
};

} // namespace qd::frontend
