"""The benchmark kernels for Dr.Jit on the CPU (its LLVM backend)."""

import os

import drjit as dr
import numpy as np
from drjit.llvm import Float, Int, UInt


def init():
    dr.set_thread_count(os.cpu_count())


class Array:
    """An array that kernels replace: kernels of Dr.Jit are functions of values, and return new arrays."""

    def __init__(self, data):
        self.shape = data.shape
        self.value = (Int if data.dtype == np.int32 else Float)(data.reshape(-1))
        dr.eval(self.value)


def histogram(out, keys):
    out.value = dr.zeros(Int, out.shape[0])
    dr.scatter_add(out.value, Int(1), UInt(keys.value))
    dr.eval(out.value)


def deposit(grid, x, y):
    rows, columns = grid.shape
    u, v = x.value * (rows - 1), y.value * (columns - 1)
    i, j = UInt(u), UInt(v)
    a, b = u - Float(i), v - Float(j)
    at = i * columns + j
    grid.value = dr.zeros(Float, rows * columns)
    for weight, step in ((1 - a) * (1 - b), 0), ((1 - a) * b, 1), (a * (1 - b), columns), (a * b, columns + 1):
        dr.scatter_add(grid.value, weight, at + step)
    dr.eval(grid.value)


def device_array(data):
    return Array(data)


def host(array):
    return array.value.numpy().reshape(array.shape)


def sync():
    dr.sync_thread()


def saxpy(y, x, a):
    y.value = dr.opaque(Float, a) * x.value + y.value
    dr.eval(y.value)


def total(x):
    return dr.sum(x.value)[0]


def stencil(b, a):
    rows, columns = a.shape
    n = dr.opaque(UInt, columns - 2)
    index = dr.arange(UInt, (rows - 2) * (columns - 2))
    at = (index // n + 1) * (n + 2) + index % n + 1
    get = lambda offset: dr.gather(Float, a.value, at + offset)  # noqa: E731
    dr.scatter(b.value, 0.2 * (get(0) + get(n + 2) + dr.gather(Float, a.value, at - n - 2) + get(1) + dr.gather(Float, a.value, at - 1)), at)
    dr.eval(b.value)


@dr.syntax
def accumulate(x, y, z, px, py, pz, n):
    j, sx, sy, sz = UInt(0), Float(0), Float(0), Float(0)
    while j < n:
        dx, dy, dz = dr.gather(Float, px, j) - x, dr.gather(Float, py, j) - y, dr.gather(Float, pz, j) - z
        inverse = dr.rsqrt(dx * dx + dy * dy + dz * dz + 1e-4)
        w = inverse * inverse * inverse
        sx += w * dx
        sy += w * dy
        sz += w * dz
        j += 1
    return sx, sy, sz


def nbody(ax, ay, az, px, py, pz):
    p = px.value, py.value, pz.value
    ax.value, ay.value, az.value = accumulate(*p, *p, dr.opaque(UInt, px.shape[0]))
    dr.eval(ax.value, ay.value, az.value)


@dr.syntax
def iterations(index, columns, limit):
    cx = -2.0 + 3.0 * Float(index % columns) / Float(columns)
    cy = -1.5 + 3.0 * Float(index // columns) / Float(columns)
    x, y, n = Float(0), Float(0), Int(0)
    while (x * x + y * y <= 4.0) & (n < limit):
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        n += 1
    return n


def mandelbrot(out, limit):
    rows, columns = out.shape
    out.value = iterations(dr.arange(UInt, rows * columns), dr.opaque(UInt, columns), dr.opaque(Int, limit))
    dr.eval(out.value)
