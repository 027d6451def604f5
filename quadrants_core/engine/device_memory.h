#pragma once
// The device memory of a program. May be called from any thread.
#include "base/fork.h"
#include "engine/queues.h"
#include "runtime/buffer.h"
#include "runtime/device.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qd::engine {

class DeviceMemory {
  public:
    DeviceMemory(runtime::Device &device, Queues &queues);
    ~DeviceMemory(); ///< frees everything
    DeviceMemory(const DeviceMemory &) = delete;

    /// Returns zeroed memory. If there is none left, waits for pending launches, which may return some.
    runtime::Buffer allocate(uint64_t bytes);
    /// The same without waiting, for a caller that holds the lock of launches.
    runtime::Buffer take(uint64_t bytes);
    /// Freeing address 0 does nothing. Pending launches may still use the memory.
    void free(uint64_t address);
    /// Frees the memory that was released while launches were pending, which have ended.
    void free_retired();
    uint64_t allocated_bytes() const;
    /// True if buffers have an address for the host.
    bool host_visible() const { return queues_.host_visible; }

    // Transfers between the host and a buffer, from byte `at` of it on, and between buffers. They come after all launches, and are complete
    // on return.
    void upload(const runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes);
    void download(void *to, const runtime::Buffer &from, uint64_t at, uint64_t bytes);
    void copy(const runtime::Buffer &to, const runtime::Buffer &from, uint64_t bytes);
    /// Fills `bytes` with a repeated pattern of `period` bytes.
    void repeat(const runtime::Buffer &to, const void *pattern, uint64_t period, uint64_t bytes);
    /// Runs `verbs` on the transfer stream, and waits for them, but not for launches.
    template <class F> void transfer(F &&verbs) {
        const std::lock_guard guard(transfers_->lock);
        std::unique_ptr<runtime::Stream> &stream = transfers_->stream;
        if (!stream) stream = device_.open_stream();
        verbs(*stream);
        stream->wait();
    }

    /// Names and numbers, for a device that counts the calls of its methods.
    std::vector<std::pair<std::string, uint64_t>> device_calls() const { return device_.calls(); }

  private:
    struct Block {
        runtime::Buffer buffer;
        uint64_t bytes;
    };

    runtime::Device &device_;
    Queues &queues_;
    mutable ForkLockedMutex lock_;
    std::unordered_map<uint64_t, Block> blocks_; ///< by address
    uint64_t allocated_ = 0;
    std::vector<runtime::Buffer> retired_; ///< freed while pending launches may still use it
    struct Transfers {
        ForkResetMutex lock;
        std::unique_ptr<runtime::Stream> stream; ///< created on first use
    };
    std::unique_ptr<Transfers> transfers_; ///< null if the host sees all buffers
};

} // namespace qd::engine
