#pragma once
// What the processor does with subnormal floats on a thread: with fast_math they are zero, as operands and as results; else they are as
// IEEE 754 says. Threads of the pool have the mode of the thread whose job they run.
#include <cstdint>

namespace qd::runtime {

enum class Subnormals : bool { kept, flushed };

Subnormals subnormals_now();
void set_subnormals(Subnormals wanted); ///< on this thread

/// The mode of this thread for as long as it lives, if one is `wanted`; then the one before.
class FloatMode {
  public:
    explicit FloatMode(Subnormals mode, bool wanted = true);
    ~FloatMode();
    FloatMode(const FloatMode &) = delete;

  private:
    uint64_t before_ = 0;
    bool changed_ = false;
};

} // namespace qd::runtime
