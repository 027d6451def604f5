#include "runtime/float_mode.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace qd::runtime {
namespace {

#if defined(__x86_64__)
constexpr uint64_t flush_bits = 0x8040; // flush to zero, denormals are zero
uint64_t float_control() { return _mm_getcsr(); }
void set_float_control(uint64_t bits) { _mm_setcsr(uint32_t(bits)); }
#elif defined(__aarch64__)
constexpr uint64_t flush_bits = 1u << 24; // FZ
uint64_t float_control() {
    uint64_t bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
}
void set_float_control(uint64_t bits) { asm volatile("msr fpcr, %0" ::"r"(bits)); }
#endif

uint64_t with(Subnormals mode, uint64_t control) {
    return mode == Subnormals::flushed ? control | flush_bits : control & ~flush_bits;
}

} // namespace

Subnormals subnormals_now() { return Subnormals((float_control() & flush_bits) == flush_bits); }

void set_subnormals(Subnormals wanted) {
    const uint64_t now = float_control(), then = with(wanted, now);
    if (then != now) set_float_control(then);
}

FloatMode::FloatMode(Subnormals mode, bool wanted) {
    if (!wanted) return;
    before_ = float_control();
    const uint64_t then = with(mode, before_);
    changed_ = then != before_;
    if (changed_) set_float_control(then);
}
FloatMode::~FloatMode() {
    if (changed_) set_float_control(before_);
}

} // namespace qd::runtime
