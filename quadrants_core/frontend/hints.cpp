// Hints: wishes about where fields are kept while a loop runs, and promises about values. The caches of this backend
// are the processor's own, so a wish has no effect; promises are checked in debug mode.
#include "frontend/builtins.h"

namespace qd::frontend {

/// block_local, cache_read_only, mesh_local
Val Walker::keep_near(const Call &call) {
    for (const Val &arg : call.args) {
        const Kind kind = arg.is_constant() ? kind_of(arg.object.get()) : Kind::foreign;
        if (!is_field(kind) && kind != Kind::mesh_elements)
            fail_type(call.node, std::string("`qd.") + call.row->name + "` takes fields, not " + type_text(arg));
    }
    return Val{};
}

/// base + low <= value < base + high; the value.
Val Walker::assume_in_range(const Call &call) {
    const Node *node = call.node;
    for (size_t i = 0; i < 2; ++i)
        if (ir::is_float(scalar_type(node, call.args[i])))
            fail_type(node, "`qd.assume_in_range` takes an integer and an integer it is near to, not " +
                                type_text(call.args[i]));
    const std::optional<long> low = constant_int(call.args[2]), high = constant_int(call.args[3]);
    if (!low || !high)
        fail_type(node, "`low` and `high` of `qd.assume_in_range` must be integers known at compile time");
    if (*low >= *high)
        fail_type(node, "The range of `qd.assume_in_range` is empty: low is " + std::to_string(*low) + ", high is " +
                            std::to_string(*high));
    const ir::Value value = as_is(node, call.args[0]);
    if (!request_.options.debug) return scalar(value);
    const ir::Scalar type = fn_.type(value).elem;
    const ir::Value base = as(node, call.args[1], type);
    const ir::Value below = b_.integer(type, *low), above = b_.integer(type, *high);
    const ir::Value first = b_.add(base, below), end = b_.add(base, above);
    const ir::Value reached = b_.ge(value, first), passed = b_.lt(value, end);
    ir::Message message;
    const char *texts[] = {"assume_in_range: ", " is not in [", ", ", ")"};
    for (int i = 0; i < 4; ++i) {
        message.pieces.push_back({texts[i], -1});
        if (i < 3) message.pieces.push_back({"", i});
    }
    const ir::Value values[] = {value, first, end};
    emit_assert(b_.band(reached, passed), std::move(message), values);
    return scalar(value);
}

/// No two iterations have the same value; `covers`: the fields and levels it may be relied on for. The value.
Val Walker::loop_unique(const Call &call) {
    const Node *node = call.node;
    if (call.args.size() > 1 && !(call.args[1].is_constant() && call.args[1].object.get() == Py_None)) {
        const Val &covers = call.args[1];
        const Val list = unpacked(node, covers);
        for (const Val &one : list.is_sequence() ? list.items : std::vector<Val>{covers}) {
            const Kind kind = one.is_constant() ? kind_of(one.object.get()) : Kind::foreign;
            if (!is_field(kind) && kind != Kind::snode)
                fail_type(node,
                          "`covers` of `loop_unique` names fields or levels of a tree (SNodes), not " + type_text(one));
        }
    }
    return scalar(as_is(node, call.args[0]));
}

} // namespace qd::frontend
