#pragma once
// `//` and `%` of floats as in CPython (Objects/floatobject.c), for any float type. Division by 0, which Python refuses, gives the results
// of NumPy: an infinity with the sign of the quotient, or NaN; and NaN for the remainder.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace qd {

/// An exact fmod that processes 64 bits of the quotient at a time; glibc before 2.38 processes one.
template <class T> T exact_remainder(T x, T y) {
    if (!std::isfinite(x) || !(std::fabs(y) > 0)) return std::numeric_limits<T>::quiet_NaN();
    if (std::fabs(x) < std::fabs(y)) return x;
    constexpr int digits = std::numeric_limits<T>::digits;
    int exponent_x, exponent_y;
    uint64_t rest = uint64_t(std::ldexp(std::frexp(std::fabs(x), &exponent_x), digits));
    const uint64_t divisor = uint64_t(std::ldexp(std::frexp(std::fabs(y), &exponent_y), digits));
    rest %= divisor;
    for (int left = exponent_x - exponent_y; left > 0; left -= 64) {
        const unsigned __int128 shifted = static_cast<unsigned __int128>(rest) << std::min(left, 64);
        rest = uint64_t(shifted % divisor);
    }
    return std::copysign(std::ldexp(T(rest), exponent_y - digits), x);
}

template <class T> T floor_mod(T x, T y) {
    const T rest = exact_remainder(x, y);
    if (rest != 0) return (y < 0) != (rest < 0) ? rest + y : rest;
    return std::copysign(rest, y);
}

template <class T> T floor_div(T x, T y) {
    if (y == 0) return x / y;
    const T rest = exact_remainder(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T(0), x / y);
    const T whole = std::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
}

} // namespace qd
