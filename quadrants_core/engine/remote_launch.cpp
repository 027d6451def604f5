#include "engine/remote_launch.h"

#include "engine/stopwatch.h"

#include <cstring>

namespace qd::engine {
namespace {

/// What tasks set or look at.
struct Words {
    uint32_t failed = 0, asked = 0;
};

/// Arguments, words, counters, results: where they lie in the block, in bytes.
struct Places {
    uint64_t words, counters, results, end;
    explicit Places(const CompiledKernel &kernel)
        : words(8 * uint64_t(kernel.info.slots)), counters(words + sizeof(Words)),
          results(counters + 8 * kernel.counts.size()), end(results + kernel.info.ret_bytes) {}
};

void need_block(Program::Impl &p, Stream &stream, uint64_t bytes) {
    if (bytes <= stream.block_bytes) return;
    p.device->free(stream.block);
    stream.block = {};
    stream.block_bytes = 0;
    stream.block = p.device->alloc(bytes);
    stream.block_bytes = bytes;
}

template <class T> T *at(uint64_t address) { return reinterpret_cast<T *>(address); }

} // namespace

void run_remote(Program::Impl &p, const CompiledKernel &called, CompiledKernel &kernel, const uint64_t *args,
                void *ret) {
    Stream &stream = p.main;
    runtime::Stream &queue = *stream.queue;
    const Places places(kernel);
    need_block(p, stream, places.end);
    const uint64_t block = stream.block.address;
    std::vector<char> host(places.end);
    std::memcpy(host.data(), args, places.words);
    queue.upload(block, host.data(), places.results);

    abi::Launch launch = stream.start;
    launch.data.args = at<uint64_t>(block);
    launch.data.ret = at<char>(block + places.results);
    launch.data.failed = at<uint32_t>(block + places.words + offsetof(Words, failed));
    launch.data.asked = at<uint32_t>(block + places.words + offsetof(Words, asked));
    for (KernelTask &task : kernel.tasks) {
        const uint64_t first = uint64_t(task.counters - kernel.counts.data());
        launch.data.counters = kernel.counts.empty() ? nullptr : at<uint64_t>(block + places.counters) + first;
        launch.host.task = &task;
        const Stopwatch watch;
        queue.launch(*task.code->current.load(std::memory_order_acquire), *task.info, launch);
        if (!p.options.kernel_profiler) continue;
        queue.wait();
        p.profile.add(called.info.name, task.info->name, watch.microseconds());
    }
    queue.download(host.data() + places.words, block + places.words, places.end - places.words);
    queue.wait();

    Words words;
    std::memcpy(&words, host.data() + places.words, sizeof words);
    stream.failed = words.failed;
    for (size_t i = 0; i < kernel.counts.size(); i++) {
        uint64_t more;
        std::memcpy(&more, host.data() + places.counters + 8 * i, 8);
        if (more) __atomic_fetch_add(&kernel.counts[i], more, __ATOMIC_RELAXED);
    }
    if (kernel.info.ret_bytes) std::memcpy(ret, host.data() + places.results, kernel.info.ret_bytes);
}

} // namespace qd::engine
