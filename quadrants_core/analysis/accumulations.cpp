// A task that only scatters into an array may do so in a privatised copy for each thread. Conditions, and what counts as an array:
//
//  - every access to the array is an atomic of one kind on numbers of one type, and the old values are not used;
//  - no pointer into the array escapes: pointers are used only in offsets, not in block parameters, selects or external functions;
//  - arrays are distinct (ir::Function::distinct_arrays): no other parameter or field overlaps the array;
//  - in a dense field tree, the numbers of one place are such an array (ir::origin_of). Places that interleave, as members of
//    one cell, count as one. If an address of the tree has no known place, the whole tree is one;
//  - in a sparse tree, the numbers in the cells of a pointer level are such an array, as are those below a bitmasked level in the
//    tree's own memory, if the only operation of the task on cells of the tree is to create them: make_cell reads the tree itself,
//    not a copy;
//  - a number of the tmp buffer is such an array;
//  - f16 and u1 are not privatised, and tasks of regions privatise nothing, since other tasks may access the same memory.
//
// Memory that is updated only in a flush after the chunk loop (thread_local_reductions) has too few updates to need a copy, unless
// the order must be fixed (CompileFlag::ordered). In that mode a task runs on one thread if its updates do not commute: if old values
// are used, if the memory is also read or written in other ways, or if a float sum is not privatised.
#include "analysis/accumulations.h"

#include "abi/abi.h"
#include "ir/op.h"
#include "layout/containers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace qd::analysis {

using namespace ir;

namespace {

constexpr uint32_t whole = UINT32_MAX;

/// Memory that one name refers to: an array by its parameter, a place of a tree or all of it, the numbers below its outermost
/// bitmasked level (`masked`) or in the cells of a pointer level (`cells`) by `level_id`, a number of the tmp buffer by its
/// byte, or memory that belongs to the thread.
struct Object {
    enum Kind : uint8_t { array, tree, masked, cells, tmp, own } kind = own;
    uint64_t id = 0;
    uint32_t place = whole;
    friend auto operator<=>(const Object &, const Object &) = default;
};

uint64_t level_id(uint64_t tree, uint32_t node) { return tree << 32 | node; }

struct Root {
    Object object;
    bool direct = false; ///< the base itself, without offsets
};

struct Found {
    bool good = true;     ///< may be privatised
    bool depends = false; ///< its content depends on the order
    bool other = false;   ///< accessed by other ops than atomics
    Op op = Op::param;    ///< param: no update seen yet
    Type type;
    double updates = 0;
    std::vector<Value> atomics;

    void join(const Found &more) {
        if (more.op != Op::param && op != Op::param && (op != more.op || type != more.type))
            good = false, depends = true;
        if (op == Op::param) op = more.op, type = more.type;
        good &= more.good;
        depends |= more.depends;
        other |= more.other;
        updates += more.updates;
        atomics.insert(atomics.end(), more.atomics.begin(), more.atomics.end());
    }
    bool is_sum() const { return op == Op::atomic_add && type.is_float(); }
};

/// A range of bytes in a tree.
struct Extent {
    uint64_t begin = UINT64_MAX, end = 0;
    bool is_known = true;
};

std::optional<abi::Merge> merge_of(Op atomic) {
    constexpr std::pair<Op, abi::Merge> known[] = {
        {Op::atomic_add, abi::Merge::add},  {Op::atomic_min, abi::Merge::min}, {Op::atomic_max, abi::Merge::max},
        {Op::atomic_and, abi::Merge::band}, {Op::atomic_or, abi::Merge::bor},  {Op::atomic_xor, abi::Merge::bxor},
    };
    for (const auto &[op, merge] : known)
        if (op == atomic) return merge;
    return {};
}

abi::Number number_of(Type t) {
    return t.is_float()        ? abi::Number::floating
           : is_signed(t.elem) ? abi::Number::signed_integer
                               : abi::Number::unsigned_integer;
}

/// Returns the neutral element as a word. For a minimum or maximum of floats it is NaN, which loses against every number. A sum
/// of floats begins with -0, as 0 + -0 is 0, unless the sign of zeros does not matter.
uint64_t neutral_word(abi::Merge merge, Type t, bool fast_math) {
    const int bits = bits_of(t.elem);
    const uint64_t ones = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1, sign = uint64_t(1) << (bits - 1);
    switch (merge) {
    case abi::Merge::add: return t.is_float() && !fast_math ? sign : 0;
    case abi::Merge::min:
    case abi::Merge::max:
        if (t.is_float()) return bits == 32 ? 0x7fc00000 : 0x7ff8000000000000;
        if (merge == abi::Merge::min) return is_signed(t.elem) ? ones >> 1 : ones;
        return is_signed(t.elem) ? sign : 0;
    case abi::Merge::band: return ones;
    case abi::Merge::bor:
    case abi::Merge::bxor: return 0;
    }
    return 0;
}

class Search {
  public:
    Search(const Function &fn, const std::vector<uint32_t> &uses)
        : fn_(fn), uses_(uses), roots_(fn.insts.size()), ordered_(fn.has_flag(CompileFlag::ordered)) {
        for (uint32_t p = 0; p < fn.places.size(); ++p) same_bytes_.push_back(first_of_its_bytes(p));
    }

    Accumulations run(bool may_copy) {
        block(fn_.body, 1, true);
        exclude_looked_up_cells();
        merge_whole_trees();
        Accumulations out;
        out.number.resize(fn_.insts.size());
        if (may_copy) list(out);
        if (ordered_) out.updates.order = order(out);
        out.updates.any = any_;
        return out;
    }

  private:
    /// `often`: estimated executions of the block per index of the range; `top`: the block is outside of the chunk loop.
    void block(BlockId b, double often, bool top) {
        for (Value v : fn_[b].insts) {
            visit(v, top ? 0 : often);
            const Inst &in = fn_[v];
            if (in.op == Op::if_) {
                for (BlockId side : in.blocks) block(side, top ? often : often * 0.5, top);
            } else if (in.op == Op::for_ || in.op == Op::loop) {
                // The chunk loop, which is two loops if the range has several axes.
                const bool is_range = top || (in.op == Op::for_ && fn_.loops[in.imm].vectorize);
                block(in.blocks[0], is_range ? often : often * trip_count(in), false);
            }
        }
    }

    double trip_count(const Inst &loop) const {
        constexpr double unknown = 8;
        if (loop.op != Op::for_) return unknown;
        const Inst &lo = fn_[fn_.list(loop.args)[0]], &hi = fn_[fn_.list(loop.args)[1]];
        if (lo.op != Op::constant || hi.op != Op::constant) return unknown;
        return std::max(0.0, double(int32_t(hi.imm)) - double(int32_t(lo.imm)));
    }

    /// Returns the first place that shares bytes with `p`, as the numbers of one packed word do.
    uint32_t first_of_its_bytes(uint32_t p) const {
        const Place &place = fn_.places[p];
        for (uint32_t q = 0; q < p; ++q) {
            const Place &other = fn_.places[q];
            if (other.tree == place.tree && other.levels == place.levels &&
                other.byte_offset < place.byte_offset + uint64_t(size_of(place.elem)) &&
                place.byte_offset < other.byte_offset + uint64_t(size_of(other.elem)))
                return same_bytes_[q];
        }
        return p;
    }

    std::optional<Root> root_of(Value v) const {
        const Inst &in = fn_[v];
        if (in.op == Op::tree_base) return Root{{Object::tree, in.imm, whole}, true};
        if (in.op == Op::array_base) return Root{{Object::array, fn_.args(v)[0].id, whole}, true};
        if (in.op == Op::tmp) return Root{{Object::tmp, in.imm, whole}, true};
        for (const Op op : {Op::local, Op::stack, Op::count_slot, Op::random_state})
            if (in.op == op) return Root{{Object::own, 0, whole}, true};
        if (in.op == Op::make_cell) return root_of_cell(v);
        if (in.op != Op::offset) return {};
        std::optional<Root> root = roots_[fn_.args(v)[0].id];
        if (!root) return {};
        root->direct = false;
        if (in.imm && root->object.kind == Object::tree) root->object.place = same_bytes_[in.imm - 1];
        return root;
    }

    std::optional<Root> root_of_cell(Value v) const {
        const Place &place = fn_.places[place_of(fn_[v])];
        const PlaceLevel &level = place.levels[level_of(fn_[v])];
        const uint64_t id = level_id(place.tree, level.node);
        if (level.kind == LevelKind::pointer) return Root{{Object::cells, id, whole}};
        const std::optional<Root> around = roots_[fn_.args(v)[0].id];
        if (level.kind != LevelKind::bitmasked || !around) return {};
        return Root{around->object.kind == Object::tree ? Object{Object::masked, id, whole} : around->object};
    }

    void visit(Value v, double often) {
        const Inst &in = fn_[v];
        if ((roots_[v.id] = root_of(v)) || in.op == Op::dim) return;
        if (names_place(in.op)) {
            Found &tree = found_[{Object::tree, fn_.places[place_of(in)].tree, whole}];
            tree.good = false;
            tree.other = true;
        }
        depends_ |= in.op == Op::new_cell;
        size_t number = 0;
        for (Value a : fn_.args(v)) {
            const std::optional<Root> root = roots_[a.id];
            if (fn_.type(a).is_array())
                use({{Object::array, a.id, whole}}, v, number + 1, often);
            else if (root && root->object.kind != Object::own)
                use(*root, v, number, often);
            else if (!root && number == 0 && is_atomic(in.op))
                depends_ |= !commutes(v), any_ = true;
            ++number;
        }
    }

    /// True if the result is the same in any order.
    bool commutes(Value atomic) const {
        const Op op = fn_[atomic].op;
        return merge_of(op) && !uses_[atomic.id] && !(op == Op::atomic_add && fn_.type(atomic).is_float());
    }

    void use(const Root &root, Value v, size_t operand, double often) {
        Object object = root.object;
        if (object.kind == Object::tree && object.place == whole && root.direct)
            object.place = place_at_root(object.id);
        Found &found = found_[object];
        const Op op = fn_[v].op;
        const Type t = fn_.type(v);
        if (operand != 0 || !is_atomic(op)) {
            found.good = false;
            found.other = true;
            return;
        }
        any_ = true;
        found.good &= merge_of(op) && !uses_[v.id] && !t.is_bool() && t.elem != Scalar::f16 && t.lanes == 1 &&
                      (object.kind != Object::tmp || root.direct);
        found.depends |= !merge_of(op) || uses_[v.id];
        Found one;
        one.op = op;
        one.type = t;
        one.updates = often;
        one.atomics = {v};
        found.join(one);
    }

    /// Returns the place whose numbers begin at the root.
    uint32_t place_at_root(uint64_t tree) const {
        for (uint32_t p = 0; p < fn_.places.size(); ++p)
            if (fn_.places[p].tree == tree && extent_of(fn_.places[p]).begin == 0) return same_bytes_[p];
        return whole;
    }

    /// Excludes cells of a tree whose cells are looked up, listed or removed, or that is used at addresses with no known place.
    void exclude_looked_up_cells() {
        for (auto &[object, found] : found_)
            if ((object.kind == Object::masked || object.kind == Object::cells) &&
                found_.contains({Object::tree, object.id >> 32, whole}))
                found.good = false;
    }

    /// Merges the places of a tree that is used at an address with no known place.
    void merge_whole_trees() {
        for (auto &[object, all] : found_) {
            if (object.kind != Object::tree || object.place != whole) continue;
            for (auto one = found_.begin(); one != found_.end();) {
                const bool part =
                    one->first.kind == Object::tree && one->first.id == object.id && one->first.place != whole;
                if (part) all.join(one->second);
                one = part ? found_.erase(one) : std::next(one);
            }
        }
    }

    void list(Accumulations &out) const {
        for (const bool sums : {true, false})
            for (const auto &[object, found] : found_) {
                if (found.is_sum() != sums || !found.good || found.other || found.op == Op::param) continue;
                if (found.updates <= 0 && !(ordered_ && sums)) continue;
                if (object.kind == Object::tmp && !ordered_) continue; // reduced in registers
                if ((object.kind == Object::masked || object.kind == Object::cells) && ordered_) continue;
                if (const auto made = describe(object, found)) add(out, *made, found);
            }
    }

    void add(Accumulations &out, const abi::Accumulation &made, const Found &found) const {
        // Merges members of one cell.
        const auto among = std::ranges::find_if(out.list, [&](const abi::Accumulation &a) {
            return a.where == abi::Where::tree && made.where == a.where && a.slot == made.slot &&
                   a.merge == made.merge && a.number == made.number && a.word_bytes == made.word_bytes &&
                   a.begin < made.end && made.begin < a.end;
        });
        size_t number = size_t(among - out.list.begin());
        if (among != out.list.end()) {
            among->begin = std::min(among->begin, made.begin);
            among->end = std::max(among->end, made.end);
            among->updates = std::min(among->updates + made.updates, 1e9f);
        } else {
            if (number == abi::max_accumulations) return;
            out.list.push_back(made);
        }
        for (Value v : found.atomics) out.number[v.id] = uint8_t(number + 1);
    }

    abi::Order order(const Accumulations &out) const {
        if (fn_.role != Role::range_task) return abi::Order::same;
        abi::Order order = depends_ ? abi::Order::one_thread : abi::Order::same;
        for (const auto &[object, found] : found_) {
            if (found.op == Op::param) continue;
            const bool listed = std::ranges::all_of(found.atomics, [&](Value v) { return out.number[v.id] != 0; });
            const bool apart = fn_.distinct_arrays || object.kind == Object::masked || object.kind == Object::cells;
            if (found.depends || found.other || !apart || (found.is_sum() && !listed)) return abi::Order::one_thread;
            if (found.is_sum() && order == abi::Order::same) order = abi::Order::sums;
        }
        return order;
    }

    std::optional<abi::Accumulation> describe(const Object &object, const Found &found) const {
        abi::Accumulation out;
        out.word_bytes = uint64_t(size_of(found.type.elem));
        out.merge = *merge_of(found.op);
        out.number = number_of(found.type);
        out.neutral = neutral_word(out.merge, found.type, fn_.fast_math);
        out.updates = float(std::min(found.updates, 1e9));
        if (object.kind == Object::tmp) {
            out.where = abi::Where::tmp;
            out.begin = object.id;
            out.end = object.id + out.word_bytes;
            return out;
        }
        if (object.kind == Object::cells) {
            out.where = abi::Where::cells;
            out.slot = uint32_t(object.id >> 32);
            out.ndim = uint32_t(object.id);
            return out;
        }
        if (object.kind == Object::masked) {
            out.where = abi::Where::tree;
            out.slot = uint32_t(object.id >> 32);
            return add_masked_extent(uint32_t(object.id), out) ? std::optional(out) : std::nullopt;
        }
        if (object.kind == Object::tree) {
            out.where = abi::Where::tree;
            out.slot = uint32_t(object.id);
            return add_extent(object, out) ? std::optional(out) : std::nullopt;
        }
        for (Value p : fn_.params) {
            const Type t = fn_.type(p);
            if (p.id == object.id) {
                out.ndim = t.ndim;
                out.end = uint64_t(t.rows) * t.cols * uint64_t(size_of(t.elem));
                return out.end % out.word_bytes ? std::nullopt : std::optional(out);
            }
            out.slot += abi::argument_slots(t.is_array(), t.ndim);
        }
        return {};
    }

    static Extent extent_of(const Place &place) {
        Extent out{place.byte_offset, place.byte_offset, !place.level};
        for (const PlaceLevel &level : place.levels) {
            uint64_t cells = 0;
            for (const PlaceAxis &axis : level.axes) cells += uint64_t(axis.extent - 1) * axis.stride;
            const uint64_t first = level.start + layout::mask_bytes(level);
            out.begin += first;
            out.end += first + cells * level.cell_bytes;
            out.is_known &= level.kind == LevelKind::dense || level.kind == LevelKind::bitmasked;
        }
        out.end += uint64_t(size_of(place.elem));
        return out;
    }

    /// Sets the range from the first number of the place, or of all fields of the tree that the kernel knows, to the end of the last.
    bool add_extent(const Object &object, abi::Accumulation &out) const {
        uint64_t begin = UINT64_MAX, end = 0;
        for (uint32_t p = 0; p < fn_.places.size(); ++p) {
            if (fn_.places[p].tree != object.id || (object.place != whole && same_bytes_[p] != object.place)) continue;
            const Extent extent = extent_of(fn_.places[p]);
            if (!extent.is_known || is_sparse(fn_.places[p])) return false;
            begin = std::min(begin, extent.begin);
            end = std::max(end, extent.end);
        }
        return set_extent(begin, end, out);
    }

    /// Sets the range from the first number below a bitmasked level to the end of the last.
    bool add_masked_extent(uint32_t node, abi::Accumulation &out) const {
        uint64_t begin = UINT64_MAX, end = 0;
        for (const Place &place : fn_.places) {
            const Extent extent = extent_of(place);
            const auto below = [&](const PlaceLevel &level) { return level.node == node; };
            if (place.tree != out.slot || !extent.is_known || std::ranges::none_of(place.levels, below)) continue;
            begin = std::min(begin, extent.begin);
            end = std::max(end, extent.end);
        }
        return set_extent(begin, end, out);
    }

    static bool set_extent(uint64_t begin, uint64_t end, abi::Accumulation &out) {
        if (begin >= end) return false;
        out.begin = begin / out.word_bytes * out.word_bytes;
        out.end = (end + out.word_bytes - 1) / out.word_bytes * out.word_bytes;
        return true;
    }

    const Function &fn_;
    const std::vector<uint32_t> &uses_;
    std::vector<std::optional<Root>> roots_; ///< by value
    std::vector<uint32_t> same_bytes_;       ///< by place: the first that shares its bytes
    const bool ordered_;
    bool any_ = false;
    bool depends_ = false; ///< an update with no known root, or a new cell, depends on the order
    std::map<Object, Found> found_;
};

bool calls_outside(const Function &fn) {
    return std::ranges::any_of(fn.blocks, [&](const Block &block) {
        return std::ranges::any_of(block.insts, [&](Value v) { return fn[v].op == Op::external; });
    });
}

} // namespace

Accumulations accumulations(const Function &task, const std::vector<uint32_t> &uses) {
    const bool as_written = task.has_flag(CompileFlag::plain) || task.has_flag(CompileFlag::shared_reductions);
    const bool may_copy = task.role == Role::range_task && task.distinct_arrays && task.graph.region < 0 &&
                          !as_written && !calls_outside(task);
    return Search(task, uses).run(may_copy);
}

} // namespace qd::analysis
