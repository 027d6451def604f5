#include "passes/slots.h"

namespace qd::passes {

using ir::Function;
using ir::List;
using ir::Type;
using ir::Value;

namespace {

/// `extra` does not point into the pool.
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

} // namespace qd::passes
