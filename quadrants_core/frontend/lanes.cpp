#include "frontend/lanes.h"

#include "frontend/annotations.h"
#include "frontend/builtins.h"
#include "frontend/expr.h"
#include "frontend/instance.h"
#include "frontend/place.h"
#include "frontend/subscript.h"
#include "frontend/types.h"

#include <iterator>
#include <limits>

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

/// The parallel loop around; null if there is none.
const ir::Loop *loop_around(const Walk &w) {
    for (const ir::Inst &in : w.fn.insts)
        if (in.op == Op::parallel && in.blocks[0] == w.region) return &w.fn.loops[in.imm];
    return nullptr;
}

bool has_threads(const ir::Loop &loop) { return !loop.serialize && !loop.cells; }

/// Returns the number of lanes of a subgroup; 0 if the architecture has no subgroups.
long lanes_of_subgroup(Walk &w, const Node *node) {
    const PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._lanes.ops"));
    const PyRef size = PyRef::steal(module ? PyObject_CallMethod(module.get(), "size", nullptr) : nullptr);
    const long lanes = size ? PyLong_AsLong(size.get()) : -1;
    if (PyErr_Occurred()) w.python_failed(node);
    return lanes;
}

/// Fails unless the iterations of the loop around are threads of blocks.
void check_threads(Walk &w, const Node *node) {
    const ir::Loop *loop = loop_around(w);
    if (!loop)
        w.fail_syntax(node, "operations on the threads of a block or subgroup are allowed in parallel loops only");
    if (!has_threads(*loop))
        w.fail_syntax(node, "the iterations of this loop are not threads of a block: it runs serially or over cells");
}

} // namespace

Val handlers::lanes_wait(Walk &w, const Call &call, Op op) {
    check_threads(w, call.node);
    w.b.emit(op, {});
    return Val{};
}

Val handlers::lanes_position(Walk &w, const Call &call, Op op) {
    check_threads(w, call.node);
    return scalar(w, w.b.emit(op, {}));
}

/// Without blocks of threads, and in serial code, it is the number of the thread that executes the code.
Val handlers::index_in_grid(Walk &w, const Call &call) {
    const ir::Loop *loop = loop_around(w);
    if (!loop || !has_threads(*loop) || !lanes_of_subgroup(w, call.node)) return thread_index(w, call);
    const ir::Value block = w.b.emit(Op::block_index, {}), size = w.b.emit(Op::block_threads, {});
    const ir::Value first = w.b.mul(block, size), thread = w.b.emit(Op::thread_in_block, {});
    return scalar(w, w.b.add(first, thread));
}

Val handlers::lanes_shuffle(Walk &w, const Call &call, Op op) {
    check_threads(w, call.node);
    if (!is_scalar(call.args[0]))
        w.fail_type(call.arg_node(0), "lanes exchange numbers, not " + type_text(w, call.args[0]),
                    "exchange the components of a vector one by one");
    const ir::Value value = as_is(w, call.arg_node(0), call.args[0]);
    const ir::Value by = as(w, call.arg_node(1), call.args[1], Scalar::i32);
    return scalar(w, w.b.emit(op, {value, by}));
}

Val handlers::lanes_vote(Walk &w, const Call &call, Op op) {
    check_threads(w, call.node);
    if (!is_scalar(call.args[0]))
        w.fail_type(call.arg_node(0), "the predicate must be a number, not " + type_text(w, call.args[0]));
    return scalar(w, w.b.emit(op, {as(w, call.arg_node(0), call.args[0], Scalar::u1)}));
}

Val handlers::lanes_fence(Walk &w, const Call &call) {
    const std::optional<long> scope = constant_int(call.args[0]);
    if (!scope || *scope < 0 || *scope >= long(std::size(ir::scope_names)))
        w.fail_syntax(call.node, "the scope of a fence must be 0, 1 or 2");
    w.b.emit(Op::fence, {}, {}, uint64_t(*scope));
    return Val{};
}

/// The value of the argument's type that leaves any other one unchanged.
Val handlers::identity_of(Walk &w, const Call &call, Op op) {
    const Scalar type = scalar_type(w, call.node, call.args[0]);
    const int bits = ir::bits_of(type);
    const bool is_real = ir::is_float(type), is_signed = ir::is_signed(type);
    const uint64_t all = bits < 64 ? (uint64_t(1) << bits) - 1 : UINT64_MAX, sign = uint64_t(1) << (bits - 1);
    const double infinity = std::numeric_limits<double>::infinity();
    const auto made = [&](uint64_t of_integers, double of_reals) {
        return scalar(w, is_real ? w.b.number(type, of_reals) : w.b.constant(type, of_integers));
    };
    if (op == Op::mul) return made(1, 1);
    if (op == Op::band) return made(all, 0);
    if (op == Op::min) return made(is_signed ? all ^ sign : all, infinity);
    if (op == Op::max) return made(is_signed ? sign : 0, -infinity);
    return made(0, 0);
}

Val handlers::shared_array(Walk &w, const Call &call) {
    check_threads(w, call.node);
    const Val given = unpacked(w, call.node, call.args[0]);
    const std::vector<Val> extents = given.is_sequence() ? given.sequence().items : std::vector<Val>{given};
    std::vector<int> shape;
    for (const Val &extent : extents)
        if (const std::optional<long> k = constant_int(extent); k && *k > 0 && *k < 1 << 28) shape.push_back(int(*k));
    if (shape.size() != extents.size() || shape.empty())
        w.fail_type(call.node, "qd.simt.block.shared_array shape must be an integer or a tuple of integers, but got " +
                                   type_text(w, call.args[0]));
    constexpr uint64_t most = 1 << 28;
    uint64_t count = 1;
    for (const int extent : shape) count = std::min(count * uint64_t(extent), most);
    if (count == most)
        w.fail_type(call.node, "a shared array has at most " + std::to_string(most - 1) + " elements",
                    "share a part of the data at a time");
    const Scalar type = dtype_scalar(w, call.node, call.args[1]);
    const ir::Value pointer = w.b.emit(Op::shared, {}, ir::Type::pointer(type, ir::Space::shared), count);
    return val::Shared{pointer, std::make_shared<const std::vector<int>>(std::move(shape))};
}

namespace {

/// Returns the bounds of a slice.
std::vector<Val> bounds(Walk &w, const Node *slice) {
    const Node *lower = child(slice, Field::lower), *upper = child(slice, Field::upper);
    if (!lower || !upper)
        w.fail_syntax(slice, "the slices of a part for a tile need both start and stop", "write `a[r0:r1, c0:c1]`");
    if (child(slice, Field::step)) w.fail_syntax(slice, "the slices of a part for a tile have no step");
    return {value(w, lower), value(w, upper)};
}

} // namespace

std::optional<Val> tile_part(Walk &w, const Node *node, const Val &base, const Node *slice) {
    const ir::Loop *loop = loop_around(w);
    if (!loop || !has_threads(*loop)) return std::nullopt;
    std::vector<const Node *> axes;
    if (slice->kind == NodeKind::Tuple)
        for (const Node *item : items_of(slice, Field::elts)) axes.push_back(item);
    const auto is_slice = [&](size_t axis) { return axes[axis]->kind == NodeKind::Slice; };
    const size_t count = axes.size();
    if ((count != 2 && count != 3) || !is_slice(count - 2) || (count == 3 && is_slice(0))) return std::nullopt;
    const PyRef module = PyRef::steal(PyImport_ImportModule("quadrants.simt._tile"));
    const PyRef classes = PyRef::steal(module ? PyObject_CallMethod(module.get(), "parts", nullptr) : nullptr);
    if (!classes) w.python_failed(node);
    if (classes.get() == Py_None) return std::nullopt;
    Call call{.node = node};
    call.args = {base, tuple_of(count == 3 ? std::vector{value(w, axes[0])} : std::vector<Val>{})};
    for (size_t axis = count - 2; axis < count; ++axis) {
        const std::vector<Val> given = is_slice(axis) ? bounds(w, axes[axis]) : std::vector{value(w, axes[axis])};
        call.args.insert(call.args.end(), given.begin(), given.end());
    }
    return new_instance(w, PyTuple_GET_ITEM(classes.get(), is_slice(count - 1) ? 0 : 1), std::move(call), false);
}

Val shared_attribute(Walk &w, const Node *node, const Val &base, PyObject *name) {
    if (text(name) != "shape")
        w.fail(node, UserErrorKind::compilation, "a shared array has no attribute '" + text(name) + "'",
               "it has `shape`");
    std::vector<Val> extents;
    for (const int extent : *base.shared().shape) extents.push_back(integer(extent));
    return tuple_of(std::move(extents));
}

Val subscript_shared(Walk &w, const Node *node, const Val &base, const std::vector<Val> &indices) {
    AtNode at(w, node);
    const val::Shared &array = base.shared();
    if (indices.size() != array.shape->size())
        w.fail(node, UserErrorKind::index,
               "a shared array with " + std::to_string(array.shape->size()) + " dimensions is indexed with " +
                   std::to_string(indices.size()) + " indices");
    const std::vector<ir::Value> values = index_values(w, node, indices, false);
    ir::Value number = values[0];
    for (size_t axis = 1; axis < values.size(); ++axis) {
        const ir::Value extent = w.b.i32((*array.shape)[axis]);
        number = w.b.mul(number, extent);
        number = w.b.add(number, values[axis]);
    }
    const Scalar elem = w.fn.type(array.pointer).elem;
    const ir::Value wide = w.b.cast(number, Scalar::i64);
    const ir::Value size = w.b.i64(ir::size_of(elem));
    const ir::Value bytes = w.b.mul(wide, size);
    return w.places.scalar_ref(w.b.offset(array.pointer, bytes, elem), false);
}

} // namespace qd::frontend
