// The services of a compiler besides compilation, which is in compile.cpp.
#include "engine/compiler.h"

#include "base/bytes.h"
#include "base/stack.h"
#include "engine/background.h"
#include "engine/emit.h"
#include "engine/image.h"
#include "engine/weight.h"
#include "ir/text.h"

#include "codegen_stamp.h"

#include <algorithm>
#include <utility>

namespace qd::engine {
namespace {

uint64_t hash_of_code_options(const Options &o) {
    uint64_t flags = 0;
    for (const bool flag :
         {o.debug, o.check_out_of_bound, o.fast_math, o.cfg_optimization, o.advanced_optimization,
          o.move_loop_invariant_outside_if, o.demote_dense_struct_fors, o.flatten_if, o.make_thread_local,
          o.make_block_local, o.detect_read_only, o.real_matrix_scalarize, o.force_scalarize_matrix,
          o.half2_vectorization, o.kernel_profiler, o.make_mesh_block_local})
        flags = flags << 1 | uint64_t(flag);
    const uint64_t words[] = {flags,
                              uint64_t(o.opt_level),
                              uint64_t(o.default_cpu_block_dim),
                              uint64_t(o.default_gpu_block_dim),
                              uint64_t(o.gpu_max_reg),
                              uint64_t(o.saturating_grid_dim),
                              uint64_t(o.cpu_max_num_threads),
                              o.random_seed};
    return hash_bytes({reinterpret_cast<const uint8_t *>(words), sizeof words}, 17);
}

/// True if `names` ("all", or comma-separated names) contains `name`.
bool names_hold(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const size_t end = std::min(names.find(','), names.size());
        const std::string_view one = names.substr(0, end);
        if (one == name || one == "all") return true;
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return false;
}

std::string shown(const Compiler &c, ir::Function kernel, Form form) {
    const Lowering &lowering = c.lowering;
    std::string out;
    for (const ir::Loop &loop : kernel.loops)
        if (form == Form::ir && !loop.name.empty()) out += "; loop_name=" + loop.name + "\n";
    for (ir::Function &task : lowering.tasks(kernel)) {
        if (!out.empty()) out += "\n";
        lowering.optimize(task);
        lowering.vectorize(task);
        if (form == Form::ir) {
            out += ir::print(task, {.spans = c.prints_places()});
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

runtime::CacheKey build_key_of(const Lowering &lowering) {
    std::string text = QD_CODEGEN_STAMP;
    text.reserve(text.size() + lowering.caps().target.size() + 64);
    for (const std::string_view part :
         {std::string_view(lowering.backend().name), std::string_view(lowering.caps().target)})
        text.append("\n").append(part);
    for (const int number : {int(abi::version), lowering.caps().vector_bytes})
        text.append("\n").append(std::to_string(number));
    const std::span bytes(reinterpret_cast<const uint8_t *>(text.data()), text.size());
    return {hash_bytes(bytes, 1), hash_bytes(bytes, 2)};
}

Compiler::Compiler(const Options &o, const Lowering &way, const runtime::CacheKey &key, runtime::Device &d,
                   Queues &queues, Observation &seen, KeptCode &k, const std::shared_ptr<Lifetime> &life)
    : options(o), lowering(way), device(d), observation(seen), observers(queues.observers), kept(k), lifetime(life),
      build_key(key), host_visible(queues.host_visible), code_options_(hash_of_code_options(o)) {
    follow(o);
}

void Compiler::follow(const Options &now) {
    print_ir_ = now.print_ir;
    print_places_ = now.print_ir_dbg_info;
    threads_ = int(std::clamp<int64_t>(now.num_compile_threads, 1, 1 << 10));
}

bool Compiler::dumps(std::string_view kernel) const {
    return (print_ir_ || !options.dump.empty()) && kernel.find(options.only) != std::string_view::npos;
}

bool Compiler::dumps_after(std::string_view pass) const { return print_ir_ || names_hold(options.dump, pass); }

void Compiler::adopt(CompiledKernel &kernel) {
    kernel.lifetime = lifetime;
    observation.adopt(kernel);
}

std::shared_ptr<CompiledKernel> Compiler::load(std::span<const uint8_t> image, double before_us) {
    return load_image(*this, image, before_us);
}

void Compiler::settle() { finish_background(lifetime.get()); }

ir::Function Compiler::differentiate(ir::Function kernel, autodiff::Companions companions, autodiff::Mode mode,
                                     const autodiff::Stacks &stacks) const {
    ir::Function derived;
    with_stack(stack_for(kernel), [&] {
        // The derivative is also launched with overlapping arrays, so it must not rely on their being distinct.
        const bool distinct = std::exchange(kernel.distinct_arrays, false);
        std::vector<uint32_t> of_parameter(companions.arrays.size(), autodiff::Companions::none);
        for (size_t i = 0; i < of_parameter.size(); i++)
            for (size_t k = 0; k < kernel.params.size(); k++)
                if (companions.arrays[i] && kernel.params[k] == companions.arrays[i]) of_parameter[i] = uint32_t(k);
        // Validation checks every access of the program, so no pass may remove any before.
        if (mode != autodiff::Mode::validate) lowering.prepare(kernel);
        for (size_t i = 0; i < of_parameter.size(); i++) // passes renumber values
            if (companions.arrays[i]) companions.arrays[i] = kernel.params[of_parameter[i]];
        derived = autodiff::differentiate(kernel, companions, mode, stacks);
        derived.distinct_arrays = distinct;
    });
    return derived;
}

std::string Compiler::show(ir::Function kernel, Form form) const {
    std::string out;
    with_stack(stack_for(kernel), [&] { out = shown(*this, std::move(kernel), form); });
    return out;
}

} // namespace qd::engine
