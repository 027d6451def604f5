// The processor as a device: its memory is the process's own, a launch is a call through the thread pool.
#include "backends/cpu/cpu.h"

#include "backends/cpu/elf.h"
#include "base/error.h"
#include "device_lib/random.h"
#include "runtime/faults.h"
#include "runtime/host_memory.h"
#include "runtime/launcher.h"

#include <cstring>
#include <unistd.h>

namespace qd::backends {

namespace {

struct CpuTask final : runtime::LoadedTask {
    std::unique_ptr<MappedCode> machine;
    std::atomic<abi::Body> body{nullptr}; ///< the best there is, which may be another build's
    abi::Bounds bounds = nullptr;

    void go_on_with(const LoadedTask &better) override { body = static_cast<const CpuTask &>(better).body.load(); }
    std::span<const uint8_t> code() const override { return machine->code(); }
    uint32_t span_at(uint64_t offset) const override { return machine->line_at(offset); }
};

class Cpu final : public runtime::Device {
  public:
    explicit Cpu(const runtime::DeviceOptions &options) : launcher_(options.threads) {
        for (int i = 0; i < launcher_.threads(); i++)
            device_lib::seed_random(launcher_.thread(i).random, options.random_seed, uint32_t(i));
    }

    void *alloc(uint64_t bytes) override { return runtime::host_alloc(bytes); }
    void free(void *p) override { runtime::host_free(p); }
    void copy(void *to, const void *from, uint64_t bytes) override { std::memcpy(to, from, bytes); }
    void fill(void *to, uint8_t byte, uint64_t bytes) override { std::memset(to, byte, bytes); }

    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &task, const abi::Binary &binary) override {
        runtime::watch_faults();
        auto loaded = std::make_shared<CpuTask>();
        std::string error;
        loaded->machine = load_elf(binary.code, &error);
        if (!loaded->machine) fail_device("load_elf", 0, task.name + ": " + error);
        loaded->body = reinterpret_cast<abi::Body>(loaded->machine->symbol(abi::body_symbol));
        loaded->bounds = reinterpret_cast<abi::Bounds>(loaded->machine->symbol(abi::bounds_symbol));
        if (!loaded->body || (task.kind == abi::TaskKind::range && !loaded->bounds))
            fail_device("load_elf", 0, task.name + ": the object lacks the functions of a task");
        return loaded;
    }
    void launch(runtime::LoadedTask &task, const abi::Task &info, abi::Launch &launch) override {
        auto &own = static_cast<CpuTask &>(task);
        launcher_.run(info, own.body, own.bounds, launch);
    }
    void wait() override {}
    runtime::DeviceInfo info() override {
        runtime::DeviceInfo info;
        info.name = "cpu";
        info.threads = launcher_.threads();
        info.memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE));
        return info;
    }

  private:
    runtime::Launcher launcher_;
};

} // namespace

std::unique_ptr<runtime::Device> open_cpu(const runtime::DeviceOptions &options) {
    return std::make_unique<Cpu>(options);
}

} // namespace qd::backends
