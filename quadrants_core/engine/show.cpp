#include "engine/show.h"

#include "backends/backend.h"
#include "base/stack.h"
#include "codegen/llvm/door/door.h"
#include "engine/pipeline.h"
#include "engine/weight.h"
#include "ir/text.h"

namespace qd::engine {
namespace {

std::string through_llvm(const ir::Function &task, const std::string &processor, Form form) {
    using codegen::llvm_door::Output;
    codegen::llvm_door::Request request;
    request.task = &task;
    request.cpu = processor;
    request.output = form == Form::llvm ? Output::ir_text : Output::assembly;
    std::vector<uint8_t> text;
    std::string error;
    if (!codegen::llvm_door::open().compile(request, &text, &error)) fail_internal(error);
    return {text.begin(), text.end()};
}

std::string shown(const Program &program, ir::Function kernel, Form form) {
    const backends::Backend &backend = *backends::find(program.options().arch);
    const backends::Caps caps = backend.caps(0);
    passes::Config config;
    config.vector_bytes = caps.vector_bytes;
    std::string out;
    for (const ir::Loop &loop : kernel.loops)
        if (form == Form::ir && !loop.name.empty()) out += "; loop_name=" + loop.name + "\n";
    passes::run(kernel_stage(), kernel, config, false, nullptr);
    for (ir::Function &task : passes::offload(kernel)) {
        if (!out.empty()) out += "\n";
        passes::run(task_stage(), task, config, false, nullptr);
        if (form == Form::ir) {
            out += ir::print(task);
            continue;
        }
        passes::run(backend.legalize(caps), task, config, false, nullptr);
        out += "; " + task.name + "\n" + through_llvm(task, caps.processor, form);
    }
    return out;
}

} // namespace

std::string show(const Program &program, ir::Function kernel, Form form) {
    std::string out;
    with_stack(stack_for(kernel), [&] { out = shown(program, std::move(kernel), form); });
    return out;
}

} // namespace qd::engine
