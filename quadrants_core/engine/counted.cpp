// Readings of the coverage counters, including those of destroyed kernels.
#include "engine/program_impl.h"
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

void add_count(Counts &counts, const CounterValue &value, uint64_t n) {
    const auto at = counts.insert({value.what, value.at, 0, value.copy, 0, value.backward}).first;
    const_cast<CounterValue &>(*at).count += n; // not part of the order
}

namespace {

uint64_t count_now(const CompiledKernel &kernel, size_t i) {
    return __atomic_load_n(&kernel.counts[kernel.counters[i].place], __ATOMIC_RELAXED);
}

void add_counts(SpecialisationCounts &all, const CompiledKernel &kernel) {
    all.title = kernel.title;
    for (size_t i = 0; i < kernel.counts.size(); i++) add_count(all.counts, kernel.counters[i], count_now(kernel, i));
}

uint64_t sum_of(const CompiledKernel &kernel) {
    uint64_t sum = 0;
    for (const uint64_t &count : kernel.counts) sum += __atomic_load_n(&count, __ATOMIC_RELAXED);
    return sum;
}

} // namespace

void Program::Impl::retire(CompiledKernel &kernel) {
    const std::lock_guard guard(watch_lock);
    if (!kernel.counts.empty()) {
        engine::SpecialisationCounts &gone = retired.kernels[{kernel.info.name, kernel.specialisation}];
        add_counts(gone, kernel);
        const uint64_t sum = sum_of(kernel);
        gone.changed = sum == kernel.read_sum ? kernel.changed : ++retired.readings;
        retired.sum += sum;
    }
    std::erase(kernels, &kernel);
}

void set_title(CompiledKernel &kernel, std::string title, bool backward) {
    kernel.title = std::move(title);
    kernel.read_sum = ~uint64_t(0); // reports it again under the new title
    for (CounterValue &counter : kernel.counters) counter.backward = backward;
}

void Program::Impl::fetch_counts() {
    if (host_visible || main.launching.is_abandoned()) return;
    const BetweenLaunches guard(main); // a thread that holds the lock may be about to fetch them
    settle_launches(*this);
}

void Program::Impl::ask_for_counts() {
    if (!host_visible) return fetch_counts();
    if (!main.launching.is_held()) return;
    const uint32_t question = __atomic_add_fetch(&main.count_requests, 1u, __ATOMIC_RELAXED);
    __atomic_store_n(&main.counts_requested, question ? question : 1u, __ATOMIC_RELAXED);
    // A task that does not reach a check in this time has its answer ready for the next question.
    for (int pause = 50;
         pause < 2000 && main.launching.is_held() && __atomic_load_n(&main.counts_requested, __ATOMIC_RELAXED);
         pause *= 2)
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
}

std::vector<CounterValue> Program::coverage() const {
    impl_->ask_for_counts();
    const std::lock_guard guard(impl_->watch_lock);
    Counts sum;
    const auto add = [&](CounterValue value, uint64_t n) {
        value.copy = 0;
        add_count(sum, value, n);
    };
    for (const auto &[kernel, gone] : impl_->retired.kernels)
        for (const CounterValue &value : gone.counts) add(value, value.count);
    for (const CompiledKernel *kernel : impl_->kernels)
        for (size_t i = 0; i < kernel->counts.size(); i++) add(kernel->counters[i], count_now(*kernel, i));
    return {sum.begin(), sum.end()};
}

std::pair<uint64_t, std::vector<KernelCoverage>> Program::coverage_by_kernel(uint64_t since) const {
    impl_->ask_for_counts();
    const std::lock_guard guard(impl_->watch_lock);
    const uint64_t now = ++impl_->retired.readings;
    std::vector<KernelCoverage> out;
    const auto add = [&](const std::string &kernel, uint32_t specialisation, const SpecialisationCounts &one) {
        out.push_back({kernel, one.title, specialisation, {one.counts.begin(), one.counts.end()}});
    };
    for (const auto &[kernel, one] : impl_->retired.kernels)
        if (one.changed > since) add(kernel.first, kernel.second, one);
    for (CompiledKernel *kernel : impl_->kernels) {
        if (kernel->counts.empty()) continue;
        if (const uint64_t sum = sum_of(*kernel); sum != kernel->read_sum) {
            kernel->read_sum = sum;
            kernel->changed = now;
        }
        if (kernel->changed <= since) continue;
        SpecialisationCounts one;
        add_counts(one, *kernel);
        add(kernel->info.name, kernel->specialisation, one);
    }
    return {now, std::move(out)};
}

std::pair<uint64_t, uint64_t> Program::counted() const {
    impl_->ask_for_counts();
    const std::lock_guard guard(impl_->watch_lock);
    uint64_t sum = impl_->retired.sum;
    for (const CompiledKernel *kernel : impl_->kernels) sum += sum_of(*kernel);
    return {impl_->adopted, sum};
}

void Program::clear_coverage() {
    impl_->fetch_counts();
    const std::lock_guard guard(impl_->watch_lock);
    impl_->retired.kernels.clear();
    impl_->retired.sum = 0;
    for (CompiledKernel *kernel : impl_->kernels) {
        for (uint64_t &count : kernel->counts) __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
        kernel->read_sum = ~uint64_t(0);
    }
    impl_->cleared.fetch_add(1, std::memory_order_release);
}

} // namespace qd::engine
