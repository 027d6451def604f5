#include "tools/random_numbers.h"

#include <cmath>

namespace qd::tools {

using namespace ir;

Constant Numbers::number(Scalar type) {
    if (is_float(type)) {
        static constexpr double special[] = {0.0,  -0.0,  1.0,     -1.0, 0.5,      2.0,
                                             1e30, -1e30, 65504.0, 1e-3, INFINITY, -INFINITY};
        if (chance(20)) return from_double(type, of(special));
        double scale = double(1 << below(8));
        return from_double(type, double(between(-2000, 2000)) / scale);
    }
    if (chance(15)) return from_int(type, int64_t(next()));
    if (chance(10)) { // an end of the range
        int n = bits_of(type);
        uint64_t top = uint64_t(1) << (n - 1);
        return from_int(type, int64_t(chance(50) ? top : top - 1));
    }
    return from_int(type, between(-9, 20));
}

} // namespace qd::tools
