#include "debugging.h"

#include <cstring>
#include <thread>

namespace qd::kernel {

void Debugging::ask(wire::Message request) {
    std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    asked_.notify_one();
    if (!started_) std::thread([this] { run(); }).detach(); // it may be waiting for Python when the process ends
    started_ = true;
}

std::deque<Debugging::Reply> Debugging::take() {
    std::lock_guard lock(mutex_);
    return std::exchange(replies_, {});
}

void Debugging::run() {
    for (;;) {
        std::unique_lock lock(mutex_);
        asked_.wait(lock, [this] { return !requests_.empty(); });
        wire::Message request = std::move(requests_.front());
        requests_.pop_front();
        lock.unlock();
        wire::Json content = answer_(request);
        lock.lock();
        replies_.push_back({std::move(request), std::move(content)});
        lock.unlock();
        ready_();
    }
}

uint32_t murmur2(std::string_view text, uint32_t seed) {
    constexpr uint32_t m = 0x5bd1e995;
    uint32_t h = seed ^ uint32_t(text.size());
    size_t at = 0;
    for (; at + 4 <= text.size(); at += 4) {
        uint32_t k;
        memcpy(&k, text.data() + at, 4);
        k *= m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }
    if (at < text.size()) {
        for (size_t i = 0; at + i < text.size(); i++) h ^= uint32_t(uint8_t(text[at + i])) << 8 * i;
        h *= m;
    }
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

} // namespace qd::kernel
