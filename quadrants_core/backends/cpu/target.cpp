// The `cpu` backend: the capabilities of this processor, and compilation to machine code.
#include "backends/backend.h"

#include "backends/cpu/cpu.h"
#include "base/error.h"
#include "codegen/llvm/loader/loader.h"
#include "passes/steps.h"
#include "runtime/pool.h"

#include "codegen_stamp.h"

#include <cpuid.h>
#include <cstdio>
#include <cstdlib>

namespace qd::backends {

namespace {

namespace step = passes::step;

struct Registers {
    uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
Registers cpuid(uint32_t leaf, uint32_t subleaf = 0) {
    Registers r;
    __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

/// Describes everything that decides which instructions LLVM may use on this processor: model and feature words, and the
/// registers that the operating system saves. The text is the same for every run on a machine.
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

/// The processor to compile for. QD_TARGET_CPU selects an x86-64 psABI level, which must not exceed what this processor supports.
struct Level {
    std::string_view name; ///< as LLVM spells it; empty: this processor
    int vector_bytes = 0;
    bool is_supported = true; ///< this processor supports it
};

int vector_bytes() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return 64;
    return __builtin_cpu_supports("avx2") ? 32 : 16;
}

const char *requested_level() {
    const char *name = std::getenv("QD_TARGET_CPU");
    return name && *name ? name : nullptr;
}

/// Returns the requested level; an unknown one counts as unsupported.
Level level() {
    const char *asked = requested_level();
    if (!asked) return {{}, vector_bytes(), true};
    __builtin_cpu_init();
    const Level levels[] = {
        {"x86-64", 16, true},
        {"x86-64-v2", 16, __builtin_cpu_supports("sse4.2") != 0},
        {"x86-64-v3", 32,
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")},
        {"x86-64-v4", 64, vector_bytes() == 64},
    };
    for (const Level &level : levels)
        if (level.name == asked) return level;
    return {asked, 16, false};
}

/// Returns the reason why the backend cannot run here; empty if it can.
std::string missing() {
    if (level().is_supported) return {};
    return std::string("QD_TARGET_CPU=") + requested_level() +
           " is not supported: it must be x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, and this processor must have it";
}

Caps caps(int) {
    static const Caps caps = [] {
        const Level asked = level();
        Caps c;
        c.threads = runtime::usable_cores();
        c.vector_bytes = asked.vector_bytes;
        c.processor = asked.name;
        c.target = describe_processor() + std::string(asked.name) + " codegen-" QD_CODEGEN_STAMP;
        return c;
    }();
    return caps;
}

std::span<const passes::Pass> legalize(const Caps &) {
    static constexpr passes::Pass list[] = {
        step::lower_blocks,   // each thread is a block of its own
        step::lower_packed,   // to words, before the passes that know only words
        step::chunk_ranges,   // a range task is called with a chunk of its range
        step::lower_cells,    // to addresses of base + bytes
        step::lower_access,   // as lower_cells
        step::lower_pow,      // no instruction computes it
        step::lower_messages, // the host takes words
        step::report_counts,  // before lower_counts: it finds counts at safepoints
        step::lower_counts,   // all threads count in the same memory
        step::lower_random,   // no instruction computes it
        step::lower_f16,      // the only instructions for f16 are conversions
        step::lower_division, // after lower_access, which divides indices, and lower_f16, which makes f32 ops
        step::lower_roots,    // after lower_f16, which makes f32 roots
        step::dce,            // last
    };
    return list;
}

std::string missing_compiler() {
    try {
        codegen::llvm_library::open();
        return {};
    } catch (const InternalError &error) {
        return error.what();
    }
}

codegen::llvm_library::Request request_for(const ir::Function &task, const Caps &caps, Tier tier) {
    codegen::llvm_library::Request request;
    request.task = &task;
    request.cpu = caps.processor;
    request.optimize = tier == Tier::best;
    return request;
}

std::vector<uint8_t> through_llvm(const codegen::llvm_library::Request &request) {
    std::vector<uint8_t> out;
    std::string error;
    if (!codegen::llvm_library::open().compile(request, &out, &error)) throw InternalError(error);
    return out;
}

abi::Binary emit(const ir::Function &task, const Caps &caps, Tier tier, SpanQuery *query) {
    codegen::llvm_library::Request request = request_for(task, caps, tier);
    request.query = query;
    return {caps.target, through_llvm(request)};
}

std::string disassemble(const ir::Function &task, const Caps &caps, Tier tier, Listing listing) {
    using codegen::llvm_library::Output;
    codegen::llvm_library::Request request = request_for(task, caps, tier);
    request.output = listing == Listing::given          ? Output::given_text
                     : listing == Listing::intermediate ? Output::ir_text
                                                        : Output::assembly;
    const std::vector<uint8_t> text = through_llvm(request);
    return {text.begin(), text.end()};
}

} // namespace

const Backend cpu = {"cpu", missing, missing_compiler, caps, legalize, emit, disassemble, open_cpu};

} // namespace qd::backends
