// Prints the compiled forms of a kernel.
#include "base/stack.h"
#include "engine/emit.h"
#include "engine/program_impl.h"
#include "engine/weight.h"
#include "ir/text.h"

namespace qd::engine {
namespace {

std::string shown(const Program::Impl &p, ir::Function kernel, Form form) {
    const Lowering &lowering = p.lowering;
    std::string out;
    for (const ir::Loop &loop : kernel.loops)
        if (form == Form::ir && !loop.name.empty()) out += "; loop_name=" + loop.name + "\n";
    for (ir::Function &task : lowering.tasks(kernel)) {
        if (!out.empty()) out += "\n";
        lowering.optimize(task);
        lowering.vectorize(task);
        if (form == Form::ir) {
            out += ir::print(task, {.spans = p.live.print_places});
            continue;
        }
        lowering.legalize(task);
        const auto listing = form == Form::given          ? backends::Listing::given
                             : form == Form::intermediate ? backends::Listing::intermediate
                                                          : backends::Listing::machine;
        out += "; " + task.name + "\n" + disassemble(lowering, task, backends::Tier::best, listing);
    }
    return out;
}

} // namespace

std::string Program::show(ir::Function kernel, Form form) const {
    std::string out;
    with_stack(stack_for(kernel), [&] { out = shown(*impl_, std::move(kernel), form); });
    return out;
}

} // namespace qd::engine
