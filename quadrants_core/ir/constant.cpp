// Constants of every scalar type: conversion to and from bits, and the `cast` semantics of ops.def.
#include "ir/eval.h"

#include <bit>
#include <cmath>

namespace qd::ir {

uint16_t f32_to_f16(float v) {
    uint32_t x = std::bit_cast<uint32_t>(v);
    uint16_t sign = uint16_t((x >> 16) & 0x8000);
    x &= 0x7fffffff;
    if (x >= 0x7f800000) return uint16_t(sign | 0x7c00 | (x > 0x7f800000 ? 0x200 | ((x >> 13) & 0x3ff) : 0));
    if (x >= 0x477ff000) return uint16_t(sign | 0x7c00); // rounds to infinity
    if (x < 0x38800000) {                                // subnormal: let the f32 adder round at the right bit
        float rounded = std::bit_cast<float>(x) + 0.5f;
        return uint16_t(sign | (std::bit_cast<uint32_t>(rounded) - 0x3f000000));
    }
    x += 0xc8000fff + ((x >> 13) & 1); // rebias the exponent, round to nearest even
    return uint16_t(sign | (x >> 13));
}

float f16_to_f32(uint16_t h) {
    uint32_t sign = uint32_t(h & 0x8000) << 16;
    uint32_t exponent = (h >> 10) & 0x1f, mantissa = h & 0x3ff;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
    if (exponent == 0) {
        float magnitude = float(mantissa) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

namespace {

uint64_t truncate(Scalar type, uint64_t bits) {
    int n = bits_of(type);
    return n == 64 ? bits : bits & ((uint64_t(1) << n) - 1);
}

/// Truncates toward zero and saturates; NaN gives 0.
uint64_t saturate(Scalar type, double v) {
    if (std::isnan(v)) return 0;
    int n = bits_of(type);
    if (is_signed(type)) {
        double limit = std::ldexp(1.0, n - 1);
        if (v >= limit) return (uint64_t(1) << (n - 1)) - 1;
        if (v <= -limit) return truncate(type, ~uint64_t(0) << (n - 1));
        return truncate(type, uint64_t(int64_t(v)));
    }
    double limit = std::ldexp(1.0, n);
    if (v >= limit) return truncate(type, ~uint64_t(0));
    return v <= -1 ? 0 : uint64_t(v < 0 ? 0 : v);
}

} // namespace

Constant from_double(Scalar type, double v) {
    switch (type) {
    case Scalar::none: return {};
    case Scalar::u1: return {type, v != 0};
    case Scalar::f16: return {type, f32_to_f16(float(v))};
    case Scalar::f32: return {type, std::bit_cast<uint32_t>(float(v))};
    case Scalar::f64: return {type, std::bit_cast<uint64_t>(v)};
    case Scalar::i8:
    case Scalar::u8:
    case Scalar::i16:
    case Scalar::u16:
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::i64:
    case Scalar::u64: return {type, saturate(type, v)};
    }
    return {};
}

Constant flushed(Constant c) {
    if (c.type != Scalar::f32 && c.type != Scalar::f64) return c;
    const bool wide = c.type == Scalar::f64;
    const uint64_t exponent = wide ? 0x7FF0000000000000 : 0x7F800000, sign = wide ? 1ull << 63 : 1u << 31;
    return c.bits & exponent ? c : Constant{c.type, c.bits & sign};
}

Constant from_int(Scalar type, int64_t v) {
    switch (type) {
    case Scalar::f16: return {type, f32_to_f16(float(v))};
    case Scalar::f32: return {type, std::bit_cast<uint32_t>(float(v))};
    case Scalar::f64: return {type, std::bit_cast<uint64_t>(double(v))};
    case Scalar::none: return {};
    case Scalar::u1:
    case Scalar::i8:
    case Scalar::u8:
    case Scalar::i16:
    case Scalar::u16:
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::i64:
    case Scalar::u64: return {type, truncate(type, uint64_t(v))};
    }
    return {};
}

double to_double(Constant c) {
    switch (c.type) {
    case Scalar::f16: return f16_to_f32(uint16_t(c.bits));
    case Scalar::f32: return std::bit_cast<float>(uint32_t(c.bits));
    case Scalar::f64: return std::bit_cast<double>(c.bits);
    case Scalar::u64: return double(c.bits);
    case Scalar::none: return 0;
    case Scalar::u1:
    case Scalar::i8:
    case Scalar::u8:
    case Scalar::i16:
    case Scalar::u16:
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::i64: return double(to_int(c));
    }
    return 0;
}

int64_t to_int(Constant c) {
    switch (c.type) {
    case Scalar::none: return 0;
    case Scalar::u1: return int64_t(c.bits & 1);
    case Scalar::i8: return int8_t(c.bits);
    case Scalar::u8: return uint8_t(c.bits);
    case Scalar::i16: return int16_t(c.bits);
    case Scalar::u16: return uint16_t(c.bits);
    case Scalar::i32: return int32_t(c.bits);
    case Scalar::u32: return uint32_t(c.bits);
    case Scalar::i64:
    case Scalar::u64: return int64_t(c.bits);
    case Scalar::f16:
    case Scalar::f32:
    case Scalar::f64: return int64_t(saturate(Scalar::i64, to_double(c)));
    }
    return 0;
}

} // namespace qd::ir
