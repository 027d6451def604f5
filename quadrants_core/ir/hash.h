#pragma once
// Content hash: equal for functions that print alike, whatever their ids. Spans, names (of the function, places,
// loops) and unused table entries do not count; messages, counters, flags of loops, addressing of places do. The same
// in every process.
#include "ir/function.h"

#include <array>

namespace qd::ir {

struct Hash {
    std::array<uint64_t, 2> words{};
    friend bool operator==(const Hash &, const Hash &) = default;
    friend auto operator<=>(const Hash &, const Hash &) = default;
};
Hash content_hash(const Function &fn);
std::string to_hex(const Hash &h);

} // namespace qd::ir
