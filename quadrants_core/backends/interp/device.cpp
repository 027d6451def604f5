#include "backends/interp/device.h"

#include "backends/interp/walk.h"
#include "base/error.h"
#include "device_lib/random.h"
#include "ir/text.h"
#include "runtime/faults.h"
#include "runtime/host_memory.h"
#include "runtime/launcher.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace qd::backends::interpreter {

namespace {

constexpr int64_t chunk = 4096; ///< indices between two looks at Stop

struct Text : runtime::LoadedTask {
    ir::Function fn;
};

class Interpreter : public runtime::Device {
  public:
    explicit Interpreter(uint64_t seed) { device_lib::seed_random(thread_.random, seed, 0); }

    void *alloc(uint64_t bytes) override { return runtime::host_alloc(bytes); }
    void free(void *p) override { runtime::host_free(p); }
    void copy(void *to, const void *from, uint64_t bytes) override { std::memmove(to, from, bytes); }
    void fill(void *to, uint8_t byte, uint64_t bytes) override { std::memset(to, byte, bytes); }
    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &task, const abi::Binary &binary) override;
    void launch(runtime::LoadedTask &task, const abi::Task &info, abi::Launch &launch) override;
    void wait() override {}
    runtime::DeviceInfo info() override { return {"interpreter", 1, runtime::host_available(), true}; }

  private:
    abi::Thread thread_{};
};

std::shared_ptr<runtime::LoadedTask> Interpreter::load(const abi::Task &task, const abi::Binary &binary) {
    std::string_view text(reinterpret_cast<const char *>(binary.code.data()), binary.code.size());
    ir::ParseResult read = ir::parse(text);
    if (read.error || read.functions.size() != 1)
        fail_internal("the text of task " + task.name + " cannot be read" +
                      (read.error ? ": line " + std::to_string(read.error->line) + ": " + read.error->message : ""));
    runtime::watch_faults();
    auto loaded = std::make_shared<Text>();
    loaded->fn = std::move(read.functions[0]);
    return loaded;
}

void Interpreter::launch(runtime::LoadedTask &task, const abi::Task &, abi::Launch &launch) {
    const runtime::FlushDenormals flush; // as every device does
    const ir::Function &fn = static_cast<Text &>(task).fn;
    int64_t range[2] = {0, 1};
    if (fn.role == ir::Role::range_task) run_bounds(fn, launch, thread_, range);
    for (int64_t begin = range[0]; begin < range[1]; begin += chunk) {
        if (must_leave(launch.data)) return;
        run(fn, launch, thread_, begin, std::min(begin + chunk, range[1]));
    }
}

} // namespace

std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &options) {
    return std::make_unique<Interpreter>(options.random_seed);
}

} // namespace qd::backends::interpreter
