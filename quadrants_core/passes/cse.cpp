// Merges equal movable instructions. Uses a table of the instructions visible at the current position, scoped by the block structure: the
// entries that a block adds are removed at its end. Commutative instructions are equal with their operands in either order.
#include "passes/passes.h"
#include "passes/rename.h"

#include <algorithm>
#include <bit>

namespace qd::passes {

using ir::BlockId;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Value;

namespace {

struct Merge {
    Function &fn;
    bool reals;
    Rename rename;
    std::vector<uint32_t> heads;   ///< by hash: the latest instruction
    std::vector<uint32_t> next;    ///< by value: the previous one in the same bucket
    std::vector<uint32_t> buckets; ///< by value
    std::vector<Value> visible;    ///< in the table, in order of insertion
    bool changed = false;

    Merge(Function &f, bool merges_reals)
        : fn(f), reals(merges_reals), rename(f), heads(std::bit_ceil(f.insts.size() + 1)), next(f.insts.size()),
          buckets(f.insts.size()) {}

    uint32_t bucket(Value v) const {
        const Inst &in = fn[v];
        auto word = [](const ir::Type &t) {
            return uint64_t(t.kind) | uint64_t(t.elem) << 8 | uint64_t(t.lanes) << 16;
        };
        uint64_t h = (uint64_t(in.op) << 32 | word(in.type)) * 0x9e3779b97f4a7c15u;
        h = (h ^ in.imm ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
        auto mix = [&](uint32_t id) { h = (h ^ id ^ (h >> 32)) * 0x94d049bb133111ebu; };
        std::span<const Value> args = fn.args(v);
        if (ir::info(in.op).traits & ir::commutative) {
            mix(std::min(args[0].id, args[1].id));
            mix(std::max(args[0].id, args[1].id));
        } else {
            for (Value a : args) mix(a.id);
        }
        return uint32_t((h ^ (h >> 31)) & (heads.size() - 1));
    }
    bool equal(Value a, Value b) const {
        const Inst &x = fn[a], &y = fn[b];
        if (x.op != y.op || x.type != y.type || x.imm != y.imm) return false;
        std::span<const Value> p = fn.args(a), q = fn.args(b);
        if ((ir::info(x.op).traits & ir::commutative) && p[0] == q[1] && p[1] == q[0]) return true;
        return std::ranges::equal(p, q);
    }

    /// An equal instruction that is visible here, or `v` itself, then added to the table.
    Value find(Value v) {
        uint32_t h = bucket(v);
        for (uint32_t id = heads[h]; id; id = next[id])
            if (equal(Value{id}, v)) return Value{id};
        buckets[v.id] = h;
        next[v.id] = heads[h];
        heads[h] = v.id;
        visible.push_back(v);
        return v;
    }

    void run(BlockId b) {
        size_t mark = visible.size();
        std::vector<Value> &list = fn[b].insts;
        size_t end = 0;
        for (size_t i = 0; i < list.size(); ++i) {
            Value v = list[i];
            rename.apply(fn, v);
            const bool is_real = fn[v].type.is_scalar() && fn[v].type.is_float();
            if (ir::is_movable(fn[v].op) && (reals || !is_real)) {
                Value same = find(v);
                if (same != v) {
                    rename.replace(v, same);
                    changed = true;
                    continue;
                }
            }
            list[end++] = v;
            for (BlockId child : fn[v].blocks)
                if (child) run(child);
        }
        list.resize(end);
        for (; visible.size() > mark; visible.pop_back()) {
            Value v = visible.back();
            heads[buckets[v.id]] = next[v.id];
        }
    }
};

} // namespace

static bool merge(Function &fn, bool reals) {
    Merge m(fn, reals);
    for (BlockId root : {fn.bounds, fn.body})
        if (root) m.run(root);
    return m.changed;
}

bool cse(Function &fn, const Config &) { return merge(fn, true); }
bool merge_indices(Function &fn) { return merge(fn, false); }

} // namespace qd::passes
