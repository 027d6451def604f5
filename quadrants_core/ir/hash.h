#pragma once
// Content hash: equal for functions whose text form is equal, whatever their ids. Spans, names (of the function, places, loops) and unused
// table entries do not count; messages, counters, loop flags and place addressing do. Stable across processes.
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
