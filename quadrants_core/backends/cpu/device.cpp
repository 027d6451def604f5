// The processor as a device: its memory is that of the process, and a launch is a call through the thread pool.
#include "backends/cpu/cpu.h"

#include "backends/cpu/elf.h"
#include "base/error.h"
#include "device_lib/random.h"
#include "runtime/faults.h"
#include "runtime/host_memory.h"
#include "runtime/launcher.h"
#include "runtime/sections.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace qd::backends {

namespace {

struct CpuTask final : runtime::LoadedTask {
    std::unique_ptr<MappedCode> machine;
    runtime::TaskEntry own;
    std::atomic<const runtime::TaskEntry *> entry{&own}; ///< the best so far, which may be that of another build
    abi::Bounds bounds = nullptr;                        ///< null: the range is known, or there is none

    void switch_to(const LoadedTask &better) override { entry = static_cast<const CpuTask &>(better).entry.load(); }
    void set_locked_code(const LoadedTask &other) override {
        own.locked.store(&static_cast<const CpuTask &>(other).entry, std::memory_order_release);
    }
    runtime::UpdateMode update_mode() const override { return entry.load()->last(); }
    std::span<const uint8_t> code() const override { return machine->code(); }
};

/// Reads the list that code generation emitted; stops at the end of the constants, whatever they hold.
std::vector<abi::Accumulation> accumulations_of(const MappedCode &machine) {
    std::vector<abi::Accumulation> found;
    for (auto bytes = machine.constants(abi::accumulations_symbol); bytes.size() >= sizeof(abi::Accumulation);
         bytes = bytes.subspan(sizeof(abi::Accumulation))) {
        abi::Accumulation one;
        std::memcpy(&one, bytes.data(), sizeof one);
        if (!one.word_bytes || found.size() == abi::max_accumulations) break;
        found.push_back(one);
    }
    return found;
}

abi::Updates updates_of(const MappedCode &machine) {
    abi::Updates updates;
    if (const auto bytes = machine.constants(abi::updates_symbol); bytes.size() >= sizeof updates)
        std::memcpy(&updates, bytes.data(), sizeof updates);
    return updates;
}

/// Each operation completes before it returns, and throws its errors at once.
class CpuStream final : public runtime::Stream {
  public:
    /// `number`: how many streams the device opened before.
    CpuStream(const runtime::DeviceOptions &options, uint32_t number)
        : launcher_(options.threads, options.block_dim, options.need_locks) {
        const uint32_t first = number * uint32_t(launcher_.threads());
        for (int i = 0; i < launcher_.threads(); i++)
            device_lib::seed_random(launcher_.thread(i).random, options.random_seed, first + uint32_t(i));
        launcher_.draw_from(options.random_seed ^ uint64_t(number) << 32);
    }

    void upload(uint64_t to, const void *from, uint64_t bytes) override { std::memcpy(at(to), from, bytes); }
    void download(void *to, uint64_t from, uint64_t bytes) override { std::memcpy(to, at(from), bytes); }
    void copy(uint64_t to, uint64_t from, uint64_t bytes) override { std::memmove(at(to), at(from), bytes); }
    void fill(uint64_t to, uint8_t byte, uint64_t bytes) override { std::memset(at(to), byte, bytes); }
    void launch(runtime::LoadedTask &task, const abi::Task &info, abi::Launch &launch) override {
        auto &own = static_cast<CpuTask &>(task);
        launcher_.run(info, own.entry, own.bounds, launch);
    }
    std::optional<double> launch_sections(std::span<const runtime::SectionTask> tasks,
                                          const abi::Launch &launch) override {
        const auto is_in_order = [](const runtime::SectionTask &one) {
            return static_cast<const CpuTask &>(*one.task).entry.load()->updates.order != abi::Order::free;
        };
        if (launcher_.threads() == 1 || std::ranges::any_of(tasks, is_in_order)) return std::nullopt;
        sections_.clear();
        for (const runtime::SectionTask &one : tasks) {
            const auto &own = static_cast<const CpuTask &>(*one.task);
            sections_.push_back({one.info, &own.entry, own.bounds, one.counters, one.record});
        }
        return launcher_.run_sections(sections_, launch);
    }
    runtime::Event record() override { return {this, 0}; }
    void wait_for(const runtime::Event &) override {}
    abi::HeapUse take_heap_use() override { return launcher_.take_heap_use(); }
    abi::HeapUse heap_use_so_far() const override { return launcher_.heap_use_so_far(); }
    runtime::Progress progress_so_far() const override { return launcher_.progress_so_far(); }
    void wait() override {}

  private:
    static void *at(uint64_t address) { return reinterpret_cast<void *>(address); }
    runtime::Launcher launcher_;
    std::vector<runtime::HostTask> sections_; ///< of the current launch
};

class Cpu final : public runtime::Device {
  public:
    explicit Cpu(const runtime::DeviceOptions &options) : options_(options) {
        options_.threads = options.threads > 0 ? options.threads : runtime::usable_cores();
    }

    runtime::Buffer alloc(uint64_t bytes) override {
        void *block = runtime::host_alloc(bytes);
        return {this, reinterpret_cast<uint64_t>(block), static_cast<char *>(block)};
    }
    void free(const runtime::Buffer &buffer) override { runtime::host_free(buffer.host); }
    std::unique_ptr<runtime::Stream> open_stream() override {
        return std::make_unique<CpuStream>(options_, streams_++);
    }

    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &task, const abi::Binary &binary) override {
        runtime::watch_faults();
        auto loaded = std::make_shared<CpuTask>();
        std::string error;
        loaded->machine = load_elf(binary.code, &error);
        if (!loaded->machine) fail_device("load_elf", 0, task.name + ": " + error);
        loaded->own.body = reinterpret_cast<abi::Body>(loaded->machine->symbol(abi::body_symbol));
        const bool needs_bounds = task.kind == abi::TaskKind::range && !binary.range.factors;
        if (needs_bounds) loaded->bounds = reinterpret_cast<abi::Bounds>(loaded->machine->symbol(abi::bounds_symbol));
        loaded->own.updates = updates_of(*loaded->machine);
        if (loaded->own.updates.any) loaded->own.accumulations = accumulations_of(*loaded->machine);
        if (const auto wanted = loaded->machine->constants(abi::subnormals_symbol); !wanted.empty()) {
            if (wanted[0] & abi::subnormals_kept) loaded->own.subnormals = runtime::Subnormals::kept;
            loaded->own.depends_on_subnormals = !(wanted[0] & abi::subnormals_irrelevant);
        }
        loaded->own.is_plain = task.kind == abi::TaskKind::range && !loaded->own.updates.some();
        if (!loaded->own.body || (needs_bounds && !loaded->bounds))
            fail_device("load_elf", 0, task.name + ": the object lacks the functions of a task");
        return loaded;
    }
    runtime::DeviceInfo info() override {
        runtime::DeviceInfo info;
        info.name = "cpu";
        info.threads = options_.threads;
        info.memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE));
        return info;
    }

  private:
    runtime::DeviceOptions options_;
    std::atomic<uint32_t> streams_{0};
};

} // namespace

std::unique_ptr<runtime::Device> open_cpu(const runtime::DeviceOptions &options) {
    return std::make_unique<Cpu>(options);
}

} // namespace qd::backends
