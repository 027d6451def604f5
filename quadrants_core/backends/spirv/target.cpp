#include "backends/spirv/spirv.h"

#include "base/error.h"
#include "codegen/spirv/emit.h"
#include "passes/steps.h"

#include <cstring>

namespace qd::backends {

namespace {

using codegen::spirv::Capabilities;
using codegen::spirv::Capability;

namespace step = passes::step;

std::string missing() { return "no driver executes its code"; }
std::string nothing_missing() { return {}; }

/// The atomics that are one instruction. Exchanges work on bits, and so on f32 too; lavapipe ends the process at those of f64.
passes::Atomics atomics_of(const Capabilities &has) {
    using ir::Op;
    using ir::Scalar;
    passes::Atomics atomics = passes::Atomics::none();
    const auto list = [&](std::initializer_list<ir::Op> ops, std::initializer_list<Scalar> types) {
        for (const ir::Op op : ops)
            for (const Scalar type : types) atomics.add(op, type);
    };
    const auto integers = {Op::atomic_add, Op::atomic_min, Op::atomic_max,
                           Op::atomic_and, Op::atomic_or,  Op::atomic_xor};
    list(integers, {Scalar::i32, Scalar::u32});
    list({Op::atomic_xchg, Op::atomic_cas}, {Scalar::i32, Scalar::u32, Scalar::f32});
    if (has.has(Capability::Int64Atomics)) {
        list(integers, {Scalar::i64, Scalar::u64});
        list({Op::atomic_xchg, Op::atomic_cas}, {Scalar::i64, Scalar::u64});
    }
    if (has.has(Capability::AtomicFloat32AddEXT)) list({Op::atomic_add}, {Scalar::f32});
    if (has.has(Capability::AtomicFloat64AddEXT)) list({Op::atomic_add}, {Scalar::f64});
    return atomics;
}

Caps caps(int) {
    constexpr int lanes = 32;
    return spirv_caps(Capabilities::all(), lanes);
}

/// Without lanes, each thread is a block of its own. Without f64, the device's functions of f32 stay.
std::vector<passes::Pass> passes_for(bool lanes, bool f64) {
    std::vector<passes::Pass> list;
    if (!lanes) list.push_back(step::lower_blocks);
    list.insert(list.end(), {
                                step::lower_packed,     // to words, before the passes that know only words
                                step::grid_ranges,      // neighbouring threads run neighbouring indices
                                step::lower_access,     // to addresses of base + bytes
                                step::lower_pow,        // no instruction computes it
                                step::lower_messages,   // a device lacks what they become
                                step::lower_counts,     // all threads count in the same memory
                                step::block_reductions, // after lower_counts: counts are reductions too
                                step::lower_atomics,    // after all passes that make atomics
                                step::lower_random,     // no instruction computes it
                                step::lower_f16,        // after lower_atomics, whose loops compute
                            });
    if (f64) list.push_back(step::lower_functions); // after lower_f16, which makes functions of f32
    list.insert(list.end(), {
                                step::lower_remainders, // as lower_functions
                                step::lower_division,   // after lower_access and lower_remainders, which divide
                                step::fold,             // addresses: element_form looks for constants
                                step::element_form,     // after all passes that make or change addresses
                                step::dce,              // last
                            });
    return list;
}

std::span<const passes::Pass> legalize(const Caps &caps) {
    static const std::vector<passes::Pass> lists[] = {passes_for(false, false), passes_for(false, true),
                                                      passes_for(true, false), passes_for(true, true)};
    return lists[(caps.lanes ? 2 : 0) + (caps.f64 ? 1 : 0)];
}

std::vector<uint32_t> words_of(const ir::Function &task, const Caps &caps) {
    try {
        return codegen::spirv::emit(task, Capabilities::read(caps.processor), uint32_t(caps.lanes));
    } catch (const codegen::spirv::Refused &refused) {
        throw InternalError(refused.what());
    }
}

abi::Binary emit(const ir::Function &task, const Caps &caps, Tier, SpanQuery *) {
    const std::vector<uint32_t> words = words_of(task, caps);
    abi::Binary binary{caps.target, std::vector<uint8_t>(words.size() * sizeof(uint32_t))};
    std::memcpy(binary.code.data(), words.data(), binary.code.size());
    return binary;
}

std::string disassemble(const ir::Function &task, const Caps &caps, Tier, Listing) {
    return codegen::spirv::text(words_of(task, caps));
}

std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &) { fail_user(UserErrorKind::runtime, missing()); }

} // namespace

Caps spirv_caps(const Capabilities &has, int lanes) {
    Caps c;
    c.vector_bytes = 0;
    c.bounds_from_tasks = true;
    c.grid = true;
    c.elements = true;
    c.lanes = lanes;
    c.atomics = atomics_of(has);
    c.f64 = has.has(Capability::Float64);
    c.f16 = has.has(Capability::Int16);
    c.processor = has.text();
    c.target = "spirv 1.5 lanes " + std::to_string(lanes) + " " + c.processor;
    return c;
}

const Backend spirv = {"spirv", missing, nothing_missing, caps, legalize, emit, disassemble, open};

} // namespace qd::backends
