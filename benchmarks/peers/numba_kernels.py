"""The benchmark kernels for Numba."""

import math

import numpy as np
from numba import njit, prange, set_num_threads

fast = dict(parallel=True, fastmath=True, cache=False)


def init():
    set_num_threads(2)


@njit(**fast)
def saxpy(y, x, a):
    for i in prange(x.shape[0]):
        y[i] = a * x[i] + y[i]


@njit(**fast)
def total(x):
    s = np.float32(0.0)
    for i in prange(x.shape[0]):
        s += x[i]
    return s


@njit(**fast)
def stencil(b, a):
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = np.float32(0.2) * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@njit(**fast)
def nbody(ax, ay, az, px, py, pz):
    one, eps = np.float32(1.0), np.float32(1e-4)
    for i in prange(px.shape[0]):
        x, y, z = px[i], py[i], pz[i]
        sx = sy = sz = np.float32(0.0)
        for j in range(px.shape[0]):
            dx, dy, dz = px[j] - x, py[j] - y, pz[j] - z
            inverse = one / math.sqrt(dx * dx + dy * dy + dz * dz + eps)
            w = inverse * inverse * inverse
            sx += w * dx
            sy += w * dy
            sz += w * dz
        ax[i] = sx
        ay[i] = sy
        az[i] = sz


@njit(**fast)
def mandelbrot(out, limit):
    f = np.float32
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            cx = f(-2.0) + f(3.0) * f(j) / f(out.shape[1])
            cy = f(-1.5) + f(3.0) * f(i) / f(out.shape[0])
            x = y = f(0.0)
            n = 0
            while x * x + y * y <= f(4.0) and n < limit:
                x, y = x * x - y * y + cx, f(2.0) * x * y + cy
                n += 1
            out[i, j] = n


# Numba has no atomics on the CPU, so updates of shared memory run on one thread.
serial = dict(fastmath=True, cache=False)


@njit(**serial)
def histogram(out, keys):
    out[:] = 0
    for i in range(keys.shape[0]):
        out[keys[i]] += 1


@njit(**serial)
def deposit(grid, x, y):
    grid[:] = 0
    one = np.float32(1.0)
    for p in range(x.shape[0]):
        u, v = x[p] * np.float32(grid.shape[0] - 1), y[p] * np.float32(grid.shape[1] - 1)
        i, j = int(u), int(v)
        a, b = u - np.float32(i), v - np.float32(j)
        grid[i, j] += (one - a) * (one - b)
        grid[i, j + 1] += (one - a) * b
        grid[i + 1, j] += a * (one - b)
        grid[i + 1, j + 1] += a * b


@njit(fastmath=True)
def cell_of(x, p, cells):
    f = np.float32(cells)
    return min(int(x[p, 0] * f), cells - 1), min(int(x[p, 1] * f), cells - 1), min(int(x[p, 2] * f), cells - 1)


@njit(**serial)
def sort_into_cells(x, cells, count, start, order):
    count[:] = 0
    for p in range(x.shape[0]):
        i, j, k = cell_of(x, p, cells)
        count[(i * cells + j) * cells + k] += 1
    total = 0
    for c in range(count.shape[0]):
        start[c] = total
        total += count[c]
        count[c] = start[c]
    for p in range(x.shape[0]):
        i, j, k = cell_of(x, p, cells)
        c = (i * cells + j) * cells + k
        order[count[c]] = p
        count[c] += 1


@njit(**fast)
def densities(density, x, cells, count, start, order):
    h2 = np.float32(1.0) / np.float32(cells * cells)
    for p in prange(x.shape[0]):
        a, b, c = cell_of(x, p, cells)
        total = np.float32(0.0)
        for i in range(max(a - 1, 0), min(a + 2, cells)):
            for j in range(max(b - 1, 0), min(b + 2, cells)):
                for k in range(max(c - 1, 0), min(c + 2, cells)):
                    cell = (i * cells + j) * cells + k
                    end = start[cell + 1] if cell + 1 < count.shape[0] else x.shape[0]
                    for s in range(start[cell], end):
                        q = order[s]
                        dx, dy, dz = x[p, 0] - x[q, 0], x[p, 1] - x[q, 1], x[p, 2] - x[q, 2]
                        left = h2 - (dx * dx + dy * dy + dz * dz)
                        if left > 0:
                            total += left * left * left
        density[p] = total / (h2 * h2 * h2)


def sph(density, x, cells, count, start, order):
    sort_into_cells(x, cells, count, start, order)
    densities(density, x, cells, count, start, order)


MPM_N = 128


@njit(fastmath=True)
def weights(fx):
    h = np.float32(0.5)
    f = np.float32
    return (h * (f(1.5) - fx) ** 2, f(0.75) - (fx - f(1)) ** 2, h * (fx - h) ** 2)


@njit(**serial)
def particles_to_grid(x, v, C, J, gv, gm, dt):
    gv[:] = 0
    gm[:] = 0
    f = np.float32
    inverse = f(gm.shape[0])
    dx = f(1) / inverse
    volume = (dx * f(0.5)) ** 2
    for p in range(x.shape[0]):
        bx, by = int(x[p, 0] * inverse - f(0.5)), int(x[p, 1] * inverse - f(0.5))
        fx, fy = x[p, 0] * inverse - f(bx), x[p, 1] * inverse - f(by)
        wx, wy = weights(fx), weights(fy)
        stress = -dt * f(4 * 400) * volume * (J[p] - f(1)) * inverse * inverse
        for i in range(3):
            for j in range(3):
                ox, oy = (f(i) - fx) * dx, (f(j) - fy) * dx
                w = wx[i] * wy[j]
                gv[bx + i, by + j, 0] += w * (volume * v[p, 0] + (stress + volume * C[p, 0, 0]) * ox + volume * C[p, 0, 1] * oy)
                gv[bx + i, by + j, 1] += w * (volume * v[p, 1] + volume * C[p, 1, 0] * ox + (stress + volume * C[p, 1, 1]) * oy)
                gm[bx + i, by + j] += w * volume


@njit(**fast)
def grid_and_back(x, v, C, J, gv, gm, dt):
    f = np.float32
    n = gm.shape[0]
    inverse = f(n)
    for i in prange(n):
        for j in range(n):
            a, b = gv[i, j, 0], gv[i, j, 1]
            if gm[i, j] > 0:
                a /= gm[i, j]
                b /= gm[i, j]
            b -= dt * f(9.8)
            if (i < 3 and a < 0) or (i > n - 3 and a > 0):
                a = f(0)
            if (j < 3 and b < 0) or (j > n - 3 and b > 0):
                b = f(0)
            gv[i, j, 0] = a
            gv[i, j, 1] = b
    for p in prange(x.shape[0]):
        bx, by = int(x[p, 0] * inverse - f(0.5)), int(x[p, 1] * inverse - f(0.5))
        fx, fy = x[p, 0] * inverse - f(bx), x[p, 1] * inverse - f(by)
        wx, wy = weights(fx), weights(fy)
        va = vb = c00 = c01 = c10 = c11 = f(0)
        for i in range(3):
            for j in range(3):
                w = wx[i] * wy[j]
                a, b = w * gv[bx + i, by + j, 0], w * gv[bx + i, by + j, 1]
                ox, oy = f(4) * (f(i) - fx) * inverse, f(4) * (f(j) - fy) * inverse
                va += a
                vb += b
                c00 += a * ox
                c01 += a * oy
                c10 += b * ox
                c11 += b * oy
        v[p, 0], v[p, 1] = va, vb
        x[p, 0] += dt * va
        x[p, 1] += dt * vb
        J[p] *= f(1) + dt * (c00 + c11)
        C[p, 0, 0], C[p, 0, 1], C[p, 1, 0], C[p, 1, 1] = c00, c01, c10, c11


def mpm(x, v, C, J, gv, gm, dt):
    dt = np.float32(dt)
    particles_to_grid(x, v, C, J, gv, gm, dt)
    grid_and_back(x, v, C, J, gv, gm, dt)


@njit(fastmath=True)
def empty():
    pass


@njit(fastmath=True)
def scalars(a, b, c):
    pass


@njit(fastmath=True)
def arrays(a, b, c, d, e, f):
    for i in range(16):
        a[i] = b[i] + c[i]


def device_array(data):
    return data.copy()


vector_array = matrix_array = device_array


def host(array):
    return array


def sync():
    pass
