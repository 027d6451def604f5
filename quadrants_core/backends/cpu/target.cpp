// The `cpu` backend: what this processor can do, and the way to machine code.
#include "backends/backend.h"

#include "backends/cpu/cpu.h"
#include "base/error.h"
#include "codegen/llvm/door/door.h"
#include "runtime/pool.h"

#include "codegen_stamp.h"

#include <cpuid.h>
#include <cstdio>

namespace qd::backends {

namespace {

namespace step {
#define PASS(id, doc) constexpr passes::Pass id{#id, passes::id, doc};
#include "passes/passes.def"
} // namespace step

struct Registers {
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
Registers cpuid(uint32_t leaf, uint32_t subleaf = 0) {
    Registers r;
    __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

/// Everything that decides which instructions LLVM may use on this processor: model and feature words, and which
/// registers the operating system saves. Nothing in it differs between two runs on one machine.
std::string describe_processor() {
    Registers vendor = cpuid(0), model = cpuid(1), features = cpuid(7), more = cpuid(7, 1);
    Registers extended = cpuid(0x80000001), save = cpuid(0xd, 1);
    uint32_t saved_low = 0, saved_high = 0;
    if (model.ecx & (1u << 27)) __asm__("xgetbv" : "=a"(saved_low), "=d"(saved_high) : "c"(0));
    const uint32_t words[] = {vendor.ebx, vendor.edx,   vendor.ecx,   model.eax,    model.ecx & ~(1u << 27),
                              model.edx,  features.ebx, features.ecx, features.edx, more.eax,
                              more.edx,   extended.ecx, extended.edx, save.eax,     saved_low,
                              saved_high};
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t word : words) hash = (hash ^ word) * 0x100000001b3u ^ hash >> 29;
    char text[96];
    std::snprintf(text, sizeof text, "cpu-x86_64-%.4s%.4s%.4s-%x-%016llx", reinterpret_cast<const char *>(&vendor.ebx),
                  reinterpret_cast<const char *>(&vendor.edx), reinterpret_cast<const char *>(&vendor.ecx), model.eax,
                  static_cast<unsigned long long>(hash));
    return text;
}

int vector_bytes() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return 64;
    return __builtin_cpu_supports("avx2") ? 32 : 16;
}

std::string missing() { return {}; }

Caps caps(int) {
    static const Caps caps = [] {
        Caps c;
        c.threads = runtime::usable_cores();
        c.vector_bytes = vector_bytes();
        c.target = describe_processor() + " codegen-" QD_CODEGEN_STAMP;
        return c;
    }();
    return caps;
}

std::span<const passes::Pass> legalize(const Caps &) {
    static constexpr passes::Pass list[] = {
        step::chunk_ranges, // a range task is called with a chunk of its range
        step::lower_cells,  // addresses are base + bytes
        step::lower_access,
        step::dce,
    };
    return list;
}

abi::Binary emit(const ir::Function &task, const Caps &caps, Tier tier) {
    codegen::llvm_door::Request request;
    request.task = &task;
    request.optimize = tier == Tier::best;
    abi::Binary binary{caps.target, {}};
    std::string error;
    if (!codegen::llvm_door::open().compile(request, &binary.code, &error)) throw InternalError(error);
    return binary;
}

} // namespace

const Backend cpu = {"cpu", missing, caps, legalize, emit, open_cpu};

} // namespace qd::backends
