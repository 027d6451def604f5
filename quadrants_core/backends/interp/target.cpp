// The interpreter as a backend: the code of a task is its text.
#include "backends/interp/device.h"

#include "backends/backend.h"
#include "ir/text.h"

namespace qd::backends {

namespace {

Caps caps(int) {
    Caps caps;
    caps.threads = 1;
    caps.vector_bytes = 0;
    caps.lanes = 32;
    caps.target = "interp";
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
    own.target = "far";
    return own;
}

abi::Binary emit(const ir::Function &task, const Caps &caps, Tier, SpanQuery *) {
    const std::string text = interpreter::target_lines(caps) + ir::print(task);
    return {"interp", {text.begin(), text.end()}};
}

std::string disassemble(const ir::Function &task, const Caps &, Tier, Listing) { return ir::print(task); }

std::string nothing_missing() { return {}; }

} // namespace

const Backend interp = {"interp", nothing_missing, nothing_missing,  caps, legalize,
                        emit,     disassemble,     interpreter::open};
const Backend far = {"far", nothing_missing, nothing_missing,      far_caps, legalize,
                     emit,  disassemble,     interpreter::open_far};

} // namespace qd::backends
