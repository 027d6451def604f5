#pragma once
// SHA-256 (FIPS 180-4), and HMAC (RFC 2104) based on it: for signatures under a key that is stored elsewhere.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace qd {

using Digest = std::array<uint8_t, 32>;
using Pieces = std::initializer_list<std::span<const uint8_t>>;

/// Hashes the concatenated pieces.
Digest sha256(Pieces pieces);
Digest hmac_sha256(std::span<const uint8_t> key, Pieces pieces);
/// Compares in constant time.
bool is_equal(const Digest &a, const Digest &b);

} // namespace qd
