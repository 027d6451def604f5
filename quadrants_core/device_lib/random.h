#pragma once
// The random number generator of kernels: xoroshiro128++ on the state of the worker thread. The interpreter calls these functions; machine
// code takes the same steps (passes/lower_random.cpp), so equal states give equal numbers everywhere.
#include "abi/abi.h"

#include <bit>
#include <cstdint>

namespace qd::device_lib {

inline uint64_t next_random(uint64_t state[2]) {
    uint64_t s0 = state[0], s1 = state[1];
    uint64_t result = std::rotl(s0 + s1, 17) + s0;
    s1 ^= s0;
    state[0] = std::rotl(s0, 49) ^ s1 ^ (s1 << 21);
    state[1] = std::rotl(s1, 28);
    return result;
}

/// Takes one step. The value of a type with `bits` bits is its high bits: an integer over the full range of the type.
inline uint64_t random_bits(uint64_t state[2], int bits) { return next_random(state) >> (64 - bits); }

/// Uniform in [0, 1): a multiple of 2^-24, exact in f32.
inline float random_f32(uint64_t state[2]) { return float(random_bits(state, 24)) * 0x1p-24f; }
/// Uniform in [0, 1): a multiple of 2^-53.
inline double random_f64(uint64_t state[2]) { return double(random_bits(state, 53)) * 0x1p-53; }
/// Uniform in [0, 1): a multiple of 2^-11, exact in f16.
inline float random_f16(uint64_t state[2]) { return float(random_bits(state, 11)) * 0x1p-11f; }

/// Initialises the state of worker `index` of a program seeded with `seed`: two steps of splitmix64, never all zero.
inline void seed_random(uint64_t state[2], uint64_t seed, uint32_t index) {
    uint64_t x = seed + 0x9e3779b97f4a7c15u * (2u * uint64_t(index) + 1u);
    for (int i = 0; i < 2; ++i) {
        x += 0x9e3779b97f4a7c15u;
        uint64_t z = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        state[i] = z ^ (z >> 31);
    }
    if (!(state[0] | state[1])) state[0] = 1;
}

} // namespace qd::device_lib
