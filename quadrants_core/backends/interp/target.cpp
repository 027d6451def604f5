// The interpreter as a backend: the code of a task is its text.
#include "backends/interp/device.h"

#include "backends/backend.h"
#include "ir/text.h"

#include <cstdlib>

namespace qd::backends {

namespace {

const char *requested_lanes() {
    const char *number = std::getenv("QD_LANES");
    return number && *number ? number : "0";
}

/// Returns the number of lanes of a group, which QD_LANES sets; 0 if there are no groups of that size.
int lanes() {
    const int asked = std::atoi(requested_lanes());
    if (asked == 0) return 32;
    return asked == 8 || asked == 16 || asked == 32 || asked == 64 ? asked : 0;
}

/// Returns the reason why the backend cannot run here; empty if it can.
std::string missing() {
    if (lanes()) return {};
    return std::string("QD_LANES=") + requested_lanes() + " is not supported: it must be 8, 16, 32 or 64";
}

Caps caps(int) {
    Caps caps;
    caps.threads = 1;
    caps.vector_bytes = 0;
    caps.lanes = lanes();
    caps.target = "interp " + std::to_string(caps.lanes);
    return caps;
}

std::span<const passes::Pass> legalize(const Caps &) {
    static const passes::Pass list[] = {*passes::find("chunk_ranges"),  *passes::find("grid_ranges"),
                                        *passes::find("report_counts"), *passes::find("block_reductions"),
                                        *passes::find("lower_atomics"), *passes::find("element_form")};
    return list;
}

Caps far_caps(int device) {
    Caps own = caps(device);
    own.bounds_from_tasks = true;
    own.target = "far " + std::to_string(own.lanes);
    return own;
}

abi::Binary emit(const ir::Function &task, const Caps &caps, Tier, SpanQuery *) {
    const std::string text = interpreter::target_lines(caps) + ir::print(task);
    return {"interp", {text.begin(), text.end()}};
}

std::string disassemble(const ir::Function &task, const Caps &, Tier, Listing) { return ir::print(task); }

std::string nothing_missing() { return {}; }

} // namespace

const Backend interp = {"interp", missing, nothing_missing, caps, legalize, emit, disassemble, interpreter::open};
const Backend far = {"far", missing, nothing_missing, far_caps, legalize, emit, disassemble, interpreter::open_far};

} // namespace qd::backends
