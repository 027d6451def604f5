#include "engine/tiers.h"

#include "base/stack.h"
#include "engine/background.h"
#include "engine/compiler.h"
#include "engine/program.h"
#include "engine/stopwatch.h"
#include "engine/timeline.h"
#include "engine/weight.h"

namespace qd::engine {
namespace {

void optimise(OptimiseJob &job) {
    abi::Binary binary;
    std::string problem;
    const Stopwatch watch;
    try {
        with_stack(stack_for(job.legal), [&] { binary = job.lowering.emit(job.legal, backends::Tier::best); });
    } catch (const std::exception &error) {
        problem = error.what();
    }
    if (problem.empty() && job.disk) job.disk->keep_task(job.key, job.info.weight, binary);
    with_program(*job.lifetime, [&](Program &program) {
        Compiler &compiler = program.compiler();
        if (compiler.observers.have_timeline())
            add_to_timeline("phase", "optimise", job.info.name, watch.microseconds());
        try {
            if (problem.empty()) job.code->publish(compiler.device.load(job.info, binary));
        } catch (const std::exception &error) {
            problem = error.what();
        }
        if (!problem.empty()) compiler.observers.warn("task " + job.info.name + " stays unoptimised: " + problem);
    });
}

} // namespace

void optimise_later(OptimiseJob job, std::shared_ptr<const runtime::KernelClaim> claim) {
    std::shared_ptr<Lifetime> lifetime = job.lifetime;
    in_background(std::move(lifetime),
                  [job = std::make_shared<OptimiseJob>(std::move(job)), claim = std::move(claim)] { optimise(*job); });
}

} // namespace qd::engine
