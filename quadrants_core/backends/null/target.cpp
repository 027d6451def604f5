// A backend for tests that compiles and runs nothing: its device counts the calls of each operation. Downloads give zeros.
#include "backends/backend.h"

#include "ir/text.h"
#include "runtime/host_memory.h"

#include <array>
#include <atomic>
#include <cstring>

namespace qd::backends {

namespace {

#define QD_VERBS(VERB)                                                                                                 \
    VERB(alloc)                                                                                                        \
    VERB(free)                                                                                                         \
    VERB(alloc_mapped)                                                                                                 \
    VERB(upload) VERB(download) VERB(copy) VERB(fill) VERB(load) VERB(launch) VERB(record) VERB(wait_for) VERB(wait)

#define VERB(name) name,
enum Verb { QD_VERBS(VERB) verbs };
#undef VERB
#define VERB(name) #name,
constexpr const char *names[verbs] = {QD_VERBS(VERB)};
#undef VERB
constexpr uint64_t first_address = uint64_t(1) << 62; ///< an address without memory

using Counts = std::array<std::atomic<uint64_t>, verbs>;

class NullStream final : public runtime::Stream {
  public:
    explicit NullStream(Counts &counts) : counts_(counts) {}
    void upload(uint64_t, const void *, uint64_t) override { counts_[Verb::upload]++; }
    void download(void *to, uint64_t, uint64_t bytes) override {
        counts_[Verb::download]++;
        std::memset(to, 0, bytes);
    }
    void copy(uint64_t, uint64_t, uint64_t) override { counts_[Verb::copy]++; }
    void fill(uint64_t, uint8_t, uint64_t) override { counts_[Verb::fill]++; }
    void launch(runtime::LoadedTask &, const abi::Task &, abi::Launch &) override { counts_[Verb::launch]++; }
    std::optional<double> launch_sections(std::span<const runtime::SectionTask>, const abi::Launch &) override {
        return std::nullopt;
    }
    runtime::Event record() override {
        counts_[Verb::record]++;
        return {this, 0};
    }
    void wait_for(const runtime::Event &) override { counts_[Verb::wait_for]++; }
    abi::HeapUse take_heap_use() override { return {}; }
    void wait() override { counts_[Verb::wait]++; }

  private:
    Counts &counts_;
};

class NullDevice final : public runtime::Device {
  public:
    runtime::Buffer alloc(uint64_t bytes) override {
        counts_[Verb::alloc]++;
        return {this, next_.fetch_add((bytes + 63) / 64 * 64), nullptr};
    }
    runtime::Buffer alloc_mapped(uint64_t bytes) override {
        counts_[Verb::alloc_mapped]++;
        char *memory = static_cast<char *>(runtime::host_alloc(bytes));
        return {this, reinterpret_cast<uint64_t>(memory), memory};
    }
    void free(const runtime::Buffer &buffer) override {
        counts_[Verb::free] += buffer.address != 0;
        if (buffer.host) runtime::host_free(buffer.host);
    }
    std::unique_ptr<runtime::Stream> open_stream() override { return std::make_unique<NullStream>(counts_); }
    std::shared_ptr<runtime::LoadedTask> load(const abi::Task &, const abi::Binary &) override {
        counts_[Verb::load]++;
        return std::make_shared<runtime::LoadedTask>();
    }
    runtime::DeviceInfo info() override { return {"null", 1, uint64_t(1) << 40, false, false}; }
    std::vector<std::pair<std::string, uint64_t>> calls() override {
        std::vector<std::pair<std::string, uint64_t>> all;
        for (int verb = 0; verb < verbs; verb++) all.emplace_back(names[verb], counts_[size_t(verb)].load());
        return all;
    }

  private:
    Counts counts_{};
    std::atomic<uint64_t> next_{first_address};
};

Caps caps(int) {
    Caps caps;
    caps.vector_bytes = 0;
    caps.bounds_from_tasks = true;
    caps.target = "null";
    return caps;
}

std::span<const passes::Pass> legalize(const Caps &) {
    static const passes::Pass list[] = {*passes::find("chunk_ranges")};
    return list;
}

abi::Binary emit(const ir::Function &task, const Caps &, Tier, SpanQuery *) {
    const std::string text = ir::print(task);
    return {"null", {text.begin(), text.end()}};
}

std::string disassemble(const ir::Function &task, const Caps &, Tier, Listing) { return ir::print(task); }

std::string nothing_missing() { return {}; }

std::unique_ptr<runtime::Device> open(const runtime::DeviceOptions &) { return std::make_unique<NullDevice>(); }

} // namespace

const Backend null = {"null", nothing_missing, nothing_missing, caps, legalize, emit, disassemble, open};

} // namespace qd::backends
