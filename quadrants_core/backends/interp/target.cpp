// The interpreter as a backend: its code is the task's text.
#include "backends/interp/device.h"

#include "backends/backend.h"
#include "ir/text.h"

namespace qd::backends {

namespace {

Caps caps(int) {
    Caps caps;
    caps.threads = 1;
    caps.vector_bytes = 0;
    caps.target = "interp";
    return caps;
}

std::span<const passes::Pass> legalize(const Caps &) {
    static const passes::Pass list[] = {*passes::find("chunk_ranges")};
    return list;
}

abi::Binary emit(const ir::Function &task, const Caps &, Tier, bool) {
    std::string text = ir::print(task);
    return {"interp", {text.begin(), text.end()}};
}

} // namespace

const Backend interp = {"interp", [] { return std::string(); }, caps, legalize, emit, interpreter::open};

} // namespace qd::backends
