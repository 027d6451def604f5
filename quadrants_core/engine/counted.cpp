// Readings of the coverage counters, including those of destroyed kernels.
#include "engine/observation.h"
#include "engine/remote_launch.h"

#include <chrono>
#include <thread>
#include <tuple>

namespace qd::engine {

bool CounterOrder::operator()(const CounterValue &a, const CounterValue &b) const {
    auto key = [](const CounterValue &c) {
        return std::tie(c.at.file, c.at.line, c.at.column, c.at.end_line, c.at.end_column, c.what, c.backward,
                        c.at.scope, c.copy);
    };
    return key(a) < key(b);
}

namespace {

/// Adds to the entry of the same kind and location.
void add_count(Counts &counts, const CounterValue &value, uint64_t n) {
    const auto at = counts.insert({value.what, value.at, 0, value.copy, 0, value.backward}).first;
    const_cast<CounterValue &>(*at).count += n; // not part of the order
}

uint64_t count_now(const CompiledKernel &kernel, size_t i) {
    return __atomic_load_n(&kernel.counts[kernel.counters[i].place], __ATOMIC_RELAXED);
}

uint64_t sum_of(const CompiledKernel &kernel) {
    uint64_t sum = 0;
    for (const uint64_t &count : kernel.counts) sum += __atomic_load_n(&count, __ATOMIC_RELAXED);
    return sum;
}

} // namespace

void Observation::add_counts(Counted &all, const CompiledKernel &kernel) {
    all.title = kernel.title;
    for (size_t i = 0; i < kernel.counts.size(); i++) add_count(all.counts, kernel.counters[i], count_now(kernel, i));
}

void Observation::retire(CompiledKernel &kernel) {
    const std::lock_guard guard(lock_);
    if (!kernel.counts.empty()) {
        Counted &gone = retired_[{kernel.info.name, kernel.specialisation}];
        add_counts(gone, kernel);
        const uint64_t sum = sum_of(kernel);
        gone.changed = sum == kernel.read_sum ? kernel.changed : ++readings_;
        retired_sum_ += sum;
    }
    std::erase(kernels_, &kernel);
}

void set_title(CompiledKernel &kernel, std::string title, bool backward) {
    kernel.title = std::move(title);
    kernel.read_sum = ~uint64_t(0); // reports it again under the new title
    for (CounterValue &counter : kernel.counters) counter.backward = backward;
}

void Observation::fetch_counts() {
    Stream &stream = queues_.main;
    if (queues_.host_visible || stream.launching.is_abandoned()) return;
    const BetweenLaunches guard(stream); // a thread that holds the lock may be about to fetch them
    settle_launches(queues_);
}

void Observation::ask_for_counts() {
    if (!queues_.host_visible) return fetch_counts();
    Stream &stream = queues_.main;
    if (!stream.launching.is_held()) return;
    const uint32_t question = __atomic_add_fetch(&stream.count_requests, 1u, __ATOMIC_RELAXED);
    __atomic_store_n(&stream.polled->counts_requested, question ? question : 1u, __ATOMIC_RELAXED);
    // A task that does not reach a check in this time has its answer ready for the next question.
    for (int pause = 50; pause < 2000 && stream.launching.is_held() &&
                         __atomic_load_n(&stream.polled->counts_requested, __ATOMIC_RELAXED);
         pause *= 2)
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
}

std::vector<CounterValue> Observation::coverage() {
    ask_for_counts();
    const std::lock_guard guard(lock_);
    Counts sum;
    const auto add = [&](CounterValue value, uint64_t n) {
        value.copy = 0;
        add_count(sum, value, n);
    };
    for (const auto &[kernel, gone] : retired_)
        for (const CounterValue &value : gone.counts) add(value, value.count);
    for (const CompiledKernel *kernel : kernels_)
        for (size_t i = 0; i < kernel->counts.size(); i++) add(kernel->counters[i], count_now(*kernel, i));
    return {sum.begin(), sum.end()};
}

std::pair<uint64_t, std::vector<KernelCoverage>> Observation::coverage_by_kernel(uint64_t since) {
    ask_for_counts();
    const std::lock_guard guard(lock_);
    const uint64_t now = ++readings_;
    std::vector<KernelCoverage> out;
    const auto add = [&](const std::string &kernel, uint32_t specialisation, const Counted &one) {
        out.push_back({kernel, one.title, specialisation, {one.counts.begin(), one.counts.end()}});
    };
    for (const auto &[kernel, one] : retired_)
        if (one.changed > since) add(kernel.first, kernel.second, one);
    for (CompiledKernel *kernel : kernels_) {
        if (kernel->counts.empty()) continue;
        if (const uint64_t sum = sum_of(*kernel); sum != kernel->read_sum) {
            kernel->read_sum = sum;
            kernel->changed = now;
        }
        if (kernel->changed <= since) continue;
        Counted one;
        add_counts(one, *kernel);
        add(kernel->info.name, kernel->specialisation, one);
    }
    return {now, std::move(out)};
}

std::pair<uint64_t, uint64_t> Observation::counted() {
    ask_for_counts();
    const std::lock_guard guard(lock_);
    uint64_t sum = retired_sum_;
    for (const CompiledKernel *kernel : kernels_) sum += sum_of(*kernel);
    return {adopted_, sum};
}

void Observation::clear_coverage() {
    fetch_counts();
    const std::lock_guard guard(lock_);
    retired_.clear();
    retired_sum_ = 0;
    for (CompiledKernel *kernel : kernels_) {
        for (uint64_t &count : kernel->counts) __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
        kernel->read_sum = ~uint64_t(0);
    }
    cleared_.fetch_add(1, std::memory_order_release);
}

} // namespace qd::engine
