#include "engine/device_memory.h"

#include "base/error.h"
#include "engine/host_writes.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace qd::engine {

DeviceMemory::DeviceMemory(runtime::Device &device, Queues &queues) : device_(device), queues_(queues) {
    queues.memory = this;
    if (!queues.host_visible) transfers_ = std::make_unique<Transfers>();
}

DeviceMemory::~DeviceMemory() {
    queues_.memory = nullptr;
    transfers_ = nullptr;
    for (const auto &[address, block] : blocks_) device_.free(block.buffer);
}

runtime::Buffer DeviceMemory::take(uint64_t bytes) {
    const runtime::Buffer buffer = device_.alloc(std::max<uint64_t>(bytes, 1));
    const std::lock_guard guard(lock_);
    blocks_.emplace(buffer.address, Block{buffer, bytes});
    allocated_ += bytes;
    return buffer;
}

runtime::Buffer DeviceMemory::allocate(uint64_t bytes) {
    try {
        return take(bytes);
    } catch (const DeviceError &) {
        if (!queues_.has_pending()) throw;
    }
    queues_.wait();
    return take(bytes);
}

void DeviceMemory::free(uint64_t address) {
    if (!address) return;
    runtime::Buffer buffer;
    {
        const std::lock_guard guard(lock_);
        const auto block = blocks_.find(address);
        QD_CHECK(block != blocks_.end(), "freed memory that this program does not hold");
        buffer = block->second.buffer;
        allocated_ -= block->second.bytes;
        blocks_.erase(block);
        if (queues_.has_pending()) {
            retired_.push_back(buffer);
            return;
        }
    }
    device_.free(buffer);
}

void DeviceMemory::free_retired() {
    std::vector<runtime::Buffer> retired;
    {
        const std::lock_guard guard(lock_);
        retired.swap(retired_);
    }
    for (const runtime::Buffer &buffer : retired) device_.free(buffer);
}

uint64_t DeviceMemory::allocated_bytes() const {
    const std::lock_guard guard(lock_);
    return allocated_;
}

void DeviceMemory::upload(const runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes) {
    if (to.host) return copy_in_parallel(queues_.threads, to.host + at, from, bytes);
    queues_.wait();
    transfer([&](runtime::Stream &stream) { stream.upload(to.address + at, from, bytes); });
}

void DeviceMemory::download(void *to, const runtime::Buffer &from, uint64_t at, uint64_t bytes) {
    if (from.host) {
        std::memcpy(to, from.host + at, bytes);
        return;
    }
    queues_.wait();
    transfer([&](runtime::Stream &stream) { stream.download(to, from.address + at, bytes); });
}

void DeviceMemory::copy(const runtime::Buffer &to, const runtime::Buffer &from, uint64_t bytes) {
    if (to.host && from.host) return copy_in_parallel(queues_.threads, to.host, from.host, bytes);
    queues_.wait();
    transfer([&](runtime::Stream &stream) { stream.copy(to.address, from.address, bytes); });
}

namespace {

/// Fills a buffer of `bytes` with copies of its first `done` bytes. `copy(to, count)` copies `count` bytes from the start to offset `to`.
template <class F> void double_up(uint64_t done, uint64_t bytes, F &&copy) {
    while (done < bytes) {
        const uint64_t more = std::min(done, bytes - done);
        copy(done, more);
        done += more;
    }
}

} // namespace

void DeviceMemory::repeat(const runtime::Buffer &to, const void *pattern, uint64_t period, uint64_t bytes) {
    const uint64_t first = std::min(period, bytes);
    if (first == 0) return;
    if (to.host) return fill_in_parallel(queues_.threads, to.host, pattern, first, bytes);
    queues_.wait();
    transfer([&](runtime::Stream &stream) {
        stream.upload(to.address, pattern, first);
        double_up(first, bytes, [&](uint64_t at, uint64_t n) { stream.copy(to.address + at, to.address, n); });
    });
}

} // namespace qd::engine
