#include "runtime/section_checks.h"

#include "base/section_access.h"
#include "base/fork.h"

#include <array>
#include <mutex>
#include <unordered_map>

namespace qd::runtime {
namespace {

using How = SectionAccess::How;

/// For one address: the newest access of each kind, and the newest of another section.
struct Touched {
    std::array<std::array<uint64_t, 2>, 3> newest{};

    static uint32_t section_of(uint64_t word) { return SectionAccess::from(word).section; }

    /// Returns an access of another section than this, or 0.
    uint64_t by_other(How how, uint32_t section) const {
        for (const uint64_t word : newest[size_t(how) - 1])
            if (word != 0 && section_of(word) != section) return word;
        return 0;
    }
    void note(uint64_t word) {
        std::array<uint64_t, 2> &both = newest[size_t(SectionAccess::from(word).how) - 1];
        if (both[0] != 0 && section_of(both[0]) != section_of(word)) both[1] = both[0];
        both[0] = word;
    }
};

struct Region {
    ForkLockedMutex lock; ///< iterations of a loop run on many threads
    std::unordered_map<uint64_t, Touched> touched;
};

Region &region() {
    static Region &one = *new Region; // never destroyed: threads may still run while the process ends
    return one;
}
[[maybe_unused]] Region &made_early = region(); // created early, so that no thread waits for it

void begin() {
    Region &now = region();
    const std::lock_guard guard(now.lock);
    now.touched.clear();
}

void access(const uint64_t *address, const uint64_t *word, uint64_t *out) {
    Region &now = region();
    const std::lock_guard guard(now.lock);
    Touched &here = now.touched[*address];
    const SectionAccess access = SectionAccess::from(*word);
    *out = 0;
    for (const How how : {How::write, How::update, How::read})
        if (*out == 0 && (how != access.how || how == How::write)) *out = here.by_other(how, access.section);
    here.note(*word);
}

} // namespace

void *section_check(uint64_t id) {
    if (id == region_begins_id) return reinterpret_cast<void *>(begin);
    if (id == section_access_id) return reinterpret_cast<void *>(access);
    return nullptr;
}

} // namespace qd::runtime
