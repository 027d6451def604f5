#include "engine/host_writes.h"

#include "runtime/pool.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace qd::engine {
namespace {

constexpr uint64_t shared_from = 8u << 20; ///< smaller buffers are not worth waking threads
constexpr uint64_t piece = 2u << 20;       ///< a huge page
constexpr uint64_t pattern_bytes = 64u << 10;

/// Calls write(at, bytes) for the pieces of a buffer.
template <class Write> void in_parallel(int threads, uint64_t bytes, const Write &write) {
    if (threads < 2 || bytes < shared_from) return write(uint64_t(0), bytes);
    struct Job {
        const Write &write;
        uint64_t bytes, step;
        static void run(const void *self, uint32_t, uint32_t number) {
            const Job &job = *static_cast<const Job *>(self);
            const uint64_t at = number * job.step;
            job.write(at, std::min(job.step, job.bytes - at));
        }
    };
    const uint64_t most = runtime::Pool::max_chunks;
    const uint64_t step = ((bytes + most - 1) / most + piece - 1) / piece * piece;
    const Job job{write, bytes, step};
    runtime::Pool::shared(threads)->run(Job::run, &job, uint32_t((bytes + step - 1) / step));
}

} // namespace

void copy_in_parallel(int threads, char *to, const void *from, uint64_t bytes) {
    in_parallel(threads, bytes,
                [&](uint64_t at, uint64_t n) { std::memcpy(to + at, static_cast<const char *>(from) + at, n); });
}

void fill_in_parallel(int threads, char *to, const void *pattern, uint64_t period, uint64_t bytes) {
    // Whole periods, long enough that each copy is worth its call, but at most one buffer's worth.
    const uint64_t times = std::max<uint64_t>(1, std::min(pattern_bytes, bytes) / period);
    std::vector<char> block(times * period);
    for (uint64_t n = 0; n < times; n++) std::memcpy(block.data() + n * period, pattern, period);
    in_parallel(threads, bytes, [&](uint64_t at, uint64_t n) {
        uint64_t skip = at % period;
        for (uint64_t done = 0; done < n; skip = 0) {
            const uint64_t some = std::min(block.size() - skip, n - done);
            std::memcpy(to + at + done, block.data() + skip, some);
            done += some;
        }
    });
}

} // namespace qd::engine
