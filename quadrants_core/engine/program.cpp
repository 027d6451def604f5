// A program's lifetime, its memory and its observers. The rest is in compile.cpp and launch.cpp.
#include "engine/program.h"

#include "base/bytes.h"
#include "base/stack.h"
#include "engine/background.h"
#include "engine/build_task.h"
#include "engine/completion.h"
#include "engine/host_writes.h"
#include "engine/image.h"
#include "engine/program_impl.h"
#include "engine/remote_launch.h"
#include "engine/shared_code.h"
#include "engine/warm_up.h"
#include "engine/weight.h"
#include "runtime/externals.h"
#include "runtime/fault_report.h"

#include "codegen_stamp.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <tuple>

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

Lowering lowering_for(const Options &options, runtime::Device &device) {
    const backends::Backend &backend = choose_backend(options.arch);
    backends::Caps caps = backend.caps(0);
    caps.threads = device.info().threads;
    return {backend, std::move(caps), options.verify || options.debug};
}

std::atomic<uint64_t> programs{0};

/// Distinguishes code made by this build, for this machine and these options, from any other; part of every cache key.
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

runtime::CacheLimits cache_limits(const Options &options) {
    runtime::CacheLimits limits;
    limits.max_bytes = options.offline_cache_max_size_of_files;
    limits.factor = options.offline_cache_cleaning_factor;
    limits.cleaning = runtime::cleaning_of(options.offline_cache_cleaning_policy);
    return limits;
}

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

} // namespace

Program::Impl::Impl(Program &p, const Options &o)
    : program(p), options(o), id(++programs), device(open_device(o)), lowering(lowering_for(o, *device)),
      build_key(build_key_of(lowering)), code_options(hash_of_code_options(o)) {
    const runtime::DeviceInfo info = device->info();
    host_visible = info.host_visible;
    runs_on_host = info.runs_on_host;
    main.queue = device->open_stream();
    runtime::watch_task(&main.now.host.task);
    live.follow(options);
    for (const auto &[wanted, names] :
         {std::pair(options.dump_cfg, flow_passes), {options.dump_simplify, simplifying_passes}})
        if (wanted) options.dump += (options.dump.empty() ? "" : ",") + std::string(names);
    warn_of_unknown_passes(*this);
    std::string &folder = options.offline_cache_file_path;
    if (folder.empty()) folder = runtime::default_cache_folder();
    if (!folder.empty())
        disk = std::make_shared<runtime::DiskCache>(
            runtime::CacheSettings{folder, options.offline_cache, cache_limits(options), options.cache_key},
            [life = std::weak_ptr(lifetime)](const std::string &text) {
                if (const auto alive = life.lock()) {
                    const std::lock_guard guard(alive->lock);
                    if (alive->program) alive->program->warn(text);
                }
            });
    lifetime->program = this;
    update_launch_start();
    watched = times_tasks();
    if (!disk || !disk->caches_kernels() || disk->is_empty()) warm_up(lowering);
}

void Program::Impl::update_launch_start() {
    char *const *roots = trees.data();
    if (!host_visible && !trees.empty()) {
        const runtime::Buffer table = device->alloc(trees.size() * sizeof(char *));
        transfer(
            [&](runtime::Stream &queue) { queue.upload(table.address, trees.data(), trees.size() * sizeof(char *)); });
        device->free(std::exchange(tree_table, table));
        roots = reinterpret_cast<char *const *>(table.address);
    }
    main.now.data = {.args = nullptr,
                     .tmp = reinterpret_cast<char *>(main.tmp.address),
                     .ret = nullptr,
                     .trees = roots,
                     .counters = nullptr,
                     .stop = &stop_word,
                     .failed = &main.failed,
                     .counts_requested = &main.counts_requested,
                     .sparse = sparse.get()};
    main.now.host = {.print = print_from_task,
                     .fail = fail_from_task,
                     .external = runtime::external,
                     .reserve = reserve_from_task,
                     .sparse = sparse ? &runtime::SparseTrees::calls : nullptr,
                     .task = nullptr};
}

void Program::Impl::collect_cells() {
    const runtime::HostAccess access(*device);
    sparse->collect();
}

Program::Impl::~Impl() {
    runtime::unwatch_task(&main.now.host.task);
    finish_warm_up();
    forget_background(lifetime.get());
    {
        const std::lock_guard guard(lifetime->lock);
        for (CompiledKernel *kernel : kernels) {
            kernel->program_id = 0;
            kernel->tasks.clear();
        }
        lifetime->program = nullptr;
    }
    for (auto &[key, code] : tasks) code->unload();
    if (disk) disk->publish();
    transfers = nullptr;
    main.queue = nullptr;
    for (const auto &[address, block] : blocks) device->free(block.buffer);
    for (const LaunchBlock &block : main.spare) device->free(block.memory);
    for (const runtime::Buffer &buffer : {main.tmp, tree_table}) device->free(buffer);
}

std::shared_ptr<TaskCode> Program::Impl::known_task(const runtime::CacheKey &key) {
    const std::lock_guard guard(tasks_lock);
    const auto known = tasks.find(key);
    return known == tasks.end() ? nullptr : known->second;
}

std::shared_ptr<TaskCode> Program::Impl::keep_task(const runtime::CacheKey &key, std::shared_ptr<TaskCode> code) {
    const std::lock_guard guard(tasks_lock);
    return tasks.emplace(key, std::move(code)).first->second;
}

CompiledKernel::~CompiledKernel() {
    if (!lifetime) return;
    const std::lock_guard guard(lifetime->lock);
    if (lifetime->program) lifetime->program->retire(*this);
}

void add_external(uint64_t id, void *address) { runtime::add_external(id, address); }

std::string kernel_key(const CompiledKernel &kernel) {
    return kernel.key == runtime::KernelKey{} ? std::string() : runtime::to_hex(kernel.key);
}
const abi::Kernel &kernel_info(const CompiledKernel &kernel) { return kernel.info; }
uint32_t kernel_specialisation(const CompiledKernel &kernel) { return kernel.specialisation; }
const std::vector<CounterValue> &kernel_counters(const CompiledKernel &kernel) { return kernel.counters; }

void set_stack_budget(CompiledKernel &kernel, uint64_t bytes) { kernel.stack_budget = bytes; }

void ask_for_coverage(CompiledKernel &kernel, CoverageKind kind) {
    const bool counts = kind == CoverageKind::counts || kernel.counters.empty();
    kernel.completion = counts ? nullptr : std::make_shared<Completion>(kernel, kind);
    choose_launch(*kernel.lifetime->program, kernel);
}

namespace {

std::string text_of(const std::exception_ptr &trouble) {
    try {
        std::rethrow_exception(trouble);
    } catch (const std::exception &e) {
        return e.what();
    } catch (const Interrupted &) {
        return "it was interrupted";
    }
}

} // namespace

Program::Program(const Options &options) : impl_(std::make_unique<Impl>(*this, options)) {}
Program::~Program() {
    settle_launches(*impl_);
    if (impl_->main.trouble) impl_->warn("a launch that was never waited for failed: " + text_of(impl_->main.trouble));
    for (Observer *observer : std::vector(impl_->observers)) observer->closing(*this);
    impl_->sparse = nullptr; // frees its blocks
}

const Options &Program::options() const { return impl_->options; }
std::string Program::target() const { return impl_->lowering.caps().target; }
int Program::lanes() const { return impl_->lowering.caps().lanes; }

runtime::Buffer Program::Impl::take_memory(uint64_t bytes) {
    const runtime::Buffer buffer = device->alloc(std::max<uint64_t>(bytes, 1));
    const std::lock_guard guard(memory_lock);
    blocks.emplace(buffer.address, Block{buffer, bytes});
    allocated += bytes;
    return buffer;
}

runtime::Buffer Program::alloc(uint64_t bytes) {
    try {
        return impl_->take_memory(bytes);
    } catch (const DeviceError &) {
        if (!impl_->main.has_pending) throw;
    }
    impl_->wait_for_launches(); // some memory may be free then
    return impl_->take_memory(bytes);
}

void Program::free(uint64_t address) {
    if (!address) return;
    runtime::Buffer buffer;
    {
        const std::lock_guard guard(impl_->memory_lock);
        const auto block = impl_->blocks.find(address);
        QD_CHECK(block != impl_->blocks.end(), "freed memory that this program does not hold");
        buffer = block->second.buffer;
        impl_->allocated -= block->second.bytes;
        impl_->blocks.erase(block);
        if (impl_->main.has_pending) {
            impl_->retired_memory.push_back(buffer);
            return;
        }
    }
    impl_->device->free(buffer);
}

void Program::Impl::free_retired() {
    std::vector<runtime::Buffer> retired;
    {
        const std::lock_guard guard(memory_lock);
        retired.swap(retired_memory);
    }
    for (const runtime::Buffer &buffer : retired) device->free(buffer);
}

void Program::Impl::wait_for_launches() {
    if (host_visible) return; // launches are synchronous
    const BetweenLaunches guard(main);
    finish_launches(*this);
}

bool Program::host_visible() const { return impl_->host_visible; }

void Program::upload(const runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes) {
    if (to.host) {
        copy_in_parallel(impl_->lowering.caps().threads, to.host + at, from, bytes);
        return;
    }
    impl_->wait_for_launches();
    impl_->transfer([&](runtime::Stream &queue) { queue.upload(to.address + at, from, bytes); });
}

void Program::download(void *to, const runtime::Buffer &from, uint64_t at, uint64_t bytes) {
    if (from.host) {
        std::memcpy(to, from.host + at, bytes);
        return;
    }
    impl_->wait_for_launches();
    impl_->transfer([&](runtime::Stream &queue) { queue.download(to, from.address + at, bytes); });
}

void Program::copy(const runtime::Buffer &to, const runtime::Buffer &from, uint64_t bytes) {
    if (to.host && from.host) {
        copy_in_parallel(impl_->lowering.caps().threads, to.host, from.host, bytes);
        return;
    }
    impl_->wait_for_launches();
    impl_->transfer([&](runtime::Stream &queue) { queue.copy(to.address, from.address, bytes); });
}

namespace {

/// Fills a buffer of `bytes` with copies of its first `done` bytes. `copy(to, count)` copies `count` bytes from the start to offset `to`.
template <class F> void double_up(uint64_t done, uint64_t bytes, F &&copy) {
    while (done < bytes) {
        const uint64_t more = std::min(done, bytes - done);
        copy(done, more);
        done += more;
    }
}

} // namespace

void Program::repeat(const runtime::Buffer &to, const void *pattern, uint64_t period, uint64_t bytes) {
    const uint64_t first = std::min(period, bytes);
    if (first == 0) return;
    if (to.host) {
        fill_in_parallel(impl_->lowering.caps().threads, to.host, pattern, first, bytes);
        return;
    }
    impl_->wait_for_launches();
    impl_->transfer([&](runtime::Stream &queue) {
        queue.upload(to.address, pattern, first);
        double_up(first, bytes, [&](uint64_t at, uint64_t n) { queue.copy(to.address + at, to.address, n); });
    });
}

std::vector<std::pair<std::string, uint64_t>> Program::device_calls() const { return impl_->device->calls(); }

uint64_t Program::allocated_bytes() const {
    const std::lock_guard guard(impl_->memory_lock);
    return impl_->allocated;
}

std::shared_ptr<CompiledKernel> Program::compile(ir::Function kernel, double frontend_us, std::vector<uint8_t> *image,
                                                 uint64_t variant, const std::string &shown_as) {
    std::shared_ptr<CompiledKernel> made;
    with_stack(stack_for(kernel),
               [&] { made = engine::compile(*impl_, std::move(kernel), frontend_us, image, variant, shown_as); });
    return made;
}

std::shared_ptr<CompiledKernel> Program::load(std::span<const uint8_t> image, double before_us) {
    return load_image(*impl_, image, before_us);
}

std::vector<Location> Program::locate(const ir::Function &kernel, const KernelFault &fault) {
    return impl_->locate(kernel, fault);
}

void Program::sync() { impl_->wait_for_launches(); }
void Program::settle() { finish_background(impl_->lifetime.get()); }
int Program::tasks_on_last_call() const { return impl_->main.last_tasks; }
int32_t Program::yielded_on_last_call() const { return impl_->main.last_yielded; }

} // namespace qd::engine
