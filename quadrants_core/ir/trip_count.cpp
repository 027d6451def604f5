#include "ir/trip_count.h"

#include <algorithm>

namespace qd::ir {

int64_t times(int64_t trips, int64_t iterations) {
    int64_t product;
    return __builtin_mul_overflow(trips, iterations, &product) ? unbounded : product;
}

int64_t trips(const Function &fn, Value loop) {
    if (fn[loop].op != Op::for_) return unbounded;
    const Inst &lo = fn[fn.args(loop)[0]], &hi = fn[fn.args(loop)[1]];
    if (lo.op != Op::constant || hi.op != Op::constant) return unbounded;
    const int shift = 64 - bits_of(lo.type.elem);
    int64_t count;
    if (__builtin_sub_overflow(int64_t(hi.imm << shift) >> shift, int64_t(lo.imm << shift) >> shift, &count))
        return unbounded;
    return std::max<int64_t>(count, 0);
}

int64_t iterations(const Function &fn, BlockId block) {
    int64_t sum = 0;
    for (const Value v : fn[block].insts) {
        const bool loops = fn[v].op == Op::for_ || fn[v].op == Op::loop;
        for (const BlockId inner : fn[v].blocks) {
            if (!inner) continue;
            const int64_t inside = iterations(fn, inner);
            const int64_t all = loops ? times(trips(fn, v), std::max<int64_t>(inside, 1)) : inside;
            if (__builtin_add_overflow(sum, all, &sum)) return unbounded;
        }
    }
    return sum;
}

} // namespace qd::ir
