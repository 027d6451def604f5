// A device for tests, whose memory the host cannot touch: a program that works with it also works with a device far from the
// host. Its addresses fault unless work of a stream or a HostAccess is in progress. Each stream works on a thread of its own,
// so operations return before they complete. An array argument outside the device's memory is refused.
#include "backends/interp/device.h"
#include "backends/interp/work_queue.h"

#include "abi/record.h"
#include "base/error.h"
#include "base/fork.h"
#include "device_lib/random.h"
#include "runtime/faults.h"
#include "runtime/host_memory.h"
#include "runtime/thread_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace qd::backends::interpreter {

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t reach = uint64_t(1) << 40; ///< bytes of addresses
constexpr uint64_t alignment = 64;

uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/// Blocks in one range of addresses, which is accessible only while something holds it open.
class FarMemory {
  public:
    FarMemory() {
        void *base = mmap(nullptr, reach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) fail_device("mmap", errno, std::strerror(errno));
        base_ = reinterpret_cast<uint64_t>(base);
    }
    ~FarMemory() { munmap(reinterpret_cast<void *>(base_), reach); }
    FarMemory(const FarMemory &) = delete;

    /// Returns zeroed memory. A block has pages of its own, followed by one that is never accessible. A mapped one is always accessible.
    uint64_t alloc(uint64_t bytes, bool mapped = false) {
        const uint64_t available = runtime::host_available();
        if (bytes > reach || (bytes > (64u << 20) && bytes > available)) runtime::out_of_memory(bytes, available);
        const uint64_t whole = round_up(std::max<uint64_t>(bytes, 1), page);
        const std::lock_guard guard(lock_);
        uint64_t at = end_;
        if (const auto spare = spares_.find(whole); spare != spares_.end()) {
            at = spare->second;
            spares_.erase(spare);
        } else {
            if (end_ + whole + page > reach) runtime::out_of_memory(bytes, reach - end_);
            end_ += whole + page;
        }
        blocks_[base_ + at] = {whole, mapped};
        protect(base_ + at, whole, mapped || open_ > 0);
        return base_ + at;
    }
    void free(uint64_t address) {
        const std::lock_guard guard(lock_);
        const auto block = blocks_.find(address);
        QD_CHECK(block != blocks_.end(), "freed memory that is not held");
        const uint64_t bytes = block->second.bytes;
        madvise(reinterpret_cast<void *>(address), bytes, MADV_DONTNEED); // zeros again
        protect(address, bytes, false);
        spares_.emplace(bytes, address - base_);
        blocks_.erase(block);
    }
    void open() {
        const std::lock_guard guard(lock_);
        if (open_++ == 0) protect_all(true);
    }
    void close() {
        const std::lock_guard guard(lock_);
        if (--open_ == 0) protect_all(false);
    }
    bool holds(uint64_t address) const { return address - base_ < reach; }

  private:
    static void protect(uint64_t address, uint64_t bytes, bool open) {
        if (mprotect(reinterpret_cast<void *>(address), bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
            fail_device("mprotect", errno, std::strerror(errno));
    }
    void protect_all(bool open) {
        for (const auto &[address, block] : blocks_)
            if (!block.mapped) protect(address, block.bytes, open);
    }

    ForkLockedMutex lock_;
    uint64_t base_ = 0, end_ = 0;
    int open_ = 0;
    struct Block {
        uint64_t bytes = 0;
        bool mapped = false;
    };
    std::map<uint64_t, Block> blocks_;         ///< by address
    std::multimap<uint64_t, uint64_t> spares_; ///< offsets by bytes
};

class FarStream final : public runtime::Stream {
  public:
    FarStream(FarMemory &memory, uint64_t seed, uint32_t number)
        : memory_(memory), queue_([&memory] { memory.open(); }, [&memory] { memory.close(); }) {
        device_lib::seed_random(thread_.random, seed, number);
    }

    void upload(uint64_t to, const void *from, uint64_t bytes) override {
        std::vector<char> kept(static_cast<const char *>(from), static_cast<const char *>(from) + bytes);
        queue_.add([to, kept = std::move(kept)] { std::memcpy(at(to), kept.data(), kept.size()); });
    }
    void download(void *to, uint64_t from, uint64_t bytes) override {
        queue_.add([=] { std::memcpy(to, at(from), bytes); });
    }
    void copy(uint64_t to, uint64_t from, uint64_t bytes) override {
        queue_.add([=] { std::memmove(at(to), at(from), bytes); });
    }
    void fill(uint64_t to, uint8_t byte, uint64_t bytes) override {
        queue_.add([=] { std::memset(at(to), byte, bytes); });
    }
    void launch(runtime::LoadedTask &task, const abi::Task &info, abi::Launch &launch) override {
        queue_.add([this, &task, &info, record = abi::LaunchRecord::copy_of(launch, info.slots)]() mutable {
            const abi::Launch &own = record.head();
            if (*own.stream.failed) return;
            check(function_of(task), own);
            try {
                run(task, info, own);
            } catch (runtime::Fault &fault) {
                fault.task = own.task;
                throw;
            }
        });
    }
    std::optional<double> launch_sections(std::span<const runtime::SectionTask>, const abi::Launch &) override {
        return std::nullopt;
    }
    runtime::Event record() override { return {this, queue_.given()}; }
    void wait_for(const runtime::Event &event) override {
        queue_.add([event] { static_cast<FarStream *>(event.stream)->queue_.wait(event.number); });
    }
    abi::HeapUse take_heap_use() override {
        const std::lock_guard guard(use_lock_);
        abi::HeapUse use = std::exchange(use_, {});
        use.entries.resize(abi::counted_stacks);
        return use;
    }
    void wait() override { queue_.wait(queue_.given()); }

  private:
    static void *at(uint64_t address) { return reinterpret_cast<void *>(address); }
    /// Runs a task. Its range is found as by a driver, which runs no code of the task for it. The range of a task that a test wrote may be any code.
    void run(const runtime::LoadedTask &task, const abi::Task &info, const abi::Launch &launch) {
        int64_t range[2] = {info.range.begin, info.range.end(launch.args())};
        const bool in_tmp = info.range_at != abi::Task::computed;
        if (in_tmp) std::memcpy(range, launch.stream.tmp + info.range_at, sizeof range);
        run_text(task, launch, thread_, in_tmp || info.range.factors ? range : nullptr);
        const std::lock_guard guard(use_lock_);
        heap_.take_use(use_);
        use_.total = use_.peak; // of one thread
    }
    /// Fails if a task was given memory outside the device.
    void check(const ir::Function &fn, const abi::Launch &launch) const {
        const auto own = [&](const void *place) { return !place || memory_.holds(reinterpret_cast<uint64_t>(place)); };
        const abi::StreamWords &words = launch.stream;
        bool all = own(words.tmp) && own(launch.ret) && own(words.trees) && own(launch.counters) && own(words.failed) &&
                   own(words.counts_requested);
        uint32_t slot = 0;
        for (const ir::Value p : fn.params) {
            const ir::Type &type = fn.type(p);
            if (type.is_array()) all = all && memory_.holds(launch.args()[slot]);
            slot += abi::argument_slots(type.is_array(), type.ndim);
        }
        if (!all) fail_internal("task " + fn.name + " was given memory that is not its device's");
    }

    FarMemory &memory_;
    abi::Thread thread_{};
    /// Allocates in the device's own memory.
    runtime::ThreadHeap heap_{thread_,
                              {[this](uint64_t bytes) { return at(memory_.alloc(bytes)); },
                               [this](void *p) { memory_.free(reinterpret_cast<uint64_t>(p)); }}};
    ForkLockedMutex use_lock_;
    abi::HeapUse use_; ///< of completed tasks
    WorkQueue queue_;  ///< the last member: its thread ends first
};

class Far final : public runtime::Device {
  public:
    explicit Far(const runtime::DeviceOptions &options) : options_(options) {}

    runtime::Buffer alloc(uint64_t bytes) override { return {this, memory_.alloc(bytes), nullptr}; }
    runtime::Buffer alloc_mapped(uint64_t bytes) override {
        const uint64_t address = memory_.alloc(bytes, true);
        return {this, address, reinterpret_cast<char *>(address)};
    }
    void free(const runtime::Buffer &buffer) override {
        if (buffer.address) memory_.free(buffer.address);
    }
    std::unique_ptr<runtime::Stream> open_stream() override {
        return std::make_unique<FarStream>(memory_, options_.random_seed, streams_++);
    }
    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &task, const abi::Binary &binary) override {
        return load_text(task, binary, options_.block_dim);
    }
    runtime::DeviceInfo info() override { return {"far interpreter", 1, runtime::host_available(), false, true}; }

  private:
    void open_to_host() override { memory_.open(); }
    void close_to_host() override { memory_.close(); }

    FarMemory memory_;
    const runtime::DeviceOptions options_;
    uint32_t streams_ = 0;
};

} // namespace

std::unique_ptr<runtime::Device> open_far(const runtime::DeviceOptions &options) {
    return std::make_unique<Far>(options);
}

} // namespace qd::backends::interpreter
