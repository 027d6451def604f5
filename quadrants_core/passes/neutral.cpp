#include "passes/neutral.h"

#include "ir/eval.h"

#include <limits>

namespace qd::passes {

using namespace ir;

Op plain_op(Op atomic) {
    switch (atomic) {
    case Op::atomic_add: return Op::add;
    case Op::atomic_mul: return Op::mul;
    case Op::atomic_min: return Op::min;
    case Op::atomic_max: return Op::max;
    case Op::atomic_and: return Op::band;
    case Op::atomic_or: return Op::bor;
    case Op::atomic_xor: return Op::bxor;
    default: return Op::param;
    }
}

bool neutral(Op op, Scalar type, uint64_t &bits) {
    bool real = is_float(type);
    double infinity = std::numeric_limits<double>::infinity();
    uint64_t ones = bits_of(type) == 64 ? ~uint64_t(0) : (uint64_t(1) << bits_of(type)) - 1;
    uint64_t sign = uint64_t(1) << (bits_of(type) - 1);
    switch (op) {
    case Op::add: bits = real ? from_double(type, -0.0).bits : 0; return true; // 0 would turn -0 into 0
    case Op::mul: bits = real ? from_double(type, 1).bits : 1; return true;
    case Op::min: bits = real ? from_double(type, infinity).bits : is_signed(type) ? ones >> 1 : ones; return true;
    case Op::max: bits = real ? from_double(type, -infinity).bits : is_signed(type) ? sign : 0; return true;
    case Op::band: bits = ones; return true;
    case Op::bor:
    case Op::bxor: bits = 0; return true;
    default: return false;
    }
}

} // namespace qd::passes
