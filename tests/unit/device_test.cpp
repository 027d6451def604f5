// What a program asks of a device that does not share its memory with the host: `far`, whose addresses fault, and
// `null`, which counts.
#include "program_kernels.h"

#include "backends/backend.h"
#include "base/error.h"

#include <map>
#include <numeric>

namespace qd::test {
namespace {

using engine::Program;

std::unique_ptr<runtime::Device> open(const char *name) { return backends::find(name)->open({}); }

Options on(const char *arch) {
    Options o;
    o.arch = arch;
    o.offline_cache = false;
    o.verify = true;
    return o;
}

TEST(Far, memory_is_out_of_the_hosts_reach) {
    const auto device = open("far");
    const runtime::Buffer block = device->alloc(100);
    EXPECT_EQ(block.host, nullptr);
    EXPECT_EQ(block.address % 64, 0u);
    volatile char *p = reinterpret_cast<char *>(block.address);
    EXPECT_DEATH(p[0] = 1, "");
    {
        const runtime::HostAccess access(*device);
        EXPECT_EQ(p[99], 0);
    }
    EXPECT_DEATH(p[99] = 1, "");
    device->free(block);
}

TEST(Far, freed_memory_is_zero_when_it_is_given_out_again) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer first = device->alloc(5000);
    stream->fill(first.address, 7, 5000);
    stream->wait();
    device->free(first);
    const runtime::Buffer second = device->alloc(5000);
    EXPECT_EQ(second.address, first.address);
    std::vector<char> bytes(5000, 1);
    stream->download(bytes.data(), second.address, 5000);
    stream->wait();
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 5000);
    device->free(second);
}

TEST(Far, verbs_are_done_in_order_by_the_next_wait) {
    const auto device = open("far");
    const auto stream = device->open_stream();
    const runtime::Buffer block = device->alloc(64);
    int sent[4] = {1, 2, 3, 4}, got[4] = {};
    stream->upload(block.address, sent, sizeof sent);
    std::fill(std::begin(sent), std::end(sent), 0); // free for other uses
    stream->copy(block.address + 4, block.address, 8);
    stream->fill(block.address + 12, 0xff, 4);
    stream->download(got, block.address, sizeof got);
    EXPECT_EQ(got[0], 0) << "a stream of this device works when somebody waits";
    stream->wait();
    EXPECT_EQ(std::vector(got, got + 4), (std::vector{1, 1, 2, -1}));
    device->free(block);
}

TEST(Far, a_stream_waits_for_an_event_of_another) {
    const auto device = open("far");
    const auto first = device->open_stream(), second = device->open_stream();
    const runtime::Buffer block = device->alloc(8);
    const int sent = 5, later = 6;
    int got = 0;
    first->upload(block.address, &sent, 4);
    const runtime::Event event = first->record();
    first->upload(block.address, &later, 4);
    second->wait_for(event);
    second->download(&got, block.address, 4);
    second->wait();
    EXPECT_EQ(got, 5);
    first->wait();
    second->download(&got, block.address, 4);
    second->wait();
    EXPECT_EQ(got, 6);
    device->free(block);
}

/// An array in the memory of a program.
struct Array {
    Program &program;
    runtime::Buffer memory;
    size_t size;
    Array(Program &p, const std::vector<float> &values)
        : program(p), memory(p.alloc(4 * values.size())), size(values.size()) {
        program.upload(memory, 0, values.data(), 4 * size);
    }
    ~Array() { program.free(memory.address); }
    std::vector<float> values() const {
        std::vector<float> all(size);
        program.download(all.data(), memory, 0, 4 * size);
        return all;
    }
};

TEST(Far, kernels_run_and_return_values) {
    Program program(on("far"));
    EXPECT_FALSE(program.host_visible());
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 0.0f);
    const Array x(program, values), y(program, std::vector<float>(1000, 1.0f));
    uint64_t args[] = {std::bit_cast<uint32_t>(2.0f), x.memory.address, 1000, y.memory.address, 1000};
    program.launch(*program.compile(saxpy(), 0), args, nullptr);
    for (size_t i = 0; i < 1000; i++) ASSERT_EQ(y.values()[i], 2.0f * float(i) + 1.0f) << i;
    uint64_t result = 0, array[] = {x.memory.address, 1000};
    program.launch(*program.compile(sum(), 0), array, &result);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 499500.0f);
}

TEST(Far, an_array_of_the_host_is_refused_at_the_wait) {
    Program program(on("far"));
    std::vector<float> host(10);
    uint64_t result = 0, array[] = {reinterpret_cast<uint64_t>(host.data()), 10};
    const auto kernel = program.compile(sum(), 0);
    EXPECT_THROW(program.launch(*kernel, array, &result), InternalError);
    const Array x(program, std::vector<float>(10, 1.0f)); // the program goes on
    uint64_t own[] = {x.memory.address, 10};
    program.launch(*kernel, own, &result);
    EXPECT_EQ(std::bit_cast<float>(uint32_t(result)), 10.0f);
}

/// How often each verb of the device was called by `work`.
template <class F> std::map<std::string, uint64_t> calls(Program &program, F &&work) {
    std::map<std::string, uint64_t> made;
    const auto before = program.device_calls();
    work();
    const auto after = program.device_calls();
    for (size_t i = 0; i < after.size(); i++)
        if (after[i].second != before[i].second) made[after[i].first] = after[i].second - before[i].second;
    return made;
}
using Calls = std::map<std::string, uint64_t>;

TEST(Null, a_launch_is_one_transfer_each_way) {
    Program program(on("null"));
    const runtime::Buffer x = program.alloc(4000);
    uint64_t result = 0, args[] = {x.address, 1000};
    const auto kernel = program.compile(sum(), 0);
    const auto launch = [&] { program.launch(*kernel, args, &result); };
    calls(program, launch); // makes the buffers
    const uint64_t tasks = uint64_t(kernel_info(*kernel).tasks.size());
    EXPECT_EQ(calls(program, launch), (Calls{{"upload", 1}, {"launch", tasks}, {"download", 1}, {"wait", 1}}));
    EXPECT_GT(tasks, 1u);
    program.free(x.address);
}

TEST(Null, a_pattern_is_sent_once_and_doubled_on_the_device) {
    Program program(on("null"));
    const runtime::Buffer x = program.alloc(4096);
    const float one = 1;
    EXPECT_EQ(calls(program, [&] { program.repeat(x, &one, 4, 4096); }),
              (Calls{{"upload", 1}, {"copy", 10}, {"wait", 1}}));
    EXPECT_EQ(calls(program, [&] { program.repeat(x, &one, 4, 0); }), Calls{});
    program.free(x.address);
}

TEST(Null, blocks_have_addresses_of_their_own) {
    const auto device = open("null");
    const runtime::Buffer x = device->alloc(10);
    EXPECT_NE(x.address, device->alloc(10).address);
    device->free(x);
    const auto counts = device->calls();
    EXPECT_EQ(counts[0], (std::pair<std::string, uint64_t>("alloc", 2)));
    EXPECT_EQ(counts[1], (std::pair<std::string, uint64_t>("free", 1)));
}

TEST(Null, sparse_fields_need_a_runtime_on_the_device) {
    Program program(on("null"));
    ir::Place level;
    level.name = "level";
    level.level = true;
    level.shape = {64};
    level.index_offset = {0};
    ir::PlaceLevel &one = level.levels.emplace_back();
    one.kind = ir::LevelKind::bitmasked;
    one.node = 1;
    one.cell_bytes = 4;
    one.axes.push_back({});
    one.axes[0].extent = 64;
    EXPECT_THROW(program.add_tree(1024, {&level, 1}), UserError);
}

TEST(Backends, those_for_tests_are_not_offered) {
    for (const backends::Backend *backend : backends::all()) {
        EXPECT_NE(backend->name, "far");
        EXPECT_NE(backend->name, "null");
    }
    EXPECT_NE(backends::find("far"), nullptr);
    EXPECT_NE(backends::find("null"), nullptr);
}

} // namespace
} // namespace qd::test
