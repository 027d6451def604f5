// Memory of a thread and of a block in the form that targets without byte addresses need: every address is a `local` or `shared`, or one
// offset from it by an i32 times the size of an element (analysis/elements.h).
//
//   p = offset local, i * 4; q = offset p, 8; load q      ->      load (offset local, cast(i + 2) * 4)
//
// If an object is accessed in several types of one size, as memory of f32 whose atomics are compare-and-exchange of u32, it becomes one of
// unsigned integers, and loads and stores convert. It is left in bytes if an address of it passes through control flow, if it is accessed in
// elements of another size, or in several types with atomics that are not of unsigned integers.
//
// Runs last of the passes that make or change addresses.
#include "analysis/elements.h"
#include "analysis/walk.h"
#include "passes/atomics.h"
#include "passes/passes.h"

#include "ir/builder.h"

#include <algorithm>
#include <bit>

namespace qd::passes {

using namespace ir;

namespace {

struct Object {
    bool in_bytes = false; ///< stays as it is
    bool mixed = false;    ///< accessed in other types than its own
    bool updated = false;  ///< by atomics of another type than the unsigned integer of that size
};

bool is_object(Op op) { return op == Op::local || op == Op::shared; }

class Elements {
  public:
    explicit Elements(Function &fn) : fn_(fn), roots_(fn.insts.size()), objects_(fn.insts.size()) {
        analysis::walk(fn, [this](Value v) { classify(v); });
        for (Object &object : objects_) object.in_bytes |= object.mixed && object.updated;
    }

    bool run(BlockId block) {
        const std::vector<Value> old = std::move(fn_[block].insts);
        fn_[block].insts.clear();
        fn_[block].insts.reserve(old.size());
        for (Value v : old) {
            Builder b(fn_, block);
            b.span = fn_[v].span;
            changed_ |= rewrite(b, v);
            fn_[block].insts.push_back(v);
            for (BlockId inner : std::array{fn_[v].blocks[0], fn_[v].blocks[1]})
                if (inner) run(inner);
        }
        return changed_;
    }

  private:
    void classify(Value v) {
        const Inst &in = fn_[v];
        if (is_object(in.op)) roots_[v.id] = v;
        if (in.op == Op::offset) roots_[v.id] = roots_[fn_.args(v)[0].id];
        if (in.op == Op::offset && roots_[v.id] && size_of(in.type.elem) != size_of(elem_of(roots_[v.id])))
            objects_[roots_[v.id].id].in_bytes = true;
        const std::span<const Value> args = fn_.args(v);
        for (size_t i = 0; i < args.size(); ++i) {
            const Value root = roots_[args[i].id];
            if (!root || in.op == Op::offset) continue;
            Object &object = objects_[root.id];
            const bool accesses = i == 0 && (in.op == Op::load || in.op == Op::store || in.op == Op::volatile_load);
            const Scalar elem = elem_of(root), used = fn_.type(args[i]).elem;
            object.updated |= i == 0 && is_atomic(in.op) && used != unsigned_of(elem);
            object.in_bytes |= !accesses && !(i == 0 && is_atomic(in.op));
            object.mixed |= used != elem;
            object.in_bytes |= used != elem && (used == Scalar::u1 || elem == Scalar::u1);
        }
    }

    Scalar elem_of(Value object) const { return fn_.type(object).elem; }

    /// The object that a pointer points into, if it is to be addressed in elements.
    Value object_of(Value pointer) const {
        const Value root = pointer.id < roots_.size() ? roots_[pointer.id] : Value{};
        return root && !objects_[root.id].in_bytes ? root : Value{};
    }

    /// Emits what `v` needs, which then follows, and changes it.
    bool rewrite(Builder &b, Value v) {
        const Op op = fn_[v].op;
        if (is_object(op)) return retype(v);
        const Value object = fn_.args(v).empty() ? Value{} : object_of(fn_.args(v)[0]);
        if (!object) return false;
        const Scalar elem = elem_of(object);
        if (op == Op::offset) return become_element(b, v, object);
        if (op == Op::store && fn_.type(fn_.args(v)[1]).elem != elem) {
            const Value bits = b.bitcast(fn_.args(v)[1], elem);
            fn_.args(v)[1] = bits;
            return true;
        }
        if ((op != Op::load && op != Op::volatile_load) || fn_[v].type.elem == elem) return false;
        const Value bits = b.emit(op, {fn_.args(v)[0]}, elem);
        fn_[v].op = Op::bitcast;
        fn_.set_args(v, std::array{bits});
        return true;
    }

    /// Makes an object that is accessed in several types one of unsigned integers.
    bool retype(Value v) {
        const Scalar elem = elem_of(v);
        if (objects_[v.id].in_bytes || !objects_[v.id].mixed || elem == unsigned_of(elem)) return false;
        fn_[v].type.elem = unsigned_of(elem);
        return true;
    }

    /// Makes the offset one from the object. Offsets that it is relative to have that form by now.
    bool become_element(Builder &b, Value v, Value object) {
        if (analysis::element_address(fn_, v)) return false;
        const Value base = fn_.args(v)[0], bytes = fn_.args(v)[1];
        const int64_t bytes_each = size_of(elem_of(object));
        Value index = in_elements(b, bytes, bytes_each);
        if (base != object) index = b.add(analysis::element_address(fn_, base)->index, index);
        const Value wide = b.cast(index, Scalar::i64);
        const Value size = b.i64(bytes_each);
        const Value place = b.mul(wide, size);
        fn_[v].type = fn_.type(object);
        fn_.set_args(v, std::array{object, place});
        return true;
    }

    static constexpr int most_steps = 6;

    /// The constant factor of an i64 that is a product, or its value if it is constant; 0: unknown.
    int64_t factor(Value v) const {
        const Inst &in = fn_[v];
        if (in.op == Op::constant) return int64_t(in.imm);
        if (in.op != Op::mul && in.op != Op::shl) return 0;
        const Inst &by = fn_[fn_.args(v)[1]];
        if (by.op != Op::constant) return 0;
        return in.op == Op::mul ? int64_t(by.imm) : by.imm < 31 ? int64_t(1) << by.imm : 0;
    }

    bool is_multiple(Value bytes, int64_t size, int steps = 0) const {
        const Op op = fn_[bytes].op;
        const std::span<const Value> args = fn_.args(bytes);
        if ((op == Op::add || op == Op::sub) && steps < most_steps)
            return is_multiple(args[0], size, steps + 1) && is_multiple(args[1], size, steps + 1);
        return op == Op::constant ? factor(bytes) % size == 0 : factor(bytes) > 0 && factor(bytes) % size == 0;
    }

    /// An i64 of bytes as a number (i32) of elements; without a shift if that is known to be exact.
    Value in_elements(Builder &b, Value bytes, int64_t size) {
        const Op op = fn_[bytes].op;
        if (!is_multiple(bytes, size)) {
            const Value shift = b.i64(std::countr_zero(uint64_t(size)));
            const Value number = b.shr(bytes, shift);
            return b.cast(number, Scalar::i32);
        }
        const int64_t each = factor(bytes) / size;
        if (op == Op::constant) return b.i32(int32_t(each));
        const std::vector<Value> args(fn_.args(bytes).begin(), fn_.args(bytes).end());
        const Value x = op == Op::add || op == Op::sub ? in_elements(b, args[0], size) : narrow(b, args[0]);
        if (op == Op::add || op == Op::sub) return b.emit(op, {x, in_elements(b, args[1], size)});
        if (each == 1) return x;
        const Value times = b.i32(int32_t(each));
        return b.mul(x, times);
    }

    Value narrow(Builder &b, Value v) {
        if (fn_[v].op == Op::cast && fn_.type(fn_.args(v)[0]) == Type(Scalar::i32)) return fn_.args(v)[0];
        return b.cast(v, Scalar::i32);
    }

    Function &fn_;
    bool changed_ = false;
    std::vector<Value> roots_;    ///< by pointer: the `local` or `shared` that it is derived from
    std::vector<Object> objects_; ///< by value of the object
};

} // namespace

bool element_form(Function &fn, const Config &config) {
    if (!config.elements) return false;
    const auto has_object = [](const Inst &in) { return is_object(in.op); };
    if (std::ranges::none_of(fn.insts, has_object)) return false;
    Elements elements(fn);
    if (fn.bounds) elements.run(fn.bounds);
    return elements.run(fn.body);
}

} // namespace qd::passes
