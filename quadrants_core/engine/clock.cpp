#include "device_lib/clock.h"

#include "engine/program.h"
#include "engine/stopwatch.h"

#include <thread>

namespace qd::engine {

#if defined(__aarch64__)
double clock_frequency() {
    uint64_t frequency;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    return double(frequency);
}
#else
/// The time stamp counter runs at a constant rate that the processor does not report, so it is measured once.
double clock_frequency() {
    static const double measured = [] {
        constexpr double enough = 20'000; // microseconds
        const Stopwatch watch;
        const int64_t start = device_lib::clock();
        while (watch.microseconds() < enough) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const int64_t ticks = device_lib::clock() - start;
        return double(ticks) / watch.microseconds() * 1e6;
    }();
    return measured;
}
#endif

} // namespace qd::engine
