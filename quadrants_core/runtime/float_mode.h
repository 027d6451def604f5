#pragma once
// The treatment of subnormal floats on a thread: with fast_math they are flushed to zero, as operands and as results; otherwise they follow
// IEEE 754. Pool threads take the mode of the thread whose job they run.
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace qd::runtime {

enum class Subnormals : bool { kept, flushed };

#if defined(__x86_64__)
inline constexpr uint32_t flush_bits = 0x8040; // flush to zero, denormals are zero
inline uint32_t float_control() { return _mm_getcsr(); }
inline void set_float_control(uint32_t bits) { _mm_setcsr(bits); }
#elif defined(__aarch64__)
inline constexpr uint32_t flush_bits = 1u << 24; // FZ
inline uint32_t float_control() {
    uint64_t bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return uint32_t(bits);
}
inline void set_float_control(uint32_t bits) { asm volatile("msr fpcr, %0" ::"r"(uint64_t(bits))); }
#endif

inline uint32_t with(Subnormals mode, uint32_t control) {
    return mode == Subnormals::flushed ? control | flush_bits : control & ~flush_bits;
}

inline Subnormals subnormals_now() { return Subnormals((float_control() & flush_bits) == flush_bits); }

/// Sets the mode of this thread.
inline void set_subnormals(Subnormals wanted) {
    const uint32_t now = float_control(), then = with(wanted, now);
    if (then != now) set_float_control(then);
}

/// Sets the mode of this thread for the lifetime of this object if `wanted`, then restores the previous one.
class FloatMode {
  public:
    explicit FloatMode(Subnormals mode, bool wanted = true)
        : before_(wanted ? float_control() : 0), switches_(wanted && with(mode, before_) != before_) {
        if (switches_) set_float_control(with(mode, before_));
    }
    ~FloatMode() {
        if (switches_) set_float_control(before_);
    }
    FloatMode(const FloatMode &) = delete;

  private:
    const uint32_t before_;
    const bool switches_;
};

} // namespace qd::runtime
