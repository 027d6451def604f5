// The rules that every function obeys. Each is checked here; a pass may rely on all of them.
//
// Shape
//  - Ids are in range. An instruction stands in one block, once; a block belongs to one owner.
//  - A block ends with its only terminator. Blocks nest at most 200 deep.
//  - The body ends with `ret` (values match Function::returns) or `exit`; `ret` stands nowhere else. Tasks return
//  nothing.
//  - A range task has a bounds block, which yields lo and hi (i64); other functions have none. Values of the bounds
//  block
//    are not visible in the body, nor the other way round.
//  - `if` owns two blocks without parameters; each yields the types of the if's results, or leaves by break, continue,
//  exit.
//  - The body of `for` has parameters (index, carried...), that of `loop` (carried...). Initial values, carried
//  parameters,
//    yield, continue, break and results have the same types. The results are the values of the last yield or continue
//    (the initial ones if the loop never ran), or those of the break.
//  - `parallel` stands at the outermost level of the body, has i32 bounds (lo, hi per index), i32 indices, no results,
//  and
//    its body yields nothing. break and continue do not cross it.
//  - Operands are defined above, in the same block or one around it. Results of an instruction are not visible inside
//  it.
// Types
//  - Operand count and result type follow the table (ops.def). Parameters of functions: one-lane scalars and arrays.
//    Carried values and results: scalars or pointers. All other rows: scalars, unless the op is about addresses.
//  - Bounds of `for` are both i32 or both i64. Conditions, bounds, indices, and operands of atomic, random, print,
//  assert
//    and count have one lane; constants too. splat and iota make several lanes, reductions take them.
//  - cast and bitcast keep the number of lanes; bitcast keeps the bits per lane. The condition of select has one lane
//  or
//    as many as the values.
//  - element takes array, one i32 per index, i32 component; place one i32 per index; offset an i64.
//  - is_active, activate, deactivate, append and length take the result of a `place` of a level. Steps of sparse trees
//  take a
//    container and, but for new_cell and count_cells, an i64; own_index an i32 and two pointers.
//  - Immediates name existing entries of the tables, dim an existing axis; messages name existing operands.
//  - chunk_begin and chunk_end stand in the body of range tasks.
#include "ir/verify.h"

#include "ir/print.h"

#include <algorithm>

namespace qd::ir {

namespace {

/// What surrounds the block being checked.
struct Scope {
    enum class Kind : uint8_t { body, bounds, branch, for_body, loop_body, parallel_body };
    Kind kind = Kind::body;
    Value owner;     ///< the if, for, loop or parallel
    Value innermost; ///< for or loop that break and continue leave; none in a parallel body
    bool in_bounds = false;
    bool outermost = false;
    int nesting = 0;
};

struct Checker {
    const Function &fn;
    std::vector<Problem> problems;
    std::vector<uint8_t> visible = std::vector<uint8_t>(fn.insts.size());
    std::vector<uint8_t> placed = std::vector<uint8_t>(fn.insts.size());
    std::vector<uint8_t> owned = std::vector<uint8_t>(fn.blocks.size());

    void report(Value at, std::string message) { problems.push_back({at, std::move(message)}); }
    bool known(Value v) const { return v && v.id < fn.insts.size(); }
    bool list_ok(List l) const { return size_t(l.begin) + l.size <= fn.pool.size(); }
    Type type(Value v) const { return known(v) ? fn.type(v) : Type(); }

    void function();
    void define(Value at, Value v, Op expected);
    void block(BlockId b, const Scope &scope, Value owner);
    void instruction(Value v, const Scope &scope, bool last);
    void operands(Value v);
    void result_type(Value v);
    void by_table(Value v);
    void special(Value v, const Scope &scope);
    void addresses(Value v);
    void cells(Value v);
    void masked(Value v);
    void lanes(Value v);
    void outside(Value v);
    void control(Value v, const Scope &scope);
    void children(Value v, const Scope &scope);
    void terminator_of(Value v, const Scope &scope);
    void expect_types(Value at, std::span<const Value> values, std::span<const Type> types, const char *what);
    void loop_shape(Value v, size_t indices, size_t first_init, Type index_type);
    std::vector<Type> result_types(Value v) const;
    void want(Value at, Value v, Type t, const char *what) {
        if (type(v) != t) report(at, std::string(what) + " must be " + to_string(t) + ", not " + to_string(type(v)));
    }
};

std::vector<Type> Checker::result_types(Value v) const {
    std::vector<Type> types;
    if (known(v) && list_ok(fn[v].results))
        for (Value r : fn.results(v)) types.push_back(type(r));
    return types;
}

void Checker::define(Value at, Value v, Op expected) {
    if (!known(v)) return report(at, "refers to instruction " + std::to_string(v.id) + ", which does not exist");
    if (fn[v].op != expected) report(at, std::string("must be a `") + info(expected).name + "`");
    if (placed[v.id]) report(at, "an instruction is used in two places");
    placed[v.id] = visible[v.id] = 1;
}

void Checker::function() {
    for (Value p : fn.params) {
        define(p, p, Op::param);
        Type t = type(p);
        if (!t.is_array() && !(t.is_scalar() && t.lanes == 1)) report(p, "a parameter is a scalar or an array");
        if (t.is_array() && (t.rows == 0 || t.cols == 0)) report(p, "the elements of an array have rows and columns");
    }
    for (Type t : fn.returns)
        if (!t.is_scalar() || t.lanes != 1) report({}, "a function returns scalars");
    if (fn.role != Role::kernel && !fn.returns.empty()) report({}, "a task returns nothing");
    if ((fn.role == Role::range_task) != bool(fn.bounds)) report({}, "a range task, and no other, has bounds");
    if (!fn.body) return report({}, "the function has no body");
    Scope scope;
    if (fn.bounds) {
        scope.kind = Scope::Kind::bounds;
        scope.in_bounds = true;
        block(fn.bounds, scope, {});
    }
    scope.kind = Scope::Kind::body;
    scope.in_bounds = false;
    scope.outermost = true;
    block(fn.body, scope, {});
}

void Checker::block(BlockId b, const Scope &scope, Value owner) {
    if (!b || b.id >= fn.blocks.size()) return report(owner, "a block is missing");
    if (owned[b.id]) return report(owner, "a block belongs to two owners");
    if (scope.nesting > max_nesting) return report(owner, "blocks are nested too deeply");
    owned[b.id] = 1;
    const Block &block = fn[b];
    for (Value p : block.params) {
        define(owner, p, Op::param);
        Type t = type(p);
        if (!t.is_scalar() && !t.is_pointer()) report(p, "a block parameter is a scalar or a pointer");
    }
    if (block.insts.empty()) report(owner, "a block is empty; it needs a terminator");
    for (size_t i = 0; i < block.insts.size(); ++i) instruction(block.insts[i], scope, i + 1 == block.insts.size());
    for (Value p : block.params)
        if (known(p)) visible[p.id] = 0;
    for (Value v : block.insts) {
        if (!known(v)) continue;
        visible[v.id] = 0;
        if (list_ok(fn[v].results))
            for (Value r : fn.results(v))
                if (known(r)) visible[r.id] = 0;
    }
}

void Checker::instruction(Value v, const Scope &scope, bool last) {
    if (!known(v)) return report(scope.owner, "a block lists an instruction that does not exist");
    const Inst &in = fn[v];
    if (int(in.op) > int(Op::exit)) return report(v, "unknown op");
    if (placed[v.id]) return report(v, "the instruction stands in two places");
    placed[v.id] = 1;
    if (!list_ok(in.args) || !list_ok(in.results)) return report(v, "operands are out of range");
    if (info(in.op).effect == Effect::meta) return report(v, "params and results stand in no block");
    size_t before = problems.size();
    operands(v);
    if (problems.size() == before) result_type(v);
    if (problems.size() == before) by_table(v);
    if (problems.size() == before) special(v, scope);
    if (is_terminator(in.op)) {
        if (!last) report(v, "nothing may follow a terminator");
        if (problems.size() == before) terminator_of(v, scope);
    } else if (last) {
        report(v, "the block does not end with a terminator");
    }
    children(v, scope);
    visible[v.id] = 1;
    for (size_t i = 0; i < in.results.size; ++i) {
        Value r = fn.results(v)[i];
        define(v, r, Op::result);
        if (!known(r)) continue;
        if (fn[r].imm != i || fn[r].args.size != 1 || !list_ok(fn[r].args) || fn.args(r)[0] != v)
            report(v, "a result does not refer to its instruction");
        if (!type(r).is_scalar() && !type(r).is_pointer()) report(v, "a result is a scalar or a pointer");
    }
}

void Checker::operands(Value v) {
    const Inst &in = fn[v];
    int wanted = info(in.op).operands;
    if (wanted >= 0 && in.args.size != uint32_t(wanted))
        report(v, "needs " + std::to_string(wanted) + (wanted == 1 ? " operand" : " operands"));
    for (Value a : fn.args(v)) {
        if (!known(a))
            report(v, "an operand does not exist");
        else if (!visible[a.id])
            report(v, placed[a.id] ? "an operand is not visible here" : "an operand is not defined before this line");
        else if (fn.type(a).kind == Kind::none)
            report(v, "an operand has no value");
    }
    if (info(in.op).effect != Effect::control && in.results.size)
        report(v, "only if, for and loop have several results");
    for (BlockId b : in.blocks)
        if (b && info(in.op).effect != Effect::control) report(v, "owns a block");
}

void Checker::result_type(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    Type want;
    switch (info(in.op).result) {
    case Result::same: want = type(args[0]); break;
    case Result::boolean: want = Type(Scalar::u1, type(args[0]).lanes); break;
    case Result::second: want = type(args[1]); break;
    case Result::pointee:
        if (!type(args[0]).is_pointer()) return report(v, "operand 0 must be a pointer");
        want = Type(type(args[0]).elem);
        break;
    case Result::nothing: break;
    case Result::typed:
        if (!in.type.is_scalar()) report(v, "the result must be a scalar");
        return;
    case Result::pointer:
        if (!in.type.is_pointer() || in.type.elem == Scalar::none) report(v, "the result must be a pointer");
        return;
    }
    if (in.type != want) report(v, "the result must be " + to_string(want));
}

/// Operands of the rows `same`, `boolean`, `second`, `pointee`, and the traits.
void Checker::by_table(Value v) {
    const Inst &in = fn[v];
    const OpInfo &row = info(in.op);
    std::span<const Value> args = fn.args(v);
    if (row.result == Result::same || row.result == Result::boolean) {
        for (Value a : args) {
            if (!type(a).is_scalar()) report(v, "operands must be scalars");
            if (type(a) != type(args[0])) return report(v, "operands must have the same type");
        }
    }
    if (row.result == Result::pointee) {
        for (Value a : args.subspan(1)) want(v, a, Type(type(args[0]).elem), "the value");
    }
    bool about_value = row.result == Result::same || row.result == Result::pointee;
    if (about_value && (row.traits & float_only) && !in.type.is_float()) report(v, "needs a float");
    if (about_value && (row.traits & int_only) && !in.type.is_int()) report(v, "needs an integer");
}

void Checker::special(Value v, const Scope &scope) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    addresses(v);
    cells(v);
    lanes(v);
    outside(v);
    if (info(in.op).effect == Effect::control) control(v, scope);
    if (in.op == Op::select) {
        Type c = type(args[0]);
        if (!c.is_bool() || (c.lanes != 1 && c.lanes != in.type.lanes)) report(v, "the condition must be u1");
        if (type(args[1]) != type(args[2])) report(v, "operands 1 and 2 must have the same type");
        if (!in.type.is_scalar()) report(v, "operands must be scalars");
    }
    if (in.op == Op::chunk_begin || in.op == Op::chunk_end) {
        if (in.type != Type(Scalar::i64)) report(v, "the result must be i64");
        if (fn.role != Role::range_task || scope.in_bounds) report(v, "stands in the body of range tasks only");
    }
    if (in.op == Op::masked_load || in.op == Op::masked_store || in.op == Op::gather || in.op == Op::scatter) masked(v);
    if (in.op == Op::load || in.op == Op::store) {
        Type p = type(args[0]);
        Type value = in.op == Op::load ? in.type : type(args[1]);
        if (!p.is_pointer())
            report(v, "operand 0 must be a pointer");
        else if (!value.is_scalar() || value.elem != p.elem)
            report(v, "the value must be " + to_string(p.elem) + ", not " + to_string(value));
    }
}

/// masked_load, masked_store, gather, scatter.
void Checker::masked(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    bool far = in.op == Op::gather || in.op == Op::scatter, writes = in.op == Op::masked_store || in.op == Op::scatter;
    Type value = writes ? type(args[far ? 2 : 1]) : in.type;
    if (!type(args[0]).is_pointer() || !value.is_scalar() || value.lanes < 2 || value.elem != type(args[0]).elem)
        report(v, "moves lanes of what operand 0 points to");
    want(v, args[in.op == Op::masked_load ? 1 : args.size() - 1], Type(Scalar::u1, value.lanes), "the mask");
    if (in.op == Op::masked_load) want(v, args[2], value, "the value of other lanes");
    if (far) want(v, args[1], Type(Scalar::i64, value.lanes), "the offsets");
}

void Checker::addresses(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    auto indices = [&](std::span<const Value> list) {
        for (Value a : list) want(v, a, Scalar::i32, "an index");
    };
    if (in.op == Op::dim || in.op == Op::element || in.op == Op::array_base) {
        if (args.empty() || !type(args[0]).is_array()) return report(v, "operand 0 must be an array");
        Type array = type(args[0]);
        if (in.op == Op::dim) {
            if (in.imm >= array.ndim) report(v, "the array has no such axis");
            want(v, v, Scalar::i32, "the result");
        } else {
            want(v, v, Type::pointer(array.elem), "the result");
        }
        if (in.op == Op::element) {
            if (args.size() != size_t(array.ndim) + 2)
                return report(v, "needs the array, an index per axis, and the component");
            indices(args.subspan(1));
        }
    }
    if (in.op == Op::place) {
        if (in.imm >= fn.places.size()) return report(v, "there is no such place");
        const Place &place = fn.places[in.imm];
        if (args.size() != place.shape.size()) report(v, "needs an index per axis of the place");
        indices(args);
        want(v, v, Type::pointer(place.elem), "the result");
    }
    if (in.op == Op::offset) {
        if (!type(args[0]).is_pointer()) report(v, "operand 0 must be a pointer");
        want(v, args[1], Scalar::i64, "the offset");
    }
    if (in.op == Op::local && in.imm == 0) report(v, "needs at least one element");
}

/// What is about sparse trees.
void Checker::cells(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    if (names_level(in.op)) {
        if (place_of(in) >= fn.places.size()) return report(v, "there is no such place");
        const Place &place = fn.places[place_of(in)];
        bool values = in.op == Op::list_value, axis = in.op == Op::own_index;
        size_t limit = values ? 2 + place.shape.size() : axis ? place.shape.size() : place.levels.size();
        if (level_of(in) >= limit) return report(v, "the place has no such level or index");
    }
    auto pointer = [&](size_t i) {
        if (!type(args[i]).is_pointer()) report(v, "operand " + std::to_string(i) + " must be a pointer");
    };
    auto of_level = [&] {
        const Inst &named = fn[args[0]];
        if (named.op != Op::place || named.imm >= fn.places.size() || !fn.places[named.imm].level)
            report(v, "operand 0 must be a place of a level");
    };
    switch (in.op) {
    case Op::is_active: of_level(); return want(v, v, Scalar::u1, "the result");
    case Op::activate:
    case Op::deactivate: return of_level();
    case Op::append:
    case Op::length: of_level(); return want(v, v, Scalar::i32, "the result");
    case Op::address: pointer(0); return want(v, v, Scalar::u64, "the result");
    case Op::find_cell:
    case Op::make_cell:
    case Op::drop_cell: pointer(0); return want(v, args[1], Scalar::i64, "the cell");
    case Op::has_cell:
        pointer(0);
        want(v, args[1], Scalar::i64, "the cell");
        return want(v, v, Scalar::u1, "the result");
    case Op::new_cell:
    case Op::count_cells: pointer(0); return want(v, v, Scalar::i32, "the result");
    case Op::list: return want(v, v, Scalar::i32, "the result");
    case Op::list_cell: return want(v, args[0], Scalar::i32, "the element");
    case Op::list_value: want(v, args[0], Scalar::i32, "the element"); return want(v, v, Scalar::i32, "the result");
    case Op::own_index:
        if (args.size() != 3) return report(v, "needs an index and two pointers");
        want(v, args[0], Scalar::i32, "the index");
        pointer(1);
        pointer(2);
        return want(v, v, Scalar::i32, "the result");
    default: return;
    }
}

void Checker::lanes(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    bool one_lane = info(in.op).result == Result::typed;
    switch (in.op) {
    case Op::splat:
        if (in.type.lanes < 2 || type(args[0]) != Type(in.type.elem)) report(v, "makes lanes of a scalar of its type");
        one_lane = false;
        break;
    case Op::iota:
        if (in.type.lanes < 2 || !in.type.is_int()) report(v, "makes lanes of an integer type");
        one_lane = false;
        break;
    case Op::reduce_add:
    case Op::reduce_min:
    case Op::reduce_max:
        if (type(args[0]).lanes < 2 || type(args[0]) != in.type.with_lanes(type(args[0]).lanes))
            report(v, "takes lanes of the result's type");
        break;
    case Op::cast:
    case Op::bitcast:
        if (!type(args[0]).is_scalar()) report(v, "the operand must be a scalar");
        if (type(args[0]).lanes != in.type.lanes) report(v, "keeps the number of lanes");
        if (in.op == Op::bitcast && bits_of(type(args[0]).elem) != bits_of(in.type.elem)) report(v, "keeps the width");
        one_lane = false;
        break;
    case Op::load:
    case Op::masked_load:
    case Op::masked_store:
    case Op::gather:
    case Op::scatter: one_lane = false; break;
    default: break; // every other op takes the general rule
    }
    if (one_lane && in.type.lanes != 1) report(v, "the result has one lane");
    if (in.op == Op::constant && bits_of(in.type.elem) < 64 && in.imm >> bits_of(in.type.elem))
        report(v, "the constant has more bits than its type");
}

void Checker::outside(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    if (in.op == Op::count) {
        if (in.imm >= fn.counters.size())
            report(v, "there is no such counter");
        else if (fn.counters[in.imm].shares())
            report(v, "the counter shares the count of another one");
        want(v, args[0], Scalar::i64, "the count");
    }
    if (in.op == Op::poll || in.op == Op::asked || in.op == Op::answer) want(v, v, Scalar::u1, "the result");
    if (in.op == Op::clock) want(v, v, Scalar::i64, "the result");
    if (in.op == Op::thread_index) want(v, v, Scalar::i32, "the result");
    if (in.op == Op::external && type(args[0]) != Type::pointer(Scalar::u64)) report(v, "takes the address of slots");
    if (in.op != Op::print && in.op != Op::assert_) return;
    if (in.imm >= fn.messages.size()) return report(v, "there is no such message");
    if (in.op == Op::assert_) {
        if (args.empty()) return report(v, "needs a condition");
        want(v, args[0], Scalar::u1, "the condition");
        args = args.subspan(1);
    }
    for (Value a : args)
        if (!type(a).is_scalar() || type(a).lanes != 1) report(v, "values must be scalars");
    for (const Message::Piece &piece : fn.messages[in.imm].pieces)
        if (piece.value >= int(args.size())) report(v, "the message names a value that is not there");
}

void Checker::expect_types(Value at, std::span<const Value> values, std::span<const Type> types, const char *what) {
    if (values.size() != types.size())
        return report(at, std::string(what) + ": " + std::to_string(types.size()) + " expected, " +
                              std::to_string(values.size()) + " given");
    for (size_t i = 0; i < values.size(); ++i)
        if (type(values[i]) != types[i])
            report(at, std::string(what) + " " + std::to_string(i) + " must be " + to_string(types[i]) + ", not " +
                           to_string(type(values[i])));
}

/// Parameters and results of a for or loop against its initial values.
void Checker::loop_shape(Value v, size_t indices, size_t first_init, Type index_type) {
    const Inst &in = fn[v];
    if (in.imm >= fn.loops.size()) return report(v, "there is no such entry in the table of loops");
    if (!in.blocks[0] || in.blocks[0].id >= fn.blocks.size()) return; // reported by children()
    std::vector<Type> types(indices, index_type);
    for (Value a : fn.args(v).subspan(first_init)) types.push_back(type(a));
    expect_types(v, fn[in.blocks[0]].params, types, "block parameter");
    types.erase(types.begin(), types.begin() + ptrdiff_t(indices));
    expect_types(v, fn.results(v), types, "result");
}

void Checker::control(Value v, const Scope &scope) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    switch (in.op) {
    case Op::if_:
        want(v, args[0], Scalar::u1, "the condition");
        for (BlockId b : in.blocks)
            if (b && b.id < fn.blocks.size() && !fn[b].params.empty())
                report(v, "the blocks of an if have no parameters");
        return;
    case Op::for_:
        if (args.size() < 2) return report(v, "needs lo and hi");
        if (type(args[0]) != Type(Scalar::i32) && type(args[0]) != Type(Scalar::i64))
            report(v, "bounds are i32 or i64");
        want(v, args[1], type(args[0]), "hi");
        return loop_shape(v, 1, 2, type(args[0]));
    case Op::loop: return loop_shape(v, 0, 0, {});
    case Op::parallel:
        if (args.size() < 2 || args.size() % 2) return report(v, "needs lo and hi for each index");
        for (Value a : args) want(v, a, Scalar::i32, "a bound");
        if (!scope.outermost) report(v, "stands at the outermost level only");
        return loop_shape(v, args.size() / 2, args.size(), Scalar::i32);
    default:
        if (in.results.size) report(v, "a terminator has no results");
        return;
    }
}

void Checker::children(Value v, const Scope &scope) {
    const Inst &in = fn[v];
    Scope inner = scope;
    inner.owner = v;
    inner.outermost = false;
    ++inner.nesting;
    if (in.op == Op::if_) {
        inner.kind = Scope::Kind::branch;
        block(in.blocks[0], inner, v);
        block(in.blocks[1], inner, v);
        return;
    }
    if (in.op == Op::for_ || in.op == Op::loop || in.op == Op::parallel) {
        inner.kind = in.op == Op::for_   ? Scope::Kind::for_body
                     : in.op == Op::loop ? Scope::Kind::loop_body
                                         : Scope::Kind::parallel_body;
        inner.innermost = in.op == Op::parallel ? Value{} : v;
        block(in.blocks[0], inner, v);
        if (in.blocks[1]) report(v, "a loop owns one block");
    } else if (in.blocks[0] || in.blocks[1]) {
        report(v, "owns a block");
    }
}

void Checker::terminator_of(Value v, const Scope &scope) {
    std::span<const Value> args = fn.args(v);
    static constexpr Type two_i64[] = {Scalar::i64, Scalar::i64};
    switch (fn[v].op) {
    case Op::ret:
        if (scope.kind != Scope::Kind::body) return report(v, "ret ends the body of the function only");
        return expect_types(v, args, fn.returns, "returned value");
    case Op::exit:
        if (scope.in_bounds) report(v, "the bounds yield lo and hi");
        return;
    case Op::break_:
    case Op::continue_:
        if (!scope.innermost) return report(v, "stands inside for or loop only");
        return expect_types(v, args, result_types(scope.innermost), "value");
    case Op::yield: break;
    default: return;
    }
    switch (scope.kind) {
    case Scope::Kind::body: return report(v, "the body ends with ret");
    case Scope::Kind::bounds: return expect_types(v, args, two_i64, "bound");
    case Scope::Kind::branch:
    case Scope::Kind::for_body:
    case Scope::Kind::loop_body:
    case Scope::Kind::parallel_body: return expect_types(v, args, result_types(scope.owner), "yielded value");
    }
}

} // namespace

std::vector<Problem> verify(const Function &fn) {
    if (fn.insts.empty() || fn.blocks.empty()) return {{{}, "the tables start with an unused entry"}};
    Checker c{fn, {}};
    c.function();
    return std::move(c.problems);
}

std::string explain(const Function &fn, const std::vector<Problem> &problems) {
    std::vector<uint8_t> shown(problems.size());
    auto show = [&](Value v, int depth, std::string &out) {
        for (size_t i = 0; i < problems.size(); ++i) {
            if (shown[i] || problems[i].at != v) continue;
            shown[i] = 1;
            out += std::string(size_t(depth) * 4, ' ') + "; ^ error: " + problems[i].message + "\n";
        }
    };
    std::string text = print_with(fn, {}, [&](Value v, int depth, std::string &out) {
        show(v, depth, out);
        if (!v)
            for (Value p : fn.params) show(p, depth, out);
        if (!v || v.id >= fn.insts.size()) return;
        for (Value r : fn.results(v)) show(r, depth, out);
        BlockId body = fn[v].blocks[0];
        if (body && body.id < fn.blocks.size())
            for (Value p : fn[body].params) show(p, depth, out);
    });
    for (size_t i = 0; i < problems.size(); ++i)
        if (!shown[i]) text += "; error at %" + std::to_string(problems[i].at.id) + ": " + problems[i].message + "\n";
    return text;
}

} // namespace qd::ir
