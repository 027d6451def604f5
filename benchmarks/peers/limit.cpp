// The hand-written benchmark kernels: the limit. clang++ -O3 -march=native -ffast-math -fopenmp.
#include <cmath>
#include <cstdint>

extern "C" {

void saxpy(float *y, const float *x, float a, int64_t n) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

float total(const float *x, int64_t n) {
    float s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int64_t i = 0; i < n; i++) s += x[i];
    return s;
}

void stencil(float *__restrict b, const float *__restrict a, int64_t rows, int64_t columns) {
#pragma omp parallel for
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++) {
            const float *p = a + i * columns + j;
            b[i * columns + j] = 0.2f * (p[0] + p[-columns] + p[columns] + p[-1] + p[1]);
        }
}

void nbody(float *ax, float *ay, float *az, const float *px, const float *py, const float *pz, int64_t n) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        float x = px[i], y = py[i], z = pz[i], sx = 0, sy = 0, sz = 0;
        for (int64_t j = 0; j < n; j++) {
            float dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z;
            float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-4f);
            float w = inverse * inverse * inverse;
            sx += w * dx;
            sy += w * dy;
            sz += w * dz;
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}

void mandelbrot(int32_t *out, int64_t rows, int64_t columns, int32_t limit) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float cx = -2.0f + 3.0f * float(j) / float(columns), cy = -1.5f + 3.0f * float(i) / float(rows), x = 0,
                  y = 0;
            int32_t n = 0;
            while (x * x + y * y <= 4.0f && n < limit) {
                float t = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = t;
                n++;
            }
            out[i * columns + j] = n;
        }
}
}
