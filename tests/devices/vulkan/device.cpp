#include "devices/vulkan/device.h"

#include "abi/record.h"
#include "base/error.h"
#include "codegen/spirv/emit.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace qd::tests {

Grid grid;

Gpu &gpu() {
    static Gpu gpu;
    return gpu;
}

std::string invalid(std::span<const uint32_t> words) {
    std::string problems;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    tools.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &, const char *text) {
        problems += std::string(text) + "\n";
    });
    if (!tools.Validate(words.data(), words.size()) && problems.empty()) return "not valid";
    return problems;
}

namespace {

using codegen::spirv::Pushed;

/// Blocks of memory, by address.
class Memory {
  public:
    ~Memory() {
        for (const auto &[address, block] : blocks_) gpu().free(block.memory);
    }
    uint64_t alloc(uint64_t bytes) {
        const GpuMemory memory = gpu().alloc(bytes);
        blocks_[memory.address] = {memory, bytes};
        return memory.address;
    }
    void free(uint64_t address) {
        const auto found = blocks_.find(address);
        QD_CHECK(found != blocks_.end(), "freed memory that is not held");
        gpu().free(found->second.memory);
        blocks_.erase(found);
    }
    /// Returns the place of an address in memory of the host.
    char *host(uint64_t address) const {
        auto next = blocks_.upper_bound(address);
        QD_CHECK(next != blocks_.begin(), "an address that is not the device's");
        --next;
        QD_CHECK(address - next->first <= next->second.bytes, "an address that is not the device's");
        return next->second.memory.host + (address - next->first);
    }

  private:
    struct Block {
        GpuMemory memory;
        uint64_t bytes = 0;
    };
    std::map<uint64_t, Block> blocks_;
};

struct Loaded final : runtime::LoadedTask {
    Loaded(VkPipeline made, uint32_t threads) : pipeline(made), block(threads) {}
    ~Loaded() override { gpu().destroy(pipeline); }
    VkPipeline pipeline;
    uint32_t block;
};

/// Does everything at once.
class Stream final : public runtime::Stream {
  public:
    explicit Stream(Memory &memory) : memory_(memory) {}
    void upload(uint64_t to, const void *from, uint64_t bytes) override { std::memcpy(memory_.host(to), from, bytes); }
    void download(void *to, uint64_t from, uint64_t bytes) override { std::memcpy(to, memory_.host(from), bytes); }
    void copy(uint64_t to, uint64_t from, uint64_t bytes) override {
        std::memmove(memory_.host(to), memory_.host(from), bytes);
    }
    void fill(uint64_t to, uint8_t byte, uint64_t bytes) override { std::memset(memory_.host(to), byte, bytes); }
    void launch(runtime::LoadedTask &task, const abi::Task &info, abi::Launch &launch) override {
        const auto &loaded = static_cast<const Loaded &>(task);
        Pushed pushed{0, 0, 1};
        if (info.kind == abi::TaskKind::range) find_range(info, launch, pushed);
        const int64_t length = std::max<int64_t>(pushed.end - pushed.begin, 0);
        const int64_t blocks = info.kind == abi::TaskKind::range ? (length + loaded.block - 1) / loaded.block : 1;
        abi::LaunchRecord record = abi::LaunchRecord::copy_of(launch, info.slots);
        const uint64_t bytes = sizeof(abi::Launch) + sizeof(uint64_t) * info.slots;
        pushed.record = memory_.alloc(bytes);
        upload(pushed.record, &record.head(), bytes);
        gpu().run(loaded.pipeline, uint32_t(std::clamp<int64_t>(blocks, 1, grid.most_blocks)), &pushed, sizeof pushed);
        memory_.free(pushed.record);
    }
    std::optional<double> launch_sections(std::span<const runtime::SectionTask>, const abi::Launch &) override {
        return std::nullopt;
    }
    runtime::Event record() override { return {this, 0}; }
    void wait_for(const runtime::Event &) override {}
    abi::HeapUse take_heap_use() override { return {}; }
    void wait() override {}

  private:
    void find_range(const abi::Task &info, const abi::Launch &launch, Pushed &pushed) {
        if (info.range_at != abi::Task::computed) {
            const auto at = reinterpret_cast<uint64_t>(launch.stream.tmp) + info.range_at;
            std::memcpy(&pushed.begin, memory_.host(at), sizeof pushed.begin);
            std::memcpy(&pushed.end, memory_.host(at) + sizeof pushed.begin, sizeof pushed.end);
            return;
        }
        if (!info.range.factors)
            fail_internal("cannot compile `" + info.name + "`: its range is known to its code alone");
        pushed.begin = info.range.begin;
        pushed.end = info.range.end(launch.args());
    }

    Memory &memory_;
};

class Device final : public runtime::Device {
  public:
    explicit Device(const runtime::DeviceOptions &options) : options_(options) {}
    runtime::Buffer alloc(uint64_t bytes) override { return {this, memory_.alloc(bytes), nullptr}; }
    runtime::Buffer alloc_mapped(uint64_t bytes) override {
        const uint64_t address = memory_.alloc(bytes);
        return {this, address, memory_.host(address)};
    }
    void free(const runtime::Buffer &buffer) override {
        if (buffer.address) memory_.free(buffer.address);
    }
    std::unique_ptr<runtime::Stream> open_stream() override { return std::make_unique<Stream>(memory_); }
    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &task, const abi::Binary &binary) override {
        std::vector<uint32_t> words(binary.code.size() / sizeof(uint32_t));
        std::memcpy(words.data(), binary.code.data(), binary.code.size());
        if (const std::string why = invalid(words); !why.empty())
            throw std::runtime_error("the module of `" + task.name + "` is not valid: " + why + "\n" +
                                     codegen::spirv::text(words));
        const uint32_t usual = options_.block_dim ? options_.block_dim : codegen::spirv::usual_block;
        const uint32_t block = task.block_dim ? task.block_dim : grid.block ? grid.block : usual;
        return std::make_shared<Loaded>(gpu().pipeline(words, block), block);
    }
    runtime::DeviceInfo info() override { return {gpu().name(), 1, uint64_t(1) << 31, false, false}; }

  private:
    Memory memory_;
    const runtime::DeviceOptions options_;
};

std::string nothing_missing() { return {}; }
backends::Caps caps(int) { return backends::spirv_caps(gpu().capabilities(), int(gpu().lanes())); }
std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &options) {
    return std::make_unique<Device>(options);
}

} // namespace

const backends::Backend vulkan = {"vulkan",
                                  nothing_missing,
                                  nothing_missing,
                                  caps,
                                  backends::spirv.legalize,
                                  backends::spirv.emit,
                                  backends::spirv.disassemble,
                                  open};

} // namespace qd::tests
