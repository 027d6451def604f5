#include "analysis/elements.h"

namespace qd::analysis {

using namespace ir;

std::optional<ElementAddress> element_address(const Function &fn, Value pointer) {
    const auto is_object = [&](Value v) { return fn[v].op == Op::local || fn[v].op == Op::shared; };
    if (is_object(pointer)) return ElementAddress{pointer, {}};
    if (fn[pointer].op != Op::offset) return {};
    const Value object = fn.args(pointer)[0], bytes = fn.args(pointer)[1];
    if (!is_object(object) || fn.type(pointer) != fn.type(object) || fn[bytes].op != Op::mul) return {};
    const Value wide = fn.args(bytes)[0], size = fn.args(bytes)[1];
    if (fn[size].op != Op::constant || fn[size].imm != uint64_t(size_of(fn.type(object).elem))) return {};
    if (fn[wide].op != Op::cast || fn.type(fn.args(wide)[0]) != Type(Scalar::i32)) return {};
    return ElementAddress{object, fn.args(wide)[0]};
}

} // namespace qd::analysis
