#include "backends/cpu/elf.h"
#include "base/floor_division.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <strings.h>

// libgcc's conversions of f16, for processors without instructions for them. They take and return f16 in SIMD registers as LLVM does.
extern "C" const char __extendhfsf2[], __truncsfhf2[], __truncdfhf2[];

// Functions of `n` lanes, whose results overwrite the first argument, for cases where a short instruction sequence is not exact.
extern "C" {
void qd_sinf(float *x, int n);
void qd_cosf(float *x, int n);
void qd_floor_divf(float *x, const float *y, int n);
void qd_floor_div(double *x, const double *y, int n);
void qd_floor_modf(float *x, const float *y, int n);
void qd_floor_mod(double *x, const double *y, int n);
}

void qd_sinf(float *x, int n) {
    for (int i = 0; i < n; ++i) x[i] = std::sin(x[i]);
}
void qd_cosf(float *x, int n) {
    for (int i = 0; i < n; ++i) x[i] = std::cos(x[i]);
}
void qd_floor_divf(float *x, const float *y, int n) {
    for (int i = 0; i < n; ++i) x[i] = qd::floor_div(x[i], y[i]);
}
void qd_floor_div(double *x, const double *y, int n) {
    for (int i = 0; i < n; ++i) x[i] = qd::floor_div(x[i], y[i]);
}
void qd_floor_modf(float *x, const float *y, int n) {
    for (int i = 0; i < n; ++i) x[i] = qd::floor_mod(x[i], y[i]);
}
void qd_floor_mod(double *x, const double *y, int n) {
    for (int i = 0; i < n; ++i) x[i] = qd::floor_mod(x[i], y[i]);
}

namespace qd::backends {

namespace {

struct External {
    std::string_view name;
    const void *address;
};

const External externals[] = {
#define FUNCTION(name) {#name, reinterpret_cast<const void *>(static_cast<decltype(&::name)>(&::name))},
#include "backends/cpu/externals.def"
    {"__extendhfsf2", __extendhfsf2},
    {"__truncsfhf2", __truncsfhf2},
    {"__truncdfhf2", __truncdfhf2},
};

} // namespace

const void *external_function(std::string_view name) {
    auto found =
        std::find_if(std::begin(externals), std::end(externals), [&](const External &e) { return e.name == name; });
    return found == std::end(externals) ? nullptr : found->address;
}

} // namespace qd::backends
