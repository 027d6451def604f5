#include "engine/tiers.h"

#include "base/stack.h"
#include "engine/background.h"
#include "engine/program_impl.h"
#include "engine/weight.h"

namespace qd::engine {
namespace {

void optimise(OptimiseJob &job) {
    abi::Binary binary;
    std::string problem;
    try {
        with_stack(stack_for(job.legal), [&] { binary = job.lowering.emit(job.legal, backends::Tier::best); });
    } catch (const std::exception &error) {
        problem = error.what();
    }
    if (problem.empty() && job.disk) job.disk->store(job.key, job.info, binary);
    with_program(*job.lifetime, [&](Program::Impl &program) {
        try {
            if (problem.empty()) job.code->publish(program.device->load(job.info, binary));
        } catch (const std::exception &error) {
            problem = error.what();
        }
        if (!problem.empty()) program.warn("task " + job.info.name + " stays unoptimised: " + problem);
    });
}

} // namespace

void optimise_later(OptimiseJob job) {
    std::shared_ptr<Lifetime> lifetime = job.lifetime;
    in_background(std::move(lifetime), [job = std::make_shared<OptimiseJob>(std::move(job))] { optimise(*job); });
}

} // namespace qd::engine
