#include "backends/interp/values.h"

namespace qd::backends::interpreter {

Values::Values(const Function &function) : fn(function) {
    auto layout = std::make_shared<std::vector<uint32_t>>(fn.insts.size());
    size_t end = 1;
    for (uint32_t i = 1; i < fn.insts.size(); ++i) {
        if (fn.insts[i].type.kind == Kind::none) continue;
        (*layout)[i] = uint32_t(end);
        end += size(Value{i});
    }
    first_ = layout->data();
    layout_ = std::move(layout);
    words_.resize(end);
}

void Values::evaluate(Value v) {
    const Inst &in = fn[v];
    std::span<const Value> args = fn.args(v);
    Constant operands[3];
    for (int k = 0; k < in.type.lanes; ++k) {
        for (size_t i = 0; i < args.size(); ++i) {
            bool wide = fn.type(args[i]).lanes > 1;
            operands[i] = constant(args[i], wide ? k : 0);
        }
        words(v)[k] = eval(in.op, in.type.elem, {operands, args.size()}).bits;
    }
}

void Values::reduce(Value v) {
    const Inst &in = fn[v];
    Value from = fn.args(v)[0];
    const Scalar elem = in.type.elem, wide = elem == Scalar::f16 ? Scalar::f32 : elem;
    const auto converted = [](Constant c, Scalar to) { return c.type == to ? c : eval(Op::cast, to, {&c, 1}); };
    Constant sum = converted(constant(from), wide);
    for (int k = 1; k < fn.type(from).lanes; ++k) {
        Constant pair[] = {sum, converted(constant(from, k), wide)};
        sum = eval(plain_op(in.op), wide, pair);
    }
    set(v, converted(sum, elem).bits);
}

void Values::pass(std::span<const Value> list) {
    passed_.clear();
    for (Value v : list) passed_.insert(passed_.end(), words(v), words(v) + size(v));
}

void Values::receive(std::span<const Value> list) {
    size_t at = 0;
    for (Value v : list)
        for (size_t k = 0; k < size(v); ++k) words(v)[k] = passed_[at++];
}

} // namespace qd::backends::interpreter
