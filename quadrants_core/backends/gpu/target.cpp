#include "backends/gpu/gpu.h"

#include "base/error.h"
#include "codegen/llvm/loader/loader.h"
#include "passes/steps.h"

namespace qd::backends {

namespace {

using codegen::llvm_library::Output;
using codegen::llvm_library::Request;

namespace step = passes::step;

struct Chip {
    const char *triple, *processor, *features;
    int lanes;
};
constexpr Chip nvidia = {"nvptx64-nvidia-cuda", "sm_75", "+ptx63", 32};
constexpr Chip amd = {"amdgcn-amd-amdhsa", "gfx942", "", 64};

std::string missing() { return "no driver executes its code"; }

std::string missing_compiler() {
    try {
        codegen::llvm_library::open(codegen::llvm_library::File::devices);
        return {};
    } catch (const InternalError &error) {
        return error.what();
    }
}

template <const Chip &chip> Caps caps(int) {
    Caps c;
    c.vector_bytes = 0;
    c.bounds_from_tasks = true;
    c.lanes = chip.lanes;
    c.grid = true;
    c.processor = chip.processor;
    c.target = std::string(chip.triple) + " " + chip.processor;
    return c;
}

std::span<const passes::Pass> legalize(const Caps &) {
    static constexpr passes::Pass list[] = {
        step::lower_packed,   // to words, before the passes that know only words
        step::grid_ranges,    // neighbouring threads run neighbouring indices
        step::lower_access,   // to addresses of base + bytes
        step::lower_pow,      // no instruction computes it
        step::lower_messages, // a device lacks what they become
        step::lower_counts,   // all threads count in the same memory
        step::lower_random,   // no instruction computes it
        step::lower_f16,      // conversions are enough
        step::lower_division, // after lower_access, which divides indices, and lower_f16, which makes f32 ops
        step::lower_roots,    // after lower_f16, which makes f32 roots
        step::dce,            // last
    };
    return list;
}

std::vector<uint8_t> through_llvm(const Chip &chip, const ir::Function &task, const Caps &caps, Tier tier,
                                  Output output) {
    Request request;
    request.task = &task;
    request.triple = chip.triple;
    request.cpu = caps.processor;
    request.features = chip.features;
    request.optimize = tier == Tier::best;
    request.output = output;
    std::vector<uint8_t> out;
    std::string error;
    if (!codegen::llvm_library::open(codegen::llvm_library::File::devices).compile(request, &out, &error))
        throw InternalError(error);
    return out;
}

template <const Chip &chip> abi::Binary emit(const ir::Function &task, const Caps &caps, Tier tier, SpanQuery *) {
    return {caps.target, through_llvm(chip, task, caps, tier, Output::assembly)};
}

template <const Chip &chip>
std::string disassemble(const ir::Function &task, const Caps &caps, Tier tier, Listing listing) {
    const Output output = listing == Listing::given          ? Output::given_text
                          : listing == Listing::intermediate ? Output::ir_text
                                                             : Output::assembly;
    const std::vector<uint8_t> text = through_llvm(chip, task, caps, tier, output);
    return {text.begin(), text.end()};
}

std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &) { fail_user(UserErrorKind::runtime, missing()); }

template <const Chip &chip> constexpr Backend made(std::string_view name) {
    return {name, missing, missing_compiler, caps<chip>, legalize, emit<chip>, disassemble<chip>, open};
}

} // namespace

const Backend nvptx = made<nvidia>("nvptx");
const Backend amdgcn = made<amd>("amdgcn");

} // namespace qd::backends
