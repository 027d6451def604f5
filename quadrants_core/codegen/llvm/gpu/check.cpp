#include "codegen/llvm/gpu/check.h"

#include "analysis/walk.h"
#include "codegen/llvm/emit.h"

namespace qd::codegen {

namespace {

/// Returns why a device cannot execute the op; null if it can.
const char *lacks(ir::Op op) {
    const ir::Family family = ir::family(op);
    if (family == ir::Family::cell || family == ir::Family::step) return "a device has no sparse trees";
    if (op == ir::Op::print || op == ir::Op::fail) return "a device has no way to hand a message to the host";
    if (op == ir::Op::external) return "a device cannot call a library of the host";
    if (op == ir::Op::reserve || op == ir::Op::stack) return "a device has no heap for the stacks of derivatives";
    if (op == ir::Op::random_state) return "a launch has no seed for the threads of a device";
    return nullptr;
}

[[noreturn]] void refuse(const ir::Function &task, ir::Value v, const char *why) {
    throw Refused("cannot compile `" + task.name + "`: " + ir::info(task[v].op).name + ": " + why);
}

} // namespace

void check_for_device(const ir::Function &task) {
    analysis::walk(task, [&](ir::Value v) {
        if (const char *why = lacks(task[v].op)) refuse(task, v, why);
    });
}

void check_for_amdgcn(const ir::Function &task) {
    check_for_device(task);
    analysis::walk(task, [&](ir::Value v) {
        if (task[v].op == ir::Op::cast && task[v].type.elem == ir::Scalar::f16)
            refuse(task, v, "LLVM cannot keep the rounding to f16 in its place on this target");
    });
}

} // namespace qd::codegen
