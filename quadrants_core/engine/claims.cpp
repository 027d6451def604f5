#include "engine/claims.h"

#include "engine/program_impl.h"
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

Claim::Claim(Program::Impl &program, const runtime::KernelKey &key, std::vector<TaskBuild *> &missing,
             std::unique_ptr<runtime::CachedKernel> &kept)
    : program_(program), key_(key) {
    if (!shares_compilations || !program.disk || program.dumps()) return;
    for (auto pause = shortest_pause; !missing.empty(); pause = std::min(2 * pause, longest_pause)) {
        owned_ = program.disk->claim(key);
        // Also after a successful claim: the previous owner may have stored the code since this program last looked.
        if (auto found = program.disk->load_kernel(key)) {
            std::erase_if(missing, [&](TaskBuild *build) { return load_from_disk(program, *build, found.get()); });
            kept = std::move(found);
        }
        if (owned_) break;
        poll_stop();
        if (!missing.empty()) std::this_thread::sleep_for(pause);
    }
}

Claim::~Claim() {
    if (owned_ && !outlives) program_.disk->release(key_);
}

} // namespace qd::engine
