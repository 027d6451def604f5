#pragma once
#include <chrono>

namespace qd::engine {

class Stopwatch {
  public:
    double microseconds() const {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Microseconds that launches of this thread have spent compiling (shared_code.h).
inline thread_local double compiled_in_launches = 0;

/// Measures how long a task runs, excluding compilation during the run.
class TaskWatch {
  public:
    double microseconds() const { return watch_.microseconds() - (compiled_in_launches - before_); }

  private:
    double before_ = compiled_in_launches;
    Stopwatch watch_;
};

} // namespace qd::engine
