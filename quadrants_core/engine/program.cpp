// The lifetime of a program and its owners.
#include "engine/program.h"

#include "base/stop.h"
#include "engine/background.h"
#include "engine/build_task.h"
#include "engine/compiler.h"
#include "engine/device_memory.h"
#include "engine/kept_code.h"
#include "engine/observation.h"
#include "engine/observers.h"
#include "engine/queues.h"
#include "engine/remote_launch.h"
#include "engine/shared_code.h"
#include "engine/trees.h"
#include "engine/warm_up.h"
#include "runtime/externals.h"
#include "runtime/host_memory.h"

#include <algorithm>

namespace qd::engine {
namespace {

const backends::Backend &choose_backend(const std::string &name) {
    const backends::Backend *backend = backends::find(name);
    if (!backend) {
        std::string known;
        for (const backends::Backend *b : backends::all()) known += (known.empty() ? "" : ", ") + std::string(b->name);
        fail_user(UserErrorKind::runtime, "there is no arch named " + name, {}, "choose one of: " + known);
    }
    if (const std::string reason = backend->missing(); !reason.empty())
        fail_user(UserErrorKind::runtime, "arch " + name + " cannot run here: " + reason, {},
                  name == "cpu" ? "" : "use arch=qd.cpu");
    return *backend;
}

Lowering lowering_for(const Options &options, int threads) {
    const backends::Backend &backend = choose_backend(options.arch);
    backends::Caps caps = backend.caps(0);
    caps.threads = threads;
    return {backend, std::move(caps), options.verify || options.debug};
}

/// Returns the chunk size in iterations if the user set it or disabled its adaptive choice, else 0.
uint32_t block_dim(const Options &options) {
    if (options.cpu_block_dim_adaptive && options.default_cpu_block_dim == Options().default_cpu_block_dim) return 0;
    return uint32_t(std::clamp<int64_t>(options.default_cpu_block_dim, 0, UINT32_MAX));
}

// The passes after which QD_DUMP_CFG and QD_DUMP_SIMPLIFY print the IR.
constexpr std::string_view flow_passes = "forward_stores,loop_registers,promote";
constexpr std::string_view simplifying_passes = "fold,simplify_branches,cse,dce";

std::unique_ptr<runtime::Device> open_device(const Options &options) {
    const int threads = options.make_cpu_multithreading_loop ? int(options.cpu_max_num_threads) : 1;
    const backends::Backend &backend = choose_backend(options.arch);
    const auto block = backend.caps(0).lanes ? uint32_t(options.default_gpu_block_dim) : block_dim(options);
    return backend.open({0, threads, options.random_seed, block, need_locks});
}

/// Returns the options with which a program works, of those that the user gave.
Options completed(const Options &given) {
    Options options = given;
    for (const auto &[wanted, names] :
         {std::pair(options.dump_cfg, flow_passes), {options.dump_simplify, simplifying_passes}})
        if (wanted) options.dump += (options.dump.empty() ? "" : ",") + std::string(names);
    std::string &folder = options.offline_cache_file_path;
    if (folder.empty()) folder = runtime::default_cache_folder();
    return options;
}

std::string text_of(const std::exception_ptr &trouble) {
    try {
        std::rethrow_exception(trouble);
    } catch (const std::exception &e) {
        return e.what();
    } catch (const Interrupted &) {
        return "it was interrupted";
    }
}

std::atomic<uint64_t> programs{0};

} // namespace

/// Each owner refers to those before it.
struct Program::Owners : runtime::IsolatedPages {
    explicit Owners(const Options &o) : options(completed(o)) {}

    const Options options;
    const std::shared_ptr<Lifetime> lifetime = std::make_shared<Lifetime>();
    const std::unique_ptr<runtime::Device> device = open_device(options);
    const runtime::DeviceInfo info = device->info();
    const Lowering lowering = lowering_for(options, info.threads);
    const runtime::CacheKey build_key = build_key_of(lowering);
    Observers observers{options};
    Queues queues{*device, info, observers, ++programs};
    DeviceMemory memory{*device, queues};
    Trees trees{*device, memory, queues, lowering.backend().name};
    Observation observation{queues};
    KeptCode kept{options, build_key, observers, lifetime};
    Compiler compiler{options, lowering, build_key, *device, queues, observation, kept, lifetime};
};

Program::Program(const Options &options) : owners_(std::make_unique<Owners>(options)), queues_(&owners_->queues) {
    owners_->lifetime->program = this;
    warn_of_unknown_passes(owners_->compiler);
    const std::shared_ptr<runtime::DiskCache> &disk = owners_->kept.disk();
    if (!disk || !disk->caches_kernels() || disk->is_empty()) warm_up(owners_->lowering);
}

Program::~Program() {
    settle_launches(*queues_);
    if (queues_->main.trouble)
        owners_->observers.warn("a launch that was never waited for failed: " + text_of(queues_->main.trouble));
    owners_->observers.closing(*this);
    finish_warm_up();
    forget_background(owners_->lifetime.get());
    {
        const std::lock_guard guard(owners_->lifetime->lock);
        owners_->observation.abandon_kernels();
        owners_->lifetime->program = nullptr;
    }
    owners_->kept.unload();
}

const Options &Program::options() const { return owners_->options; }

void Program::follow(const Options &now) {
    owners_->observers.follow(now);
    owners_->compiler.follow(now);
    owners_->kept.follow(now);
}

DeviceMemory &Program::memory() const { return owners_->memory; }
Trees &Program::trees() const { return owners_->trees; }
Compiler &Program::compiler() const { return owners_->compiler; }
KeptCode &Program::kept_code() const { return owners_->kept; }
Observers &Program::observers() const { return owners_->observers; }
Observation &Program::observation() const { return owners_->observation; }

void add_external(uint64_t id, void *address) { runtime::add_external(id, address); }

} // namespace qd::engine
