#include "codegen/spirv/task_code.h"

#include "analysis/walk.h"

#include <bit>

namespace qd::codegen::spirv {

namespace {

bool has_communication(const ir::Function &task) {
    bool found = false;
    analysis::walk(task, task.body, [&](Value v) {
        const Op op = task[v].op;
        found |= ir::is_atomic(op) || op == Op::fence || op == Op::block_sync || op == Op::group_sync ||
                 op == Op::volatile_load;
    });
    return found;
}

} // namespace

unsigned bits_in_memory(Scalar s) { return 8 * unsigned(ir::size_of(s)); }

TaskCode::TaskCode(const ir::Function &task, const Capabilities &has_)
    : fn(task), has(has_), block(module.entry_label()), communicates(has_communication(task)),
      values_(task.insts.size()) {
    need(Capability::Int64);
    need(Capability::PhysicalStorageBufferAddresses);
    for (const Capability c : {Capability::VulkanMemoryModel, Capability::KeepsSpecialFloat32})
        if (has.has(c)) module.declare(c);
}

void TaskCode::refuse(const std::string &why) const {
    const std::string op = current ? ir::info(fn[current].op).name : "task";
    throw Refused("cannot compile `" + fn.name + "`: " + op + ": " + why);
}

void TaskCode::need(Capability c) {
    if (!has.has(c)) refuse(std::string("the device does not have ") + name_of(c));
    module.declare(c);
}

Id TaskCode::get(Value v) {
    if (v.id >= values_.size() || !values_[v.id])
        refuse(fn.type(v).is_pointer() ? "a pointer into memory of a thread, of a block or to constants is passed on"
                                       : "a value is used before its definition");
    return values_[v.id];
}

Id TaskCode::integer(unsigned bits) {
    if (bits == 8) need(Capability::Int8);
    if (bits == 16) need(Capability::Int16);
    return module.type_int(bits);
}

Id TaskCode::scalar(Scalar s) {
    if (s == Scalar::none) refuse("a value without a type");
    if (s == Scalar::u1) return module.type_bool();
    if (s == Scalar::f32) return module.type_float(32);
    if (s != Scalar::f64) return integer(bits_in_memory(s));
    need(Capability::Float64);
    if (has.has(Capability::KeepsSpecialFloat64)) module.declare(Capability::KeepsSpecialFloat64);
    return module.type_float(64);
}

Id TaskCode::type(Type t) {
    if (t.is_pointer() && t.space == ir::Space::global) return integer(64);
    if (t.is_pointer()) refuse("a pointer into memory of a thread, of a block or to constants is passed on");
    if (!t.is_scalar() || t.lanes > 1) refuse("a value of type " + ir::to_string(t));
    return scalar(t.elem);
}

Id TaskCode::whole(unsigned bits, uint64_t value) { return module.constant(integer(bits), bits, value); }

Id TaskCode::constant(Scalar s, uint64_t bits) {
    if (s == Scalar::u1) return module.boolean(bits & 1);
    return module.constant(scalar(s), bits_in_memory(s), bits);
}

Id TaskCode::number(Scalar s, double value) {
    return constant(s, s == Scalar::f64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<uint32_t>(float(value)));
}

} // namespace qd::codegen::spirv
