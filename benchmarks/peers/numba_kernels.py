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


def host(array):
    return array


def sync():
    pass
