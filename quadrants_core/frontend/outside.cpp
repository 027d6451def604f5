// What is outside of the language: time, threads, functions of other libraries.
#include "frontend/builtins.h"

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

Val Walker::clock(const Call &) { return scalar(b_.emit(Op::clock, {}, Scalar::i64)); }

Val Walker::thread_index(const Call &) { return scalar(b_.emit(Op::thread_index, {}, Scalar::i32)); }

/// The CPU has no subgroups.
Val Walker::group_size(const Call &) { return integer(0); }

/// Bits of the lanes that compare so with a given one.
Val Walker::lane_mask(const Call &call) {
    const ir::Value lane = as(call.node, call.args[0], Scalar::u32), one = b_.integer(Scalar::u32, 1);
    const ir::Value bit = b_.shl(one, lane), lower = b_.sub(bit, one), lower_or_equal = b_.bor(bit, lower);
    switch (call.row->op) {
    case Op::lt: return scalar(lower);
    case Op::le: return scalar(lower_or_equal);
    case Op::gt: return scalar(b_.bnot(lower_or_equal));
    case Op::ge: return scalar(b_.bnot(lower));
    default: return scalar(bit);
    }
}

/// The function gets the addresses of copies of its arguments; afterwards those that are places take what it left
/// there.
Val Walker::external(const Call &call) {
    constexpr size_t most = 16;
    const Node *node = call.node;
    PyRef name = attribute(call.callee, names().__name__), number = attribute(call.callee, names()._qd_external_);
    const uint64_t id = number ? PyLong_AsUnsignedLongLong(number.get()) : 0;
    if (PyErr_Occurred()) python_failed(node);
    reads_.give_up(); // only what looks the function up tells the runtime where it is
    const std::string title = "External function `" + (name ? text(name.get()) : "?") + "`";
    if (call.args.size() > most)
        fail_type(node, title + " is called with " + std::to_string(call.args.size()) + " arguments; at most " +
                            std::to_string(most) + " are possible");
    const ir::Value slots = b_.local(Scalar::u64, std::max<size_t>(call.args.size(), 1));
    std::vector<ir::Value> at;
    for (size_t i = 0; i < call.args.size(); ++i) {
        const Val v = load(call.args[i]);
        if (v.tag != Tag::scalar && !is_number(v))
            fail_type(call.arg_node(i), title + " takes scalars, got " + type_text(v),
                      "pass the components of a vector one by one");
        const ir::Value x = as_is(call.arg_node(i), v);
        at.push_back(b_.offset(slots, b_.integer(Scalar::i64, int64_t(8 * i)), fn_.type(x).elem));
        b_.emit(Op::store, {at.back(), x});
    }
    b_.emit(Op::external, {slots}, {}, id * ir::external_arguments + call.args.size());
    for (size_t i = 0; i < call.args.size(); ++i)
        if (call.args[i].tag == Tag::ref) store(node, *call.args[i].ref, scalar(b_.load(at[i])));
    return Val{};
}

} // namespace qd::frontend
