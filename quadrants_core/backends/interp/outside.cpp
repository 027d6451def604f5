#include "backends/interp/outside.h"

#include "base/error.h"
#include "device_lib/clock.h"
#include "device_lib/random.h"
#include "runtime/externals.h"

#include <utility>

namespace qd::backends::interpreter {

uint64_t Outside::random(Scalar type) {
    if (type == Scalar::f64) return from_double(type, device_lib::random_f64(thread_.random)).bits;
    if (type == Scalar::f32) return from_double(type, device_lib::random_f32(thread_.random)).bits;
    if (type == Scalar::f16) return from_double(type, device_lib::random_f16(thread_.random)).bits;
    return device_lib::random_bits(thread_.random, bits_of(type));
}

/// Calls the print or fail callback with the operands, starting with operand `first`.
void Outside::message(Value v, size_t first) {
    const Inst &in = fn()[v];
    std::vector<uint64_t> list;
    for (Value a : fn().args(v).subspan(first)) {
        Constant c = values_.constant(a);
        list.push_back(is_float(c.type)    ? from_double(Scalar::f64, to_double(c)).bits
                       : is_signed(c.type) ? uint64_t(to_int(c))
                                           : c.bits);
    }
    auto report = in.op == Op::print ? launch_.stream.host->print : launch_.stream.host->fail;
    if (report) report(&launch_, &thread_, uint32_t(in.imm), list.data());
}

void Outside::external(Value v) {
    const uint64_t imm = fn()[v].imm;
    void *function = launch_.stream.host->external(imm / external_arguments);
    auto *slots = reinterpret_cast<uint64_t *>(uintptr_t(values_.arg(v, 0)));
    runtime::call_external(function, slots, imm % external_arguments);
}

uint32_t Outside::requested() const {
    return launch_.stream.counts_requested ? __atomic_load_n(launch_.stream.counts_requested, __ATOMIC_RELAXED) : 0;
}

bool Outside::execute(Value v) {
    const Inst &in = fn()[v];
    switch (OutsideOp(in.op)) {
    case OutsideOp::random: values_.set(v, random(in.type.elem)); break;
    case OutsideOp::print:
    case OutsideOp::fail: message(v, 0); break;
    case OutsideOp::assert_:
        if (values_.arg(v, 0) & 1) break;
        message(v, 1);
        return false;
    case OutsideOp::count:
        if (launch_.counters && !left_early)
            __atomic_fetch_add(&launch_.counters[in.imm], values_.arg(v, 0), __ATOMIC_RELAXED);
        break;
    case OutsideOp::poll: values_.set(v, stopped()); break;
    case OutsideOp::poll_requests: values_.set(v, stopped() || requested()); break;
    case OutsideOp::safepoint: {
        const uint32_t asked = requested();
        values_.set(v, asked != std::exchange(reported_, asked));
        break;
    }
    case OutsideOp::left_early: values_.set(v, left_early); break;
    case OutsideOp::serve_requests:
        if (launch_.stream.counts_requested) __atomic_store_n(launch_.stream.counts_requested, 0u, __ATOMIC_RELAXED);
        values_.set(v, stopped());
        break;
    case OutsideOp::clock: values_.set(v, uint64_t(device_lib::clock())); break;
    case OutsideOp::thread_index: values_.set(v, thread_.index); break;
    case OutsideOp::external: external(v); break;
    case OutsideOp::graph_begin:
    case OutsideOp::graph_end: fail_internal("interp: " + fn().name + " is to be cut into tasks first");
    }
    return true;
}

} // namespace qd::backends::interpreter
