#pragma once
// Launches that go on without the GIL: how many there are, and for whoever looks on, which.
#include "engine/program.h"
#include "python/bind/plan.h"

#include <chrono>

namespace qd::bind {

/// One of them. The GIL is held where it begins and where it ends.
class RunningLaunch {
  public:
    /// `kernel` null: of a Stepper.
    RunningLaunch(const engine::CompiledKernel &code, KernelObject *kernel);
    ~RunningLaunch();
    RunningLaunch(const RunningLaunch &) = delete;

    const engine::CompiledKernel &code;
    const uint64_t number; ///< of all that there were
    RunningLaunch *before, *after = nullptr;

  private:
    KernelObject *const kernel_;
    const uint64_t began_;
};

/// GIL held: [(kernel, specialisation, number)]
PyObject *running_launches();
/// How many there were so far.
uint64_t launches_made();
/// Of a kernel: (number, seconds) of the newest that has ended; (0, 0.0) if there was none.
PyObject *newest_launch(PyObject *kernel, PyObject *);

/// A clock that is cheap to ask rather than exact.
#if defined(__x86_64__)
inline uint64_t ticks() { return __builtin_ia32_rdtsc(); }
constexpr uint64_t ticks_in_microsecond = 2'000; // or more
#else
inline uint64_t ticks() {
    return uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}
constexpr uint64_t ticks_in_microsecond = 1'000;
#endif

} // namespace qd::bind
