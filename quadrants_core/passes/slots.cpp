#include "passes/slots.h"

namespace qd::passes {

using ir::Function;
using ir::List;
using ir::Type;
using ir::Value;

namespace {

/// `extra` must not point into the pool.
List append(Function &fn, List list, std::span<const Value> extra) {
    if (list.size == 0 || list.begin + list.size != fn.pool.size()) list = fn.make_list(fn.list(list));
    fn.pool.insert(fn.pool.end(), extra.begin(), extra.end());
    list.size += uint32_t(extra.size());
    return list;
}

} // namespace

void append_args(Function &fn, Value v, std::span<const Value> extra) {
    if (!extra.empty()) fn[v].args = append(fn, fn[v].args, extra);
}

void append_results(Function &fn, Value control, std::span<const Type> types) {
    if (types.empty()) return;
    List owner = fn.make_list({&control, 1});
    std::vector<Value> results;
    results.reserve(types.size());
    for (Type t : types) {
        ir::Inst inst;
        inst.op = ir::Op::result;
        inst.type = t;
        inst.span = fn[control].span;
        inst.imm = fn[control].results.size + results.size();
        inst.args = owner;
        results.push_back(fn.make(inst));
    }
    fn[control].results = append(fn, fn[control].results, results);
}

namespace {

/// Keeps the values of `list` whose slot is kept; the `first` values before the slots stay.
void filter(Function &fn, List &list, uint32_t first, std::span<const uint8_t> keep) {
    uint32_t end = first;
    for (uint32_t i = first; i < list.size; ++i)
        if (keep[i - first]) fn.pool[list.begin + end++] = fn.pool[list.begin + i];
    list.size = end;
}

} // namespace

void drop_slots(Function &fn, Value v, std::span<const Value> ends, std::span<const uint8_t> keep) {
    for (Value t : ends) filter(fn, fn[t].args, 0, keep);
    filter(fn, fn[v].results, 0, keep);
    for (uint32_t k = 0; k < fn[v].results.size; ++k) fn[fn.results(v)[k]].imm = k;
    if (!is_loop(fn[v].op)) return;
    filter(fn, fn[v].args, first_init(fn, v), keep);
    std::vector<Value> &params = fn[fn[v].blocks[0]].params;
    size_t first = first_carried(fn, v), end = first;
    for (size_t i = first; i < params.size(); ++i)
        if (keep[i - first]) params[end++] = params[i];
    params.resize(end);
}

} // namespace qd::passes
