// Hand-written kernels in which particles add to a grid, in two ways: with atomics, and with a private grid for each thread, summed
// afterwards.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <omp.h>
#include <type_traits>
#include <vector>

namespace {

struct Atomics {
    template <class T> static void add(T &to, T value) {
#pragma omp atomic
        to += value;
    }
};
struct Copies {
    template <class T> static void add(T &to, T value) { to += value; }
};

/// Adds to `out` the values that `body(first, last, to)` adds to a zeroed array, over [0, n) on all threads.
template <class Way, class T, class Body> void accumulate(T *out, int64_t size, int64_t n, Body body) {
    static std::vector<std::vector<T>> copies;
    const int threads = omp_get_max_threads();
    if (std::is_same_v<Way, Copies>) copies.resize(size_t(threads));
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
        T *to = out;
        if (std::is_same_v<Way, Copies>) {
            copies[size_t(me)].assign(size_t(size), T(0));
            to = copies[size_t(me)].data();
        }
        body(n * me / threads, n * (me + 1) / threads, to);
        if (std::is_same_v<Way, Copies>) {
#pragma omp barrier
            for (int64_t i = size * me / threads; i < size * (me + 1) / threads; i++)
                for (int k = 0; k < threads; k++) out[i] += copies[size_t(k)][size_t(i)];
        }
    }
}

template <class Way> void histogram(int32_t *out, int64_t bins, const int32_t *keys, int64_t n) {
    std::memset(out, 0, size_t(bins) * 4);
    accumulate<Way>(out, bins, n, [&](int64_t first, int64_t last, int32_t *to) {
        for (int64_t i = first; i < last; i++) Way::add(to[keys[i]], 1);
    });
}

template <class Way> void deposit(float *grid, int64_t cells, const float *x, const float *y, int64_t n) {
    std::memset(grid, 0, size_t(cells * cells) * 4);
    accumulate<Way>(grid, cells * cells, n, [&](int64_t first, int64_t last, float *to) {
        for (int64_t p = first; p < last; p++) {
            const float u = x[p] * float(cells - 1), v = y[p] * float(cells - 1);
            const int i = int(u), j = int(v);
            const float a = u - float(i), b = v - float(j);
            float *at = to + i * cells + j;
            Way::add(at[0], (1 - a) * (1 - b));
            Way::add(at[1], (1 - a) * b);
            Way::add(at[cells], a * (1 - b));
            Way::add(at[cells + 1], a * b);
        }
    });
}

/// Sorts particles by counting into cells of the size of the kernel's support, then sums over 27 cells.
template <class Way>
void sph(float *density, const float *x, int64_t n, int64_t cells, int32_t *count, int32_t *start, int32_t *order) {
    const auto cell_of = [&](const float *at, int64_t *c) {
        for (int d = 0; d < 3; d++) c[d] = std::min<int64_t>(int64_t(at[d] * float(cells)), cells - 1);
        return (c[0] * cells + c[1]) * cells + c[2];
    };
    const int64_t all = cells * cells * cells;
    std::memset(count, 0, size_t(all) * 4);
    accumulate<Way>(count, all, n, [&](int64_t first, int64_t last, int32_t *to) {
        int64_t c[3];
        for (int64_t p = first; p < last; p++) Way::add(to[cell_of(x + 3 * p, c)], 1);
    });
    int32_t sum = 0;
    for (int64_t c = 0; c < all; c++) {
        start[c] = sum;
        sum += count[c];
        count[c] = start[c];
    }
#pragma omp parallel for
    for (int64_t p = 0; p < n; p++) {
        int64_t c[3];
        int32_t at, &next = count[cell_of(x + 3 * p, c)];
#pragma omp atomic capture
        at = next++;
        order[at] = int32_t(p);
    }
    const float h = 1.0f / float(cells), h2 = h * h;
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t p = 0; p < n; p++) {
        int64_t c[3];
        const float *a = x + 3 * p;
        cell_of(a, c);
        float total = 0;
        for (int64_t i = std::max<int64_t>(c[0] - 1, 0); i <= std::min(c[0] + 1, cells - 1); i++)
            for (int64_t j = std::max<int64_t>(c[1] - 1, 0); j <= std::min(c[1] + 1, cells - 1); j++)
                for (int64_t k = std::max<int64_t>(c[2] - 1, 0); k <= std::min(c[2] + 1, cells - 1); k++) {
                    const int64_t cell = (i * cells + j) * cells + k;
                    const int32_t end = cell + 1 < all ? start[cell + 1] : int32_t(n);
                    for (int32_t s = start[cell]; s < end; s++) {
                        const float *b = x + 3 * order[s];
                        const float dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
                        const float left = h2 - (dx * dx + dy * dy + dz * dz);
                        total += left > 0 ? left * left * left : 0.0f;
                    }
                }
        density[p] = total / (h2 * h2 * h2);
    }
}

/// One step of the moving least squares material point method.
template <class Way, int D>
void mpm(float *x, float *v, float *C, float *J, float *gv, float *gm, int64_t n, int64_t grid, float dt) {
    constexpr int points = D == 2 ? 9 : 27;
    const float dx = 1.0f / float(grid), inverse = float(grid);
    const float volume = D == 2 ? (dx * 0.5f) * (dx * 0.5f) : (dx * 0.5f) * (dx * 0.5f) * (dx * 0.5f);
    int64_t nodes = 1;
    for (int d = 0; d < D; d++) nodes *= grid;
    static std::vector<float> both; // momentum and mass of a node, adjacent
    both.assign(size_t(nodes * (D + 1)), 0.0f);
    const auto around = [&](const float *at, int64_t *base, float (*w)[3], float *fx) {
        for (int d = 0; d < D; d++) {
            base[d] = int64_t(at[d] * inverse - 0.5f);
            const float f = fx[d] = at[d] * inverse - float(base[d]);
            w[d][0] = 0.5f * (1.5f - f) * (1.5f - f);
            w[d][1] = 0.75f - (f - 1) * (f - 1);
            w[d][2] = 0.5f * (f - 0.5f) * (f - 0.5f);
        }
    };
    const auto node = [&](int k, const int64_t *base, const float (*w)[3], const float *fx, float *offset,
                          float &weight) {
        int64_t at = 0;
        weight = 1;
        for (int d = 0; d < D; d++) {
            const int o = D == 2 ? (d == 0 ? k / 3 : k % 3) : (d == 0 ? k / 9 : d == 1 ? k / 3 % 3 : k % 3);
            at = at * grid + base[d] + o;
            weight *= w[d][o];
            offset[d] = (float(o) - fx[d]) * dx;
        }
        return at;
    };
    accumulate<Way>(both.data(), nodes * (D + 1), n, [&](int64_t first, int64_t last, float *to) {
        for (int64_t p = first; p < last; p++) {
            int64_t base[D];
            float w[D][3], fx[D], offset[D], weight;
            around(x + D * p, base, w, fx);
            const float stress = -dt * 4 * 400 * volume * (J[p] - 1) * inverse * inverse;
            for (int k = 0; k < points; k++) {
                float *cell = to + (D + 1) * node(k, base, w, fx, offset, weight);
                for (int a = 0; a < D; a++) {
                    float push = volume * v[D * p + a] + stress * offset[a];
                    for (int b = 0; b < D; b++) push += volume * C[(D * p + a) * D + b] * offset[b];
                    Way::add(cell[a], weight * push);
                }
                Way::add(cell[D], weight * volume);
            }
        }
    });
#pragma omp parallel for
    for (int64_t i = 0; i < nodes; i++) {
        const float mass = gm[i] = both[size_t((D + 1) * i + D)];
        int64_t rest = i, index[D];
        for (int d = D - 1; d >= 0; d--, rest /= grid) index[d] = rest % grid;
        for (int d = 0; d < D; d++) {
            float u = both[size_t((D + 1) * i + d)];
            if (mass > 0) u /= mass;
            if (d == 1) u -= dt * 9.8f;
            if (index[d] < 3 && u < 0) u = 0;
            if (index[d] > grid - 3 && u > 0) u = 0;
            gv[D * i + d] = u;
        }
    }
#pragma omp parallel for
    for (int64_t p = 0; p < n; p++) {
        int64_t base[D];
        float w[D][3], fx[D], offset[D], weight, new_v[D] = {}, new_C[D][D] = {};
        around(x + D * p, base, w, fx);
        for (int k = 0; k < points; k++) {
            const float *u = gv + D * node(k, base, w, fx, offset, weight);
            for (int a = 0; a < D; a++) {
                new_v[a] += weight * u[a];
                for (int b = 0; b < D; b++) new_C[a][b] += 4 * weight * u[a] * offset[b] * inverse * inverse;
            }
        }
        float trace = 0;
        for (int a = 0; a < D; a++) {
            trace += new_C[a][a];
            v[D * p + a] = new_v[a];
            x[D * p + a] += dt * new_v[a];
            for (int b = 0; b < D; b++) C[(D * p + a) * D + b] = new_C[a][b];
        }
        J[p] *= 1 + dt * trace;
    }
}

} // namespace

#define BOTH_WAYS(name, parameters, call)                                                                              \
    extern "C" void name##_copies parameters {                                                                         \
        using Way = Copies;                                                                                            \
        call;                                                                                                          \
    }                                                                                                                  \
    extern "C" void name##_atomics parameters {                                                                        \
        using Way = Atomics;                                                                                           \
        call;                                                                                                          \
    }
BOTH_WAYS(histogram, (int32_t *out, int64_t bins, const int32_t *keys, int64_t n), histogram<Way>(out, bins, keys, n))
BOTH_WAYS(deposit, (float *grid, int64_t cells, const float *x, const float *y, int64_t n),
          deposit<Way>(grid, cells, x, y, n))
BOTH_WAYS(sph,
          (float *density, const float *x, int64_t n, int64_t cells, int32_t *count, int32_t *start, int32_t *order),
          sph<Way>(density, x, n, cells, count, start, order))
BOTH_WAYS(mpm, (float *x, float *v, float *C, float *J, float *gv, float *gm, int64_t n, int64_t grid, float dt),
          (mpm<Way, 2>(x, v, C, J, gv, gm, n, grid, dt)))
BOTH_WAYS(mpm3, (float *x, float *v, float *C, float *J, float *gv, float *gm, int64_t n, int64_t grid, float dt),
          (mpm<Way, 3>(x, v, C, J, gv, gm, n, grid, dt)))
