#include "base/bytes.h"

namespace qd {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return uint64_t(product) ^ uint64_t(product >> 64);
}

} // namespace

uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed) {
    constexpr uint64_t k0 = 0xa0761d6478bd642f, k1 = 0xe7037ed1a0b428db, k2 = 0x8ebc6af09c88c6e3;
    uint64_t h = mix(seed ^ k0, k1);
    size_t at = 0;
    for (; at + 16 <= bytes.size(); at += 16) {
        uint64_t words[2];
        std::memcpy(words, bytes.data() + at, 16);
        h = mix(words[0] ^ k1, words[1] ^ h ^ k2);
    }
    uint64_t tail[2] = {0, 0};
    if (at < bytes.size()) std::memcpy(tail, bytes.data() + at, bytes.size() - at);
    h = mix(tail[0] ^ k1, tail[1] ^ h ^ k2);
    return mix(h ^ bytes.size(), k1);
}

std::array<uint64_t, 4> spread(std::span<const uint8_t> bytes) {
    std::array<uint64_t, 4> words;
    for (size_t i = 0; i < words.size(); i++) words[i] = hash_bytes(bytes, 11 + i);
    return words;
}

} // namespace qd
