// Access to things outside the language: time, threads, functions of other libraries.
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/place.h"
#include "frontend/types.h"

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

Val handlers::clock(Walk &w, const Call &) { return scalar(w, w.b.emit(Op::clock, {}, Scalar::i64)); }

Val handlers::thread_index(Walk &w, const Call &) { return scalar(w, w.b.emit(Op::thread_index, {}, Scalar::i32)); }

/// The number depends on the architecture, which the package knows.
Val handlers::group_size(Walk &w, const Call &call) {
    PyRef size = PyRef::steal(PyObject_CallNoArgs(call.callee));
    if (!size) w.python_failed(call.node);
    return constant(std::move(size));
}

/// The mask of the lanes that compare in this way with a given lane.
Val handlers::lane_mask(Walk &w, const Call &call, Op op) {
    const ir::Value lane = as(w, call.node, call.args[0], Scalar::u32), one = w.b.integer(Scalar::u32, 1);
    const ir::Value bit = w.b.shl(one, lane), lower = w.b.sub(bit, one), lower_or_equal = w.b.bor(bit, lower);
    switch (ir::ComparisonOp(op)) {
    case ir::ComparisonOp::lt: return scalar(w, lower);
    case ir::ComparisonOp::le: return scalar(w, lower_or_equal);
    case ir::ComparisonOp::gt: return scalar(w, w.b.bnot(lower_or_equal));
    case ir::ComparisonOp::ge: return scalar(w, w.b.bnot(lower));
    case ir::ComparisonOp::eq: return scalar(w, bit);
    case ir::ComparisonOp::ne: return scalar(w, w.b.bnot(bit));
    }
    fail_internal("no mask of lanes for this op");
}

/// Calls an external function with the addresses of copies of its arguments; afterwards the copies are stored to the arguments that are
/// places.
Val handlers::external(Walk &w, const Call &call) {
    constexpr size_t most = 16;
    const Node *node = call.node;
    PyRef name = attribute(call.callee, names().__name__), number = attribute(call.callee, names()._qd_external_);
    const uint64_t id = number ? PyLong_AsUnsignedLongLong(number.get()) : 0;
    if (PyErr_Occurred()) w.python_failed(node);
    w.dependencies.give_up(); // only the look-up of the function gives its address to the runtime
    const std::string title = "External function `" + (name ? text(name.get()) : "?") + "`";
    if (call.args.size() > most)
        w.fail_type(node, title + " is called with " + std::to_string(call.args.size()) + " arguments; at most " +
                              std::to_string(most) + " are supported");
    const ir::Value slots = w.b.local(Scalar::u64, std::max<size_t>(call.args.size(), 1));
    std::vector<ir::Value> at;
    for (size_t i = 0; i < call.args.size(); ++i) {
        const Val v = w.places.load(call.args[i]);
        if (!v.is_scalar() && !is_number(v))
            w.fail_type(call.arg_node(i), title + " takes scalars, got " + type_text(w, v),
                        "pass the components of a vector one by one");
        const ir::Value x = as_is(w, call.arg_node(i), v);
        at.push_back(w.b.offset(slots, w.b.integer(Scalar::i64, int64_t(8 * i)), w.fn.type(x).elem));
        w.b.emit(Op::store, {at.back(), x});
    }
    w.b.emit(Op::external, {slots}, {}, id * ir::external_arguments + call.args.size());
    for (size_t i = 0; i < call.args.size(); ++i)
        if (call.args[i].is_ref()) w.places.store(node, *call.args[i].ref(), scalar(w, w.b.load(at[i])));
    return Val{};
}

} // namespace qd::frontend
