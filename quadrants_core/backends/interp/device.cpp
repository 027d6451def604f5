#include "backends/interp/device.h"

#include "analysis/lanes.h"
#include "backends/interp/walk.h"
#include "base/error.h"
#include "device_lib/random.h"
#include "ir/text.h"
#include "runtime/faults.h"
#include "runtime/host_memory.h"
#include "runtime/launcher.h"
#include "runtime/thread_heap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace qd::backends::interpreter {

namespace {

constexpr int64_t chunk = 4096;     ///< indices between two checks for Stop
constexpr int64_t grid_threads = 3; ///< threads of a task for a grid, which run one after the other
constexpr std::string_view lanes_word = "; lanes ", covers_word = "; an index a thread\n";

struct Text : runtime::LoadedTask {
    ir::Function fn;
    int64_t threads = 1; ///< number of threads that share a chunk
    Geometry geometry;
    bool in_blocks = false; ///< its threads form blocks
    bool covers = false;    ///< a thread runs one index
};

void *at(uint64_t address) { return reinterpret_cast<void *>(address); }

/// Runs a thread for each index, and one past the end, which must do nothing.
void run_indices(const ir::Function &fn, const abi::Launch &launch, abi::Thread &thread, int64_t begin, int64_t end) {
    for (int64_t index = begin; index <= end && !must_leave(launch); ++index) run(fn, launch, thread, {index, end, 1});
}

/// Each operation completes before it returns.
class Stream final : public runtime::Stream {
  public:
    explicit Stream(uint64_t seed, uint32_t number) { device_lib::seed_random(thread_.random, seed, number); }

    void upload(uint64_t to, const void *from, uint64_t bytes) override { std::memcpy(at(to), from, bytes); }
    void download(void *to, uint64_t from, uint64_t bytes) override { std::memcpy(to, at(from), bytes); }
    void copy(uint64_t to, uint64_t from, uint64_t bytes) override { std::memmove(at(to), at(from), bytes); }
    void fill(uint64_t to, uint8_t byte, uint64_t bytes) override { std::memset(at(to), byte, bytes); }
    void launch(runtime::LoadedTask &task, const abi::Task &, abi::Launch &launch) override {
        run_text(task, launch, thread_);
    }
    std::optional<double> launch_sections(std::span<const runtime::SectionTask>, const abi::Launch &) override {
        return std::nullopt;
    }
    runtime::Event record() override { return {this, 0}; }
    void wait_for(const runtime::Event &) override {}
    abi::HeapUse take_heap_use() override {
        abi::HeapUse use;
        heap_.take_use(use);
        return use;
    }
    void wait() override {}

  private:
    abi::Thread thread_{};
    runtime::ThreadHeap heap_{thread_, runtime::host_chunks()};
};

class Interpreter final : public runtime::Device {
  public:
    explicit Interpreter(const runtime::DeviceOptions &options) : options_(options) {}

    runtime::Buffer alloc(uint64_t bytes) override {
        void *block = runtime::host_alloc(bytes);
        return {this, reinterpret_cast<uint64_t>(block), static_cast<char *>(block)};
    }
    void free(const runtime::Buffer &buffer) override { runtime::host_free(buffer.host); }
    std::unique_ptr<runtime::Stream> open_stream() override {
        return std::make_unique<Stream>(options_.random_seed, streams_++);
    }
    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &task, const abi::Binary &binary) override {
        return load_text(task, binary, options_.block_dim);
    }
    runtime::DeviceInfo info() override { return {"interpreter", 1, runtime::host_available(), true, true}; }

  private:
    const runtime::DeviceOptions options_;
    uint32_t streams_ = 0;
};

} // namespace

std::string target_lines(const Caps &caps) {
    const std::string lanes = std::string(lanes_word) + std::to_string(caps.lanes) + "\n";
    return caps.grid && caps.covers ? lanes + std::string(covers_word) : lanes;
}

std::shared_ptr<runtime::LoadedTask> load_text(const abi::Task &task, const abi::Binary &binary, uint32_t block_dim) {
    std::string_view text(reinterpret_cast<const char *>(binary.code.data()), binary.code.size());
    ir::ParseResult read = ir::parse(text);
    if (read.error || read.functions.size() != 1)
        fail_internal("the text of task " + task.name + " cannot be read" +
                      (read.error ? ": line " + std::to_string(read.error->line) + ": " + read.error->message : ""));
    runtime::watch_faults();
    auto loaded = std::make_shared<Text>();
    loaded->fn = std::move(read.functions[0]);
    for (const ir::Inst &inst : loaded->fn.insts)
        if (inst.op == ir::Op::chunk_step) loaded->threads = grid_threads;
    if (text.starts_with(lanes_word)) loaded->geometry.lanes = uint32_t(std::atoi(text.data() + lanes_word.size()));
    loaded->covers =
        loaded->threads == 1 && loaded->fn.role == ir::Role::range_task && text.find(covers_word) != text.npos;
    if (const uint32_t block = task.block_dim ? task.block_dim : block_dim) loaded->geometry.block = block;
    loaded->in_blocks = loaded->geometry.lanes && (loaded->threads > 1 || loaded->covers) &&
                        analysis::uses_blocks(loaded->fn, loaded->fn.body);
    return loaded;
}

const ir::Function &function_of(const runtime::LoadedTask &task) { return static_cast<const Text &>(task).fn; }

void run_text(const runtime::LoadedTask &task, const abi::Launch &launch, abi::Thread &thread, const int64_t *given) {
    const ir::Function &fn = function_of(task);
    const runtime::FloatMode mode(fn.fast_math ? runtime::Subnormals::flushed : runtime::Subnormals::kept);
    const Text &text = static_cast<const Text &>(task);
    const int64_t threads = text.threads;
    int64_t range[2] = {0, 1};
    if (given)
        std::copy_n(given, 2, range);
    else if (fn.role == ir::Role::range_task)
        run_bounds(fn, launch, thread, range);
    if (text.in_blocks) return run_blocks(fn, launch, thread, text.geometry, range[0], range[1]);
    if (text.covers) return run_indices(fn, launch, thread, range[0], range[1]);
    for (int64_t begin = range[0]; begin < range[1]; begin += chunk) {
        const int64_t end = std::min(begin + chunk, range[1]);
        for (int64_t first = begin; first < std::min(begin + threads, end); ++first) {
            if (must_leave(launch)) return;
            run(fn, launch, thread, {first, end, threads});
        }
    }
}

std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &options) {
    return std::make_unique<Interpreter>(options);
}

} // namespace qd::backends::interpreter
