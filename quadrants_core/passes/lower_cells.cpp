// Places of sparse trees are symbolic up to this pass. Each use now walks from the tree's root to the cell, level by level: a dense
// level is arithmetic, any other one a find_cell (to read) or make_cell (to write) immediately before the use, so that the walk sees
// cells that were created earlier.
//
// In a loop over the cells of a tree, a place with the loop's own indices starts from the current cell, which exists, or from the
// enclosing cell if it is elsewhere below that one. Not if the task removes cells of the tree: the current cell may be one of them.
#include "passes/passes.h"
#include "passes/place_address.h"
#include "passes/rename.h"

#include "analysis/walk.h"
#include "base/error.h"

#include <algorithm>

namespace qd::passes {

using namespace ir;

namespace {

/// Depth of the second cell that a loop over `place` provides, besides its own: the one around the containers that it runs over.
size_t depth_around(const Place &place) {
    const LevelKind last = place.levels.back().kind;
    size_t depth = place.levels.size();
    if (last == LevelKind::bitmasked) return depth - 1;
    while (depth > 0 && place.levels[depth - 1].kind == LevelKind::dense) --depth;
    return depth;
}

struct Start {
    Value cell; ///< none: the root
    size_t depth = 0;
};

class CellLowering {
  public:
    explicit CellLowering(Function &fn) : fn_(fn), rename_(fn) {
        analysis::walk(fn, [&](Value v) {
            if (fn[v].op == Op::deactivate) shrinks(fn.places[fn[fn.args(v)[0]].imm].tree);
            if (fn[v].op == Op::drop_cell) shrinks(fn.places[place_of(fn[v])].tree);
        });
    }

    bool run(BlockId block) {
        bool changed = false;
        std::vector<Value> old = std::move(fn_[block].insts);
        fn_[block].insts.clear();
        fn_[block].insts.reserve(old.size());
        for (Value v : old) {
            if (fn_[v].op == Op::own_index) rename_.replace(v, fn_.args(v)[0]);
            if (fn_[v].op == Op::own_index || symbolic(v)) {
                changed = true;
                continue;
            }
            rename_.apply(fn_, v);
            Builder b(fn_, block);
            b.span = fn_[v].span;
            for (size_t i = 0; i < fn_[v].args.size; ++i) {
                if (!symbolic(fn_.args(v)[i])) continue;
                QD_CHECK(i == 0 && info(fn_[v].op).effect != Effect::control, "a place of a sparse tree is passed on");
                use(b, v);
            }
            fn_[block].insts.push_back(v);
            for (int k = 0; k < 2; ++k)
                if (BlockId inner = fn_[v].blocks[k]) changed |= run(inner);
        }
        return changed;
    }

  private:
    bool symbolic(Value v) const {
        while (fn_[v].op == Op::offset) v = fn_.args(v)[0];
        return fn_[v].op == Op::place && is_sparse(fn_.places[fn_[v].imm]);
    }

    /// Replaces operand 0 of `v`, a symbolic place, by an address; ops on cells become steps.
    void use(Builder &b, Value v) {
        Value named = fn_.args(v)[0];
        if (family(fn_[v].op) == Family::cell) {
            switch (CellOp(fn_[v].op)) {
            case CellOp::activate: return activate(b, v);
            case CellOp::is_active: return step(b, v, Op::has_cell, true, false);
            case CellOp::deactivate: return step(b, v, Op::drop_cell, true, false);
            case CellOp::append: return step(b, v, Op::new_cell, false, true);
            case CellOp::length: return step(b, v, Op::count_cells, false, false);
            case CellOp::address: break;
            }
        }
        const OpInfo &row = info(fn_[v].op);
        Value found = element(b, named, row.effect == Effect::write && !(row.traits & observes));
        fn_.args(v)[0] = found;
    }

    Value element(Builder &b, Value named, bool make) {
        if (fn_[named].op == Op::offset) {
            Value base = element(b, fn_.args(named)[0], make);
            return b.offset(base, rename_(fn_.args(named)[1]), fn_.type(named).elem);
        }
        const Place place = fn_.places[fn_[named].imm];
        Value cell = walk(b, named, place.levels.size(), make);
        Address address(b, cell);
        address.add(int64_t(place.byte_offset));
        return address.value(place.elem);
    }

    /// Creates the cell of the last level. Its address, which is unused, is `v` itself.
    void activate(Builder &b, Value v) {
        Value named = fn_.args(v)[0];
        const Place place = fn_.places[fn_[named].imm];
        size_t last = place.levels.size() - 1;
        std::vector<Value> args{container(b, named, last, true)};
        std::vector<Value> indices = indices_of(named);
        args.push_back(cell_number(b, place, last, indices));
        become(v, Op::make_cell, Type::pointer(Scalar::u8), named, last, args);
    }

    void step(Builder &b, Value v, Op op, bool has_number, bool make) {
        Value named = fn_.args(v)[0];
        const Place place = fn_.places[fn_[named].imm];
        size_t last = place.levels.size() - 1;
        std::vector<Value> args{container(b, named, last, make)};
        std::vector<Value> indices = indices_of(named);
        if (has_number) args.push_back(cell_number(b, place, last, indices));
        become(v, op, fn_[v].type, named, last, args);
    }

    void become(Value v, Op op, Type type, Value named, size_t level, std::span<const Value> args) {
        Inst &inst = fn_[v];
        inst.op = op;
        inst.type = type;
        inst.imm = fn_[named].imm * max_levels + level;
        fn_.set_args(v, args);
    }

    std::vector<Value> indices_of(Value named) const {
        std::vector<Value> list;
        for (Value a : fn_.args(named)) list.push_back(rename_(a));
        return list;
    }

    Value container(Builder &b, Value named, size_t level, bool make) {
        const Place place = fn_.places[fn_[named].imm];
        Value cell = walk(b, named, level, make);
        Address address(b, cell);
        address.add(int64_t(place.levels[level].start));
        return address.value(Scalar::u8);
    }

    /// The cell `depth` levels below the root.
    Value walk(Builder &b, Value named, size_t depth, bool make) {
        const Place place = fn_.places[fn_[named].imm];
        const std::vector<Value> indices = indices_of(named);
        Start start = near(named, place, depth);
        if (!start.cell) start.cell = b.emit(Op::tree_base, {}, Type::pointer(Scalar::u8), place.tree);
        Value cell = start.cell;
        for (size_t l = start.depth; l < depth;) {
            Address address(b, cell);
            for (; l < depth && place.levels[l].kind == LevelKind::dense; ++l) add_level(b, address, place, l, indices);
            if (l < depth) address.add(int64_t(place.levels[l].start));
            cell = address.value(Scalar::u8);
            if (l == depth) break;
            Value number = cell_number(b, place, l, indices);
            cell = b.emit(make ? Op::make_cell : Op::find_cell, {cell, number}, Type::pointer(Scalar::u8),
                          fn_[named].imm * max_levels + l);
            ++l;
        }
        return cell;
    }

    /// The deepest cell on the path that the enclosing loop provides.
    Start near(Value named, const Place &place, size_t depth) const {
        std::span<const Value> args = fn_.args(named);
        if (args.empty() || (shrinking_.size() > place.tree && shrinking_[place.tree])) return {};
        const Inst &own = fn_[args[0]];
        if (own.op != Op::own_index) return {};
        const Place &loop = fn_.places[place_of(own)];
        if (loop.tree != place.tree || loop.index_offset.size() < args.size()) return {};
        for (size_t i = 0; i < args.size(); ++i) {
            const Inst &index = fn_[args[i]];
            if (index.op != Op::own_index || place_of(index) != place_of(own) || level_of(index) != i ||
                fn_.args(args[i])[1] != fn_.args(args[0])[1] || loop.index_offset[i] != place.index_offset[i])
                return {};
        }
        size_t common = 0;
        while (common < std::min({depth, place.levels.size(), loop.levels.size()}) &&
               place.levels[common] == loop.levels[common])
            ++common;
        if (common == loop.levels.size()) return {fn_.args(args[0])[1], common};
        size_t around = depth_around(loop);
        return common >= around ? Start{fn_.args(args[0])[2], around} : Start{};
    }

    void shrinks(uint32_t tree) {
        if (shrinking_.size() <= tree) shrinking_.resize(tree + 1);
        shrinking_[tree] = true;
    }

    Function &fn_;
    Rename rename_;
    std::vector<bool> shrinking_; ///< by tree
};

} // namespace

bool lower_cells(Function &fn, const Config &) {
    bool any = false;
    analysis::walk(fn, [&](Value v) { any |= fn[v].op == Op::own_index || fn[v].op == Op::place; });
    if (!any || std::none_of(fn.places.begin(), fn.places.end(), is_sparse)) return false;
    CellLowering lowering(fn);
    bool changed = fn.bounds && lowering.run(fn.bounds);
    changed |= lowering.run(fn.body);
    return changed;
}

} // namespace qd::passes
