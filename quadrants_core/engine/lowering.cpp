#include "engine/lowering.h"

#include "analysis/lanes.h"
#include "analysis/launch_range.h"
#include "base/error.h"

#include <utility>

namespace qd::engine {

namespace {
/// Without optimisation passes, the code generator does not optimise either.
backends::Tier tier_of(const ir::Function &task, backends::Tier wanted) {
    return task.has_flag(ir::CompileFlag::plain) ? backends::Tier::fast : wanted;
}
} // namespace

Stages all_stages() { return {kernel_stage(), scalar_stage(), lane_stage()}; }

Lowering::Lowering(const backends::Backend &backend, backends::Caps caps, bool verify, Stages stages)
    : backend_(&backend), caps_(std::move(caps)), config_(backends::config_of(caps_)), verify_(verify),
      stages_(stages) {}

void Lowering::run(std::span<const passes::Pass> list, ir::Function &fn, passes::Observer *observer) const {
    if (fn.compile_flags == 0) {
        passes::run(list, fn, config_, verify_, observer);
    } else {
        passes::run(chosen(list, fn), fn, config_, verify_, observer);
    }
}

void Lowering::refuse_lanes(const ir::Function &kernel) const {
    const ir::Value v = caps_.lanes ? ir::Value() : analysis::needs_lanes(kernel);
    if (!v) return;
    fail_user(UserErrorKind::compilation,
              kernel.name + " uses lanes of a group of threads (`" + ir::info(kernel[v].op).name +
                  "`), which the backend " + std::string(backend_->name) + " does not have",
              kernel.trace(kernel[v].span));
}

void Lowering::simplify(ir::Function &kernel, passes::Observer *observer) const {
    refuse_lanes(kernel);
    run(stages_.kernel, kernel, observer);
}

void Lowering::prepare(ir::Function &kernel) const { run(derivative_stage(), kernel, nullptr); }

std::vector<ir::Function> Lowering::cut(const ir::Function &kernel) const { return passes::offload(kernel, config_); }

std::vector<ir::Function> Lowering::tasks(ir::Function &kernel) const {
    simplify(kernel);
    return cut(kernel);
}

void Lowering::optimize(ir::Function &task, passes::Observer *observer) const { run(stages_.scalar, task, observer); }

void Lowering::vectorize(ir::Function &task, passes::Observer *observer) const { run(stages_.lanes, task, observer); }

void Lowering::legalize(ir::Function &task, passes::Observer *observer) const {
    run(backend_->legalize(caps_), task, observer);
}

void Lowering::lower(ir::Function &task, passes::Observer *observer) const {
    optimize(task, observer);
    vectorize(task, observer);
    legalize(task, observer);
}

abi::Binary Lowering::emit(const ir::Function &task, backends::Tier tier, SpanQuery *query) const {
    abi::Binary binary = backend_->emit(task, caps_, tier_of(task, tier), query);
    if (const auto range = analysis::launch_range(task)) binary.range = *range;
    return binary;
}

std::string Lowering::disassemble(const ir::Function &task, backends::Tier tier, backends::Listing listing) const {
    return backend_->disassemble(task, caps_, tier_of(task, tier), listing);
}

} // namespace qd::engine
