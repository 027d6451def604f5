// Merges lookups of cells: a find_cell or make_cell is replaced by the address from an earlier one of the same cell. Facts are scoped
// by the block structure. They are invalidated by
//   creating a cell        invalidates addresses found before on that level (they may be of the zeros that stand in for it)
//   removing a cell        invalidates all facts of the tree
//   a barrier or fence     invalidates all facts
// Otherwise another thread may do either at any time; a reader then sees the cell as it was before, which is a valid order too.
#include "passes/passes.h"
#include "passes/rename.h"

#include "analysis/effects.h"
#include "analysis/walk.h"

namespace qd::passes {

using namespace ir;

namespace {

constexpr size_t max_facts = 64; ///< considered, the latest first

struct Fact {
    Value container, number, cell;
    uint32_t tree, node;
    bool made;
    bool alive = true;
};

struct Sharing {
    Function &fn;
    Rename rename;
    std::vector<Fact> facts;
    std::vector<size_t> killed;
    bool changed = false;

    explicit Sharing(Function &f) : fn(f), rename(f) {}

    const Place &place(Value v) const { return fn.places[place_of(fn[v])]; }
    uint32_t node(Value v) const { return place(v).levels[level_of(fn[v])].node; }

    void kill(size_t i) {
        if (!facts[i].alive) return;
        facts[i].alive = false;
        killed.push_back(i);
    }
    /// Invalidates the facts that an instruction invalidates.
    void change(Value v) {
        const Op op = fn[v].op;
        const bool is_fence = (info(op).traits & fences) != 0;
        if (!is_fence && op != Op::make_cell && op != Op::new_cell && op != Op::drop_cell) return;
        for (size_t i = 0; i < facts.size(); ++i) {
            const Fact &f = facts[i];
            if (is_fence) {
                kill(i);
                continue;
            }
            if (f.tree != place(v).tree) continue;
            if (op == Op::drop_cell || (!f.made && f.node == node(v))) kill(i);
        }
    }
    void change_all(BlockId b) {
        analysis::walk(fn, b, [&](Value v) { change(v); });
    }

    const Fact *find(Value v) const {
        size_t seen = 0;
        for (size_t i = facts.size(); i-- > 0 && seen < max_facts;) {
            const Fact &f = facts[i];
            if (!f.alive) continue;
            ++seen;
            if (f.container == fn.args(v)[0] && f.number == fn.args(v)[1] && f.tree == place(v).tree &&
                f.node == node(v))
                return &f;
        }
        return nullptr;
    }

    /// True if `v` is no longer needed.
    bool access(Value v) {
        const bool makes = fn[v].op == Op::make_cell;
        const Fact *known = find(v);
        if (known && (known->made || !makes)) {
            rename.replace(v, known->cell);
            return changed = true;
        }
        change(v);
        facts.push_back({fn.args(v)[0], fn.args(v)[1], v, place(v).tree, node(v), makes});
        return false;
    }

    void run(BlockId b) {
        std::vector<Value> &list = fn[b].insts;
        size_t end = 0;
        for (size_t i = 0; i < list.size(); ++i) {
            Value v = list[i];
            rename.apply(fn, v);
            const Op op = fn[v].op;
            if ((op == Op::find_cell || op == Op::make_cell) && access(v)) continue;
            if (op != Op::find_cell && op != Op::make_cell) change(v);
            list[end++] = v;
            if (fn[v].blocks[0]) children(v);
        }
        list.resize(end);
    }

    void children(Value v) {
        const bool loop = fn[v].op != Op::if_;
        if (loop) change_all(fn[v].blocks[0]);
        std::vector<size_t> ended;
        for (BlockId child : {fn[v].blocks[0], fn[v].blocks[1]}) {
            if (!child) continue;
            const size_t facts_before = facts.size(), killed_before = killed.size();
            run(child);
            for (size_t i = killed_before; i < killed.size(); ++i) {
                if (killed[i] >= facts_before) continue;
                facts[killed[i]].alive = true; // valid again in the other branch
                ended.push_back(killed[i]);
            }
            killed.resize(killed_before);
            facts.resize(facts_before);
        }
        for (size_t i : ended) kill(i);
    }
};

} // namespace

bool share_cells(Function &fn, const Config &) {
    bool any = false;
    analysis::walk(fn, [&](Value v) { any |= fn[v].op == Op::find_cell || fn[v].op == Op::make_cell; });
    if (!any) return false;
    Sharing s(fn);
    for (BlockId root : {fn.bounds, fn.body}) {
        if (!root) continue;
        s.run(root);
        s.facts.clear();
        s.killed.clear();
    }
    return s.changed;
}

} // namespace qd::passes
