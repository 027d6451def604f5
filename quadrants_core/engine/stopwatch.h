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

/// Microseconds that launches of this thread compiled so far (shared_code.h).
inline thread_local double compiled_in_launches = 0;

/// How long a task runs, without what was compiled meanwhile.
class TaskWatch {
  public:
    double microseconds() const { return watch_.microseconds() - (compiled_in_launches - before_); }

  private:
    double before_ = compiled_in_launches;
    Stopwatch watch_;
};

} // namespace qd::engine
