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

Claim::Claim(Compiler &compiler, const runtime::KernelKey &key, std::vector<TaskBuild *> &missing,
             std::unique_ptr<runtime::CachedKernel> &kept)
    : compiler_(compiler), key_(key) {
    if (!shares_compilations || !compiler.kept.reads_disk()) return;
    for (auto pause = shortest_pause; !missing.empty(); pause = std::min(2 * pause, longest_pause)) {
        owned_ = compiler.kept.disk()->claim(key);
        // Also after a successful claim: the previous owner may have stored the code since this program last looked.
        if (auto found = compiler.kept.disk()->load_kernel(key)) {
            std::erase_if(missing, [&](TaskBuild *build) { return load_from_disk(compiler, *build, found.get()); });
            kept = std::move(found);
        }
        if (owned_) break;
        poll_stop();
        if (!missing.empty()) std::this_thread::sleep_for(pause);
    }
}

Claim::~Claim() {
    if (owned_ && !outlives) compiler_.kept.disk()->release(key_);
}

} // namespace qd::engine
