#include "ir/function.h"

#include <algorithm>
#include <string_view>

namespace qd::ir {

static_assert(
    [] {
        for (const OpInfo &row : op_table)
            if (row.plain != Op::param && info(row.plain).operands != 2) return false;
        return true;
    }(),
    "what an atomic or a reduction applies has two operands");

Op packed_op(Op atomic) {
    static constexpr auto updates = [] {
        std::array<Op, op_count> of{};
        of[size_t(Op::atomic_xchg)] = Op::packed_xchg;
        of[size_t(Op::atomic_cas)] = Op::packed_cas;
        for (int i = 0; i < op_count; ++i)
            for (int k = 0; k < op_count; ++k)
                if (op_table[size_t(i)].family == Family::atomic && op_table[size_t(k)].family == Family::packed &&
                    op_table[size_t(i)].plain != Op::param && op_table[size_t(i)].plain == op_table[size_t(k)].plain)
                    of[size_t(i)] = Op(k);
        return of;
    }();
    return updates[size_t(atomic)];
}

Op atomic_op(Op plain) {
    static constexpr auto atomics = [] {
        std::array<Op, op_count> of{};
        for (int i = 0; i < op_count; ++i)
            if (op_table[size_t(i)].family == Family::atomic && op_table[size_t(i)].plain != Op::param)
                of[size_t(op_table[size_t(i)].plain)] = Op(i);
        return of;
    }();
    return atomics[size_t(plain)];
}

List Function::make_list(std::span<const Value> values) {
    List list{uint32_t(pool.size()), uint32_t(values.size())};
    if (values.empty()) return list;
    if (values.size() <= 2) { // the common case; copied first, since they may be elements of the pool
        const Value first = values.front(), last = values.back();
        pool.push_back(first);
        if (values.size() == 2) pool.push_back(last);
        return list;
    }
    bool inside = values.data() >= pool.data() && values.data() < pool.data() + pool.size();
    size_t from = inside ? size_t(values.data() - pool.data()) : 0;
    pool.resize(pool.size() + values.size());
    const Value *source = inside ? pool.data() + from : values.data();
    std::copy_n(source, values.size(), pool.data() + list.begin);
    return list;
}

Value Function::make(Inst inst) {
    insts.push_back(inst);
    return Value{uint32_t(insts.size() - 1)};
}

BlockId Function::make_block() {
    blocks.emplace_back();
    return BlockId{uint32_t(blocks.size() - 1)};
}

Value Function::add_param(BlockId b, Type t, SpanId span) {
    Inst inst;
    inst.op = Op::param;
    inst.type = t;
    inst.span = span;
    Value v = make(inst);
    blocks[b.id].params.push_back(v);
    return v;
}

namespace {

/// Appends to a list, in place if it is at the end of the pool.
List grow(Function &fn, List list, Value extra) {
    if (list.size == 0) list.begin = uint32_t(fn.pool.size());
    if (list.begin + list.size != fn.pool.size()) list = fn.make_list(fn.list(list));
    fn.pool.push_back(extra);
    ++list.size;
    return list;
}

} // namespace

Value Function::add_result(Value control, Type t) {
    Inst inst;
    inst.op = Op::result;
    inst.type = t;
    inst.span = insts[control.id].span;
    inst.imm = insts[control.id].results.size;
    inst.args = make_list({&control, 1});
    Value v = make(inst);
    insts[control.id].results = grow(*this, insts[control.id].results, v);
    return v;
}

void Function::set_args(Value v, std::span<const Value> values) { insts[v.id].args = make_list(values); }

void Function::push_arg(Value v, Value extra) { insts[v.id].args = grow(*this, insts[v.id].args, extra); }

SpanId Function::intern_span(const Span &s) {
    constexpr size_t recent = 4; // neighbouring instructions share spans; an older duplicate is harmless
    size_t stop = spans.size() > recent ? spans.size() - recent : 0;
    for (size_t i = spans.size(); i > stop; --i)
        if (const Span &old = spans[i - 1]; old.end_column == s.end_column && old == s) return SpanId(i - 1);
    spans.push_back(s);
    return SpanId(spans.size() - 1);
}

std::vector<Location> Function::trace(SpanId s) const {
    std::vector<Location> chain;
    while (s != no_span && s < spans.size() && chain.size() < 1000) {
        const Span &p = spans[s];
        Location at{p.file < files.size() ? files[p.file] : "", p.scope < scopes.size() ? scopes[p.scope] : ""};
        at.line = p.line;
        at.column = p.column;
        at.end_line = p.end_line;
        at.end_column = p.end_column;
        chain.push_back(std::move(at));
        s = p.call;
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
}

bool is_sparse(const Place &place) {
    return std::any_of(place.levels.begin(), place.levels.end(),
                       [](const PlaceLevel &level) { return level.kind != LevelKind::dense; });
}

} // namespace qd::ir
