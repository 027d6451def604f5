// A parallel loop over the cells of a tree becomes one over the entries of the list (abi/tree.h), each a piece of a container,
// with loops over the cells of the piece inside:
//  - pointer: the piece is one cell;
//  - dynamic: a loop from the begin of the piece to its end;
//  - dense: a loop for each axis of the innermost dense levels, the first one over the rows of the piece;
//  - bitmasked: a loop over words of the mask, and one over the bits set in each, the lowest first.
// The indices carry the current cell with them (own_index), so lower_cells need not search for the loop's own elements.
//
// Runs after differentiation, which treats a loop over cells like any other, and before offload.
#include "passes/passes.h"

#include "ir/builder.h"

#include <utility>

namespace qd::passes {

using namespace ir;

namespace {

class CellLoop {
  public:
    CellLoop(Function &fn, Value loop)
        : fn_(fn), b_(fn), loop_(loop), body_(fn[loop].blocks[0]), number_(uint32_t(place_of(fn[fn.args(loop)[1]]))),
          place_(fn.places[number_]), settings_(fn.loops[fn[loop].imm]) {
        b_.span = fn[loop].span;
        settings_.cells = false;
        flags_ = settings_;
        flags_.vectorize = true;
    }

    void run() {
        fn_.loops[fn_[loop_].imm].cells = false;
        const BlockId pieces = fn_.make_block();
        fn_[loop_].blocks[0] = pieces;
        b_.block = pieces;
        const Value element = fn_.add_param(pieces, Scalar::i32, b_.span);
        const auto value = [&](size_t part) {
            return b_.emit(Op::list_value, {element}, Scalar::i32, number_ * max_levels + part);
        };
        base_ = b_.emit(Op::list_cell, {element}, Type::pointer(Scalar::u8), number_ * max_levels);
        begin_ = value(0);
        end_ = value(1);
        Values at;
        for (size_t axis = 0; axis < place_.shape.size(); ++axis) at.push_back(value(2 + axis));
        cells(at);
        b_.yield();
    }

  private:
    using Values = std::vector<Value>;

    void cells(const Values &at) {
        const PlaceLevel &last = place_.levels.back();
        switch (last.kind) {
        case LevelKind::pointer: around_ = base_; return own_body(base_, at);
        case LevelKind::dynamic: return dynamic_cells(last, at);
        case LevelKind::bitmasked: return mask_words(last, at);
        case LevelKind::dense: {
            size_t first = place_.levels.size() - 1;
            while (first > 0 && place_.levels[first - 1].kind == LevelKind::dense) --first;
            around_ = moved(base_, -int64_t(place_.levels[first].start));
            return dense_cells(base_, at, first, 0);
        }
        }
    }

    void dynamic_cells(const PlaceLevel &last, const Values &at) {
        const Value loop = b_.for_(begin_, end_, {}, flags_);
        inside(fn_[loop].blocks[0], [&] {
            const Value index = fn_[b_.block].params[0];
            const Value position = b_.sub(index, begin_);
            const Value cell = moved(base_, position, last.cell_bytes);
            around_ = cell;
            own_body(cell, plus(at, last.axes[0], index));
            b_.yield();
        });
    }

    /// Emits nested loops over the axes of the dense levels from `level` on; the first one runs over the rows of the piece.
    void dense_cells(Value cell, const Values &at, size_t level, size_t axis) {
        const bool first = axis == 0 && (level == 0 || place_.levels[level - 1].kind != LevelKind::dense);
        const PlaceLevel &here = place_.levels[level];
        if (axis == here.axes.size()) {
            if (level + 1 == place_.levels.size()) return own_body(cell, at);
            return dense_cells(moved(cell, int64_t(place_.levels[level + 1].start)), at, level + 1, 0);
        }
        const PlaceAxis &a = here.axes[axis];
        const Value lo = first ? begin_ : b_.i32(0);
        const Value hi = first ? end_ : b_.i32(int32_t(a.extent));
        const Value loop = b_.for_(lo, hi, {}, flags_);
        inside(fn_[loop].blocks[0], [&] {
            const Value index = fn_[b_.block].params[0];
            const Value inner = moved(cell, index, uint64_t(a.stride) * here.cell_bytes);
            dense_cells(inner, plus(at, a, index), level, axis + 1);
            b_.yield();
        });
    }

    void mask_words(const PlaceLevel &level, const Values &at) {
        uint64_t cells = 1;
        for (const PlaceAxis &axis : level.axes) cells *= axis.extent;
        around_ = moved(base_, -int64_t(level.start));
        const Value first_cell = moved(base_, int64_t((cells + 63) / 64 * 8));
        const Value six = b_.i32(6);
        const Value begin = b_.shr(begin_, six);
        const Value end = b_.shr(end_, six);
        Loop each_word = settings_, each_bit;
        each_word.cells = each_bit.cells = true;
        const Value words = b_.for_(begin, end, {}, each_word);
        inside(fn_[words].blocks[0], [&] {
            const Value number = fn_[b_.block].params[0];
            const Value zero = b_.i64(0);
            const Value word = b_.load(b_.offset(moved(base_, number, 8), zero, Scalar::u64));
            const Value bits = b_.loop({&word, 1}, each_bit);
            inside(fn_[bits].blocks[0], [&] {
                const Value rest = fn_[b_.block].params[0];
                const Value none = b_.constant(Scalar::u64, 0);
                const Value branch = b_.if_(b_.eq(rest, none));
                inside(fn_[branch].blocks[0], [&] { b_.break_({&rest, 1}); });
                inside(fn_[branch].blocks[1], [&] { b_.yield(); });
                const Value one = b_.constant(Scalar::u64, 1);
                const Value below = b_.sub(rest, one);
                const Value next = b_.band(rest, below);
                const Value others = b_.bnot(rest);
                const Value trailing = b_.band(others, below);
                const Value bit = b_.cast(b_.popcnt(trailing), Scalar::i32);
                const Value start = b_.shl(number, six);
                const Value cell = b_.bor(start, bit);
                Values own = at;
                for (const PlaceAxis &axis : level.axes) own = plus(own, axis, coordinate(cell, axis, cells));
                own_body(moved(first_cell, cell, level.cell_bytes), own);
                b_.yield({&next, 1});
            });
            b_.yield();
        });
    }

    /// Emits the body of the loop, once, with the indices of `cell`.
    void own_body(Value cell, const Values &at) {
        const Values indices = fn_[body_].params;
        for (size_t axis = 0; axis < at.size(); ++axis) {
            Value index = at[axis];
            if (const int32_t offset = place_.index_offset[axis]) {
                const Value shift = b_.i32(offset); // user index = storage index + offset
                index = b_.add(index, shift);
            }
            Inst &own = fn_[indices[axis]];
            own.op = Op::own_index;
            own.imm = number_ * max_levels + axis;
            const Value operands[] = {index, cell, around_};
            fn_.set_args(indices[axis], operands);
            fn_[b_.block].insts.push_back(indices[axis]);
        }
        std::vector<Value> list = std::move(fn_[body_].insts);
        fn_[body_] = {};
        if (fn_[list.back()].op == Op::yield) {
            list.pop_back();
            fn_[b_.block].insts.insert(fn_[b_.block].insts.end(), list.begin(), list.end());
            return;
        }
        const Value always = b_.u1(true); // the enclosing code continues after a body that leaves
        const Value branch = b_.if_(always);
        fn_[fn_[branch].blocks[0]].insts = std::move(list);
        inside(fn_[branch].blocks[1], [&] { b_.yield(); });
    }

    Value moved(Value base, Value cells, uint64_t bytes) {
        const Value wide = b_.cast(cells, Scalar::i64);
        const Value size = b_.i64(int64_t(bytes));
        const Value distance = b_.mul(wide, size);
        return b_.offset(base, distance, Scalar::u8);
    }
    Value moved(Value base, int64_t bytes) {
        if (!bytes) return base;
        const Value distance = b_.i64(bytes);
        return b_.offset(base, distance, Scalar::u8);
    }

    /// at[axis] + index * divide
    Values plus(Values at, const PlaceAxis &axis, Value index) {
        if (axis.divide != 1) {
            const Value unit = b_.i32(int32_t(axis.divide));
            index = b_.mul(index, unit);
        }
        at[axis.axis] = b_.add(at[axis.axis], index);
        return at;
    }

    /// cell / stride % extent, of a cell number that is not negative.
    Value coordinate(Value cell, const PlaceAxis &axis, uint64_t cells) {
        const auto shifted = [](uint32_t n) { return n && !(n & (n - 1)); };
        Value index = cell;
        if (axis.stride != 1) {
            const Value by = b_.i32(int32_t(shifted(axis.stride) ? __builtin_ctz(axis.stride) : axis.stride));
            index = shifted(axis.stride) ? b_.shr(index, by) : b_.div(index, by);
        }
        if (uint64_t(axis.stride) * axis.extent == cells) return index; // the outermost
        const Value by = b_.i32(int32_t(shifted(axis.extent) ? axis.extent - 1 : axis.extent));
        return shifted(axis.extent) ? b_.band(index, by) : b_.rem(index, by);
    }

    template <class Emit> void inside(BlockId target, const Emit &emit) {
        const BlockId outer = std::exchange(b_.block, target);
        emit();
        b_.block = outer;
    }

    Function &fn_;
    Builder b_;
    const Value loop_;
    const BlockId body_;
    const uint32_t number_;
    const Place place_;
    Loop settings_, flags_;
    Value base_, begin_, end_; ///< the current piece
    Value around_;             ///< the cell that contains the current cell's containers
};

} // namespace

bool lower_cell_loops(Function &fn, const Config &) {
    bool changed = false;
    for (size_t i = 0; i < fn[fn.body].insts.size(); ++i) {
        const Value v = fn[fn.body].insts[i];
        if (fn[v].op != Op::parallel || !fn.loops[fn[v].imm].cells) continue;
        CellLoop(fn, v).run();
        changed = true;
    }
    return changed;
}

} // namespace qd::passes
