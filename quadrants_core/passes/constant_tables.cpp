// A local that is filled with constants and then only read becomes a table of constants in the code, so nothing is stored at run time.
// Every store to it must be in the local's own block, precede all reads, and store a constant to one whole element. Any other use of its
// address prevents the transformation.
#include "passes/passes.h"
#include "passes/spaces.h"

#include <algorithm>
#include <optional>

namespace qd::passes {

using namespace ir;

namespace {

constexpr uint64_t max_elements = 4096;

struct Local {
    Value inst;
    BlockId block;
    std::vector<uint64_t> values;
    std::vector<Value> stores;
    bool good = true, read = false;
};

/// The target of a pointer: local number `local` (0: none), and the byte offset in it if known.
struct Target {
    uint32_t local = 0;
    std::optional<uint64_t> bytes = 0;
};

struct Tables {
    Function &fn;
    std::vector<Local> locals = std::vector<Local>(1);
    std::vector<Target> targets = std::vector<Target>(fn.insts.size());

    void walk(BlockId b) {
        for (Value v : fn[b].insts) {
            visit(v, b);
            for (BlockId child : fn[v].blocks)
                if (child) walk(child);
        }
    }

    void visit(Value v, BlockId b) {
        const Inst &in = fn[v];
        const std::span<const Value> args = fn.args(v);
        if (in.op == Op::local && in.imm <= max_elements) {
            targets[v.id].local = uint32_t(locals.size());
            locals.push_back({v, b, std::vector<uint64_t>(in.imm), {}});
            return;
        }
        const Target first = args.empty() ? Target{} : targets[args[0].id];
        Local &local = locals[first.local];
        if (in.op == Op::offset && first.local) {
            Target &own = targets[v.id] = first;
            own.bytes.reset();
            if (first.bytes && fn[args[1]].op == Op::constant) own.bytes = *first.bytes + fn[args[1]].imm;
        } else if (in.op == Op::load && first.local) {
            local.read = true;
        } else if (in.op == Op::store && first.local) {
            local.good = local.good && !local.read && b == local.block && keep(local, first, args[1]);
            local.stores.push_back(v);
        } else {
            for (Value a : args) locals[targets[a.id].local].good = false;
        }
    }

    bool keep(Local &local, const Target &to, Value value) const {
        const Type elem = fn.type(local.inst).elem;
        const uint64_t size = uint64_t(size_of(elem.elem));
        if (fn[value].op != Op::constant || fn.type(value) != elem || !to.bytes || *to.bytes % size) return false;
        if (*to.bytes / size >= local.values.size()) return false;
        local.values[*to.bytes / size] = fn[value].imm;
        return true;
    }

    bool rewrite() {
        std::vector<uint8_t> dead(fn.insts.size());
        bool changed = false;
        for (const Local &local : std::span(locals).subspan(1)) {
            if (!local.good || !local.read || local.stores.empty()) continue;
            changed = true;
            for (Value store : local.stores) dead[store.id] = 1;
            std::erase_if(fn[local.block].insts, [&](Value v) { return dead[v.id] != 0; });
            const Table table{fn.type(local.inst).elem, local.values};
            const auto known = std::ranges::find(fn.tables, table);
            fn[local.inst].op = Op::table;
            fn[local.inst].imm = uint64_t(known - fn.tables.begin());
            if (known == fn.tables.end()) fn.tables.push_back(table);
        }
        if (changed) recompute_spaces(fn);
        return changed;
    }
};

} // namespace

bool constant_tables(Function &fn, const Config &) {
    if (std::ranges::none_of(fn.insts, [](const Inst &in) { return in.op == Op::local; })) return false;
    Tables tables{fn};
    for (BlockId root : {fn.bounds, fn.body})
        if (root) tables.walk(root);
    return tables.rewrite();
}

} // namespace qd::passes
