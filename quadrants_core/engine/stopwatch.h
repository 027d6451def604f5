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

} // namespace qd::engine
