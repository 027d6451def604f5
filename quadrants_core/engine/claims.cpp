#include "engine/claims.h"

#include "base/stop.h"
#include "engine/compiler.h"
#include "engine/share_compilations.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace qd::engine {
namespace {

std::atomic<bool> shares_compilations{false};

constexpr auto shortest_pause = std::chrono::milliseconds(1), longest_pause = std::chrono::milliseconds(50);

} // namespace

void share_compilations(bool wanted) { shares_compilations = wanted; }

std::shared_ptr<const runtime::KernelClaim> claim_kernel(Compiler &c, const runtime::KernelKey &key,
                                                         std::vector<TaskBuild *> &missing,
                                                         std::unique_ptr<runtime::CachedKernel> &kept) {
    if (!shares_compilations || !c.kept.reads_disk() || !c.kept.disk()->caches_kernels()) return nullptr;
    const auto claim = std::make_shared<runtime::KernelClaim>(c.kept.disk()->path(), key);
    for (auto pause = shortest_pause; !missing.empty(); pause = std::min(2 * pause, longest_pause)) {
        const bool taken = claim->take();
        // Also after the claim was taken: its previous owner may have stored the code since this program last looked.
        if (auto found = c.kept.disk()->load_kernel(key)) {
            std::erase_if(missing, [&](TaskBuild *build) { return load_from_disk(c, *build, found.get()); });
            kept = std::move(found);
        }
        if (taken) break;
        poll_stop();
        if (!missing.empty()) std::this_thread::sleep_for(pause);
    }
    return claim;
}

} // namespace qd::engine
