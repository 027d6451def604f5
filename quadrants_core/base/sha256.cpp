#include "base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace qd {
namespace {

constexpr size_t block_bytes = 64;

constexpr std::array<uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Hasher {
  public:
    void add(std::span<const uint8_t> bytes) {
        total_ += bytes.size();
        while (!bytes.empty()) {
            const size_t n = std::min(bytes.size(), block_bytes - held_);
            std::memcpy(block_.data() + held_, bytes.data(), n);
            held_ += n;
            bytes = bytes.subspan(n);
            if (held_ < block_bytes) break;
            compress();
            held_ = 0;
        }
    }

    Digest end() {
        const uint64_t bits = total_ * 8;
        block_[held_++] = 0x80;
        if (held_ > block_bytes - 8) {
            std::fill(block_.begin() + ptrdiff_t(held_), block_.end(), uint8_t(0));
            compress();
            held_ = 0;
        }
        std::fill(block_.begin() + ptrdiff_t(held_), block_.end(), uint8_t(0));
        for (size_t i = 0; i < 8; i++) block_[block_bytes - 1 - i] = uint8_t(bits >> 8 * i);
        compress();
        Digest digest;
        for (size_t i = 0; i < digest.size(); i++) digest[i] = uint8_t(state_[i / 4] >> (24 - 8 * (i % 4)));
        return digest;
    }

  private:
    void compress() {
        std::array<uint32_t, 64> w;
        for (size_t i = 0; i < 16; i++)
            w[i] = uint32_t(block_[4 * i]) << 24 | uint32_t(block_[4 * i + 1]) << 16 |
                   uint32_t(block_[4 * i + 2]) << 8 | uint32_t(block_[4 * i + 3]);
        for (size_t i = 16; i < 64; i++) {
            const uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
        }
        auto [a, b, c, d, e, f, g, h] = state_;
        for (size_t i = 0; i < 64; i++) {
            const uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                                 constants[i] + w[i];
            const uint32_t two =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + one;
            d = c;
            c = b;
            b = a;
            a = one + two;
        }
        const std::array<uint32_t, 8> after = {a, b, c, d, e, f, g, h};
        for (size_t i = 0; i < 8; i++) state_[i] += after[i];
    }

    std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, block_bytes> block_;
    size_t held_ = 0;
    uint64_t total_ = 0;
};

} // namespace

Digest sha256(Pieces pieces) {
    Hasher hasher;
    for (const std::span<const uint8_t> piece : pieces) hasher.add(piece);
    return hasher.end();
}

Digest hmac_sha256(std::span<const uint8_t> key, Pieces pieces) {
    std::array<uint8_t, block_bytes> block{};
    if (key.size() > block_bytes) {
        const Digest digest = sha256({key});
        std::copy(digest.begin(), digest.end(), block.begin());
    } else {
        std::copy(key.begin(), key.end(), block.begin());
    }
    const auto masked = [&](uint8_t mask) {
        std::array<uint8_t, block_bytes> out;
        for (size_t i = 0; i < block_bytes; i++) out[i] = block[i] ^ mask;
        return out;
    };
    Hasher inner;
    inner.add(masked(0x36));
    for (const std::span<const uint8_t> piece : pieces) inner.add(piece);
    const Digest digest = inner.end();
    Hasher outer;
    outer.add(masked(0x5c));
    outer.add(digest);
    return outer.end();
}

bool is_equal(const Digest &a, const Digest &b) {
    volatile uint8_t difference = 0;
    for (size_t i = 0; i < a.size(); i++) difference = difference | uint8_t(a[i] ^ b[i]);
    return difference == 0;
}

} // namespace qd
