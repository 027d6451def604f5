// Hints: requests to keep fields near while a loop runs, and promises about values. The caches of this backend are the processor's own, so
// requests have no effect; promises are checked in debug mode.
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/format.h"
#include "frontend/objects.h"
#include "frontend/types.h"

namespace qd::frontend {

/// block_local, cache_read_only, mesh_local
Val handlers::locality_hint(Walk &w, const Call &call) {
    for (const Val &arg : call.args) {
        const Kind kind = arg.is_constant() ? w.objects.kind_of(arg.object()) : Kind::foreign;
        if (!is_field(kind) && kind != Kind::mesh_elements)
            w.fail_type(call.node, std::string("`qd.") + call.row->name + "` takes fields, not " + type_text(w, arg));
    }
    return Val{};
}

/// Promises base + low <= value < base + high; returns the value.
Val handlers::assume_in_range(Walk &w, const Call &call) {
    const Node *node = call.node;
    for (size_t i = 0; i < 2; ++i)
        if (ir::is_float(scalar_type(w, node, call.args[i])))
            w.fail_type(node, "`qd.assume_in_range` takes an integer and an integer it is near to, not " +
                                  type_text(w, call.args[i]));
    const std::optional<long> low = constant_int(call.args[2]), high = constant_int(call.args[3]);
    if (!low || !high)
        w.fail_type(node, "`low` and `high` of `qd.assume_in_range` must be integers known at compile time");
    if (*low >= *high)
        w.fail_type(node, "The range of `qd.assume_in_range` is empty: low is " + std::to_string(*low) + ", high is " +
                              std::to_string(*high));
    const ir::Value value = as_is(w, node, call.args[0]);
    if (!w.request.options.debug) return scalar(w, value);
    const ir::Scalar type = w.fn.type(value).elem;
    const ir::Value base = as(w, node, call.args[1], type);
    const ir::Value below = w.b.integer(type, *low), above = w.b.integer(type, *high);
    const ir::Value first = w.b.add(base, below), end = w.b.add(base, above);
    const ir::Value reached = w.b.ge(value, first), passed = w.b.lt(value, end);
    ir::Message message;
    const char *texts[] = {"assume_in_range: ", " is not in [", ", ", ")"};
    for (int i = 0; i < 4; ++i) {
        message.pieces.push_back({texts[i], -1});
        if (i < 3) message.pieces.push_back({"", i});
    }
    const ir::Value values[] = {value, first, end};
    emit_assert(w, w.b.band(reached, passed), std::move(message), values);
    return scalar(w, value);
}

/// Promises that no two iterations have the same value; `covers`: the fields and levels to which this applies. Returns the value.
Val handlers::loop_unique(Walk &w, const Call &call) {
    const Node *node = call.node;
    if (call.args.size() > 1 && !(call.args[1].is_constant() && call.args[1].object() == Py_None)) {
        const Val &covers = call.args[1];
        const Val list = unpacked(w, node, covers);
        for (const Val &one : list.is_sequence() ? list.sequence().items : std::vector<Val>{covers}) {
            const Kind kind = one.is_constant() ? w.objects.kind_of(one.object()) : Kind::foreign;
            if (!is_field(kind) && kind != Kind::snode)
                w.fail_type(node, "`covers` of `loop_unique` must name fields or levels of a tree (SNodes), not " +
                                      type_text(w, one));
        }
    }
    return scalar(w, as_is(w, node, call.args[0]));
}

} // namespace qd::frontend
