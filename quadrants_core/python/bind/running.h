#pragma once
// Launches that run without the GIL: their number, and a list of them for observers.
#include "engine/program.h"
#include "python/bind/plan.h"

#include <chrono>

namespace qd::bind {

/// One such launch. The GIL is held at its construction and destruction.
class RunningLaunch {
  public:
    /// `kernel` is null for the launch of a Stepper.
    RunningLaunch(const engine::CompiledKernel &code, KernelObject *kernel);
    ~RunningLaunch();
    RunningLaunch(const RunningLaunch &) = delete;

    const engine::CompiledKernel &code;
    const uint64_t number; ///< number among all launches so far
    RunningLaunch *before, *after = nullptr;

  private:
    KernelObject *const kernel_;
    const uint64_t began_;
};

/// GIL held: returns [(kernel, specialisation, number)]
PyObject *running_launches();
/// Returns the number of such launches so far.
uint64_t launches_made();
/// Returns (number, seconds) of the most recent completed launch of a kernel; (0, 0.0) if there was none.
PyObject *newest_launch(PyObject *kernel, PyObject *);

/// A clock that is cheap to read rather than exact.
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
