"""The benchmark kernels in the language shared by Quadrants, its reference and Taichi.

QD_BENCH_MODULE names the module that plays `qd`.
"""

import dataclasses
import importlib
import os
import warnings

import numpy as np

qd = importlib.import_module(os.environ["QD_BENCH_MODULE"])

cache = {} if os.environ.get("QD_BENCH_CACHE") else {"offline_cache": False}
options = dict(arch=qd.cpu, log_level="error", **cache)
if os.environ["QD_BENCH_MODULE"] == "taichi":
    options.pop("log_level")
    options["log_level"] = qd.ERROR


def init():
    qd.init(**options)


V1 = qd.types.ndarray(dtype=qd.f32, ndim=1)
V2 = qd.types.ndarray(dtype=qd.f32, ndim=2)


@qd.kernel
def saxpy(y: V1, x: V1, a: qd.f32):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def total(x: V1) -> qd.f32:
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@qd.kernel
def stencil(b: V2, a: V2):
    for i, j in qd.ndrange((1, a.shape[0] - 1), (1, a.shape[1] - 1)):
        b[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@qd.kernel
def nbody(ax: V1, ay: V1, az: V1, px: V1, py: V1, pz: V1):
    for i in range(px.shape[0]):
        x, y, z = px[i], py[i], pz[i]
        sx, sy, sz = 0.0, 0.0, 0.0
        for j in range(px.shape[0]):
            dx, dy, dz = px[j] - x, py[j] - y, pz[j] - z
            r2 = dx * dx + dy * dy + dz * dz + 1e-4
            inverse = 1.0 / qd.sqrt(r2)
            w = inverse * inverse * inverse
            sx += w * dx
            sy += w * dy
            sz += w * dz
        ax[i] = sx
        ay[i] = sy
        az[i] = sz


@qd.kernel
def mandelbrot(out: qd.types.ndarray(dtype=qd.i32, ndim=2), limit: qd.i32):
    for i, j in qd.ndrange(out.shape[0], out.shape[1]):
        cx = -2.0 + 3.0 * j / out.shape[1]
        cy = -1.5 + 3.0 * i / out.shape[0]
        x, y = 0.0, 0.0
        n = 0
        while x * x + y * y <= 4.0 and n < limit:
            x, y = x * x - y * y + cx, 2.0 * x * y + cy
            n += 1
        out[i, j] = n


MPM_N = 128
P2 = qd.types.ndarray(dtype=qd.math.vec2, ndim=1)
M2 = qd.types.ndarray(dtype=qd.math.mat2, ndim=1)
GV = qd.types.ndarray(dtype=qd.math.vec2, ndim=2)


@qd.kernel
def mpm(x: P2, v: P2, C: M2, J: V1, gv: GV, gm: V2, dt: qd.f32):
    for i, j in gm:
        gv[i, j] = qd.Vector([0.0, 0.0])
        gm[i, j] = 0.0
    for p in x:
        dx = 1.0 / MPM_N
        volume = (dx * 0.5) ** 2
        base = (x[p] * MPM_N - 0.5).cast(int)
        fx = x[p] * MPM_N - base.cast(float)
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
        stress = -dt * 4.0 * 400.0 * volume * (J[p] - 1.0) * MPM_N * MPM_N
        affine = qd.Matrix([[stress, 0.0], [0.0, stress]]) + volume * C[p]
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            dpos = (offset.cast(float) - fx) * dx
            weight = w[i].x * w[j].y
            gv[base + offset] += weight * (volume * v[p] + affine @ dpos)
            gm[base + offset] += weight * volume
    for i, j in gm:
        if gm[i, j] > 0.0:
            gv[i, j] = gv[i, j] / gm[i, j]
        gv[i, j].y -= dt * 9.8
        if i < 3 and gv[i, j].x < 0:
            gv[i, j].x = 0.0
        if i > MPM_N - 3 and gv[i, j].x > 0:
            gv[i, j].x = 0.0
        if j < 3 and gv[i, j].y < 0:
            gv[i, j].y = 0.0
        if j > MPM_N - 3 and gv[i, j].y > 0:
            gv[i, j].y = 0.0
    for p in x:
        dx = 1.0 / MPM_N
        base = (x[p] * MPM_N - 0.5).cast(int)
        fx = x[p] * MPM_N - base.cast(float)
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
        new_v = qd.Vector([0.0, 0.0])
        new_C = qd.Matrix([[0.0, 0.0], [0.0, 0.0]])
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            dpos = (offset.cast(float) - fx) * dx
            weight = w[i].x * w[j].y
            g_v = gv[base + offset]
            new_v += weight * g_v
            new_C += 4.0 * weight * g_v.outer_product(dpos) * MPM_N * MPM_N
        v[p] = new_v
        x[p] = x[p] + dt * v[p]
        J[p] = J[p] * (1.0 + dt * new_C.trace())
        C[p] = new_C


M3 = qd.types.ndarray(dtype=qd.math.mat3, ndim=1)


@qd.kernel
def products(out: M3, a: M3):
    for p in a:
        m = a[p]
        f = qd.Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        for k in qd.static(range(40)):
            f = 0.5 * (f @ m) + (0.01 * (k + 1)) * m
        out[p] = f


@qd.kernel
def svd3(out: V1, a: M3):
    for p in a:
        u, s, v = qd.svd(a[p], qd.f32)
        out[p] = s[0, 0] + 2.0 * s[1, 1] + 3.0 * s[2, 2]


@qd.kernel
def eig6(out: V1, a: qd.types.ndarray(dtype=qd.types.matrix(6, 6, qd.f32), ndim=1)):
    for p in a:
        values, vectors = qd.sym_eig(a[p], qd.f32)
        total = 0.0
        for k in qd.static(range(6)):
            total += (k + 1) * values[k]
        out[p] = total


@qd.kernel
def scatter_keys(keys: qd.template(), values: qd.template(), source: V1):
    for i in range(source.shape[0]):
        keys[i] = source[i]
        values[i] = i


def sorting(keys):
    """Returns a call that sorts these keys, with values, from the same initial order."""
    global sorted_keys
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    source, values = device_array(keys), qd.field(qd.i32, keys.size)
    sorted_keys = qd.field(qd.f32, keys.size)

    def call():
        scatter_keys(sorted_keys, values, source)
        parallel_sort(sorted_keys, values)

    parallel_sort = qd.algorithms.parallel_sort
    return call


@qd.func
def link(x, y, k):
    u = x * y + 0.001 * k
    v = qd.max(u - x, y * 0.5)
    w = u * v - x
    if w > 2.0:
        w = w * 0.25
    return 0.25 * w + y, v - 0.125 * u


def chain(ops):
    """Returns a kernel of about this many instructions, most of them in inlined calls."""

    @qd.kernel
    def run(out: V1, a: V1):
        for p in a:
            x, y = a[p], 0.5
            for k in qd.static(range(ops // 14)):
                x, y = link(x, y, k)
                x = qd.min(qd.max(x, -1.0), 1.0)
                y = qd.min(qd.max(y, -1.0), 1.0)
            out[p] = x + y

    return run


I1 = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def histogram(out: I1, keys: I1):
    for b in range(out.shape[0]):
        out[b] = 0
    for i in range(keys.shape[0]):
        out[keys[i]] += 1


@qd.kernel
def deposit(grid: V2, x: V1, y: V1):
    """Charges of particles onto the four grid points around each."""
    for i, j in qd.ndrange(grid.shape[0], grid.shape[1]):
        grid[i, j] = 0.0
    for p in range(x.shape[0]):
        u, v = x[p] * (grid.shape[0] - 1), y[p] * (grid.shape[1] - 1)
        i, j = int(u), int(v)
        a, b = u - i, v - j
        grid[i, j] += (1.0 - a) * (1.0 - b)
        grid[i, j + 1] += (1.0 - a) * b
        grid[i + 1, j] += a * (1.0 - b)
        grid[i + 1, j + 1] += a * b


P3 = qd.types.ndarray(dtype=qd.math.vec3, ndim=1)


@qd.func
def cell_of(at, cells: qd.i32):
    return qd.min(qd.cast(at * cells, qd.i32), cells - 1)


@qd.kernel
def sph(density: V1, x: P3, cells: qd.i32, count: I1, start: I1, order: I1):
    """Particles sorted by cell, then sums over the cells around each."""
    for c in range(count.shape[0]):
        count[c] = 0
    for p in range(x.shape[0]):
        c = cell_of(x[p], cells)
        count[(c[0] * cells + c[1]) * cells + c[2]] += 1
    for _ in range(1):
        total = 0
        for c in range(count.shape[0]):
            start[c] = total
            total += count[c]
            count[c] = start[c]
    for p in range(x.shape[0]):
        c = cell_of(x[p], cells)
        at = qd.atomic_add(count[(c[0] * cells + c[1]) * cells + c[2]], 1)
        order[at] = p
    for p in range(x.shape[0]):
        h2 = 1.0 / qd.cast(cells * cells, qd.f32)
        a = x[p]
        c = cell_of(a, cells)
        total = 0.0
        for i in range(qd.max(c[0] - 1, 0), qd.min(c[0] + 2, cells)):
            for j in range(qd.max(c[1] - 1, 0), qd.min(c[1] + 2, cells)):
                for k in range(qd.max(c[2] - 1, 0), qd.min(c[2] + 2, cells)):
                    cell = (i * cells + j) * cells + k
                    end = x.shape[0]
                    if cell + 1 < count.shape[0]:
                        end = start[cell + 1]
                    for s in range(start[cell], end):
                        d = a - x[order[s]]
                        left = h2 - d.dot(d)
                        if left > 0.0:
                            total += left * left * left
        density[p] = total / (h2 * h2 * h2)


MPM3_N = 64
GV3 = qd.types.ndarray(dtype=qd.math.vec3, ndim=3)
V3 = qd.types.ndarray(dtype=qd.f32, ndim=3)


@qd.kernel
def mpm3(x: P3, v: P3, C: M3, J: V1, gv: GV3, gm: V3, dt: qd.f32):
    for i, j, k in gm:
        gv[i, j, k] = qd.Vector([0.0, 0.0, 0.0])
        gm[i, j, k] = 0.0
    for p in x:
        dx = 1.0 / MPM3_N
        volume = (dx * 0.5) ** 3
        base = (x[p] * MPM3_N - 0.5).cast(int)
        fx = x[p] * MPM3_N - base.cast(float)
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
        stress = -dt * 4.0 * 400.0 * volume * (J[p] - 1.0) * MPM3_N * MPM3_N
        affine = qd.Matrix([[stress, 0.0, 0.0], [0.0, stress, 0.0], [0.0, 0.0, stress]]) + volume * C[p]
        for i, j, k in qd.static(qd.ndrange(3, 3, 3)):
            offset = qd.Vector([i, j, k])
            dpos = (offset.cast(float) - fx) * dx
            weight = w[i][0] * w[j][1] * w[k][2]
            gv[base + offset] += weight * (volume * v[p] + affine @ dpos)
            gm[base + offset] += weight * volume
    for i, j, k in gm:
        if gm[i, j, k] > 0.0:
            gv[i, j, k] = gv[i, j, k] / gm[i, j, k]
        gv[i, j, k][1] -= dt * 9.8
        at = qd.Vector([i, j, k])
        for d in qd.static(range(3)):
            if at[d] < 3 and gv[i, j, k][d] < 0:
                gv[i, j, k][d] = 0.0
            if at[d] > MPM3_N - 3 and gv[i, j, k][d] > 0:
                gv[i, j, k][d] = 0.0
    for p in x:
        dx = 1.0 / MPM3_N
        base = (x[p] * MPM3_N - 0.5).cast(int)
        fx = x[p] * MPM3_N - base.cast(float)
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
        new_v = qd.Vector([0.0, 0.0, 0.0])
        new_C = qd.Matrix([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        for i, j, k in qd.static(qd.ndrange(3, 3, 3)):
            offset = qd.Vector([i, j, k])
            dpos = (offset.cast(float) - fx) * dx
            weight = w[i][0] * w[j][1] * w[k][2]
            g_v = gv[base + offset]
            new_v += weight * g_v
            new_C += 4.0 * weight * g_v.outer_product(dpos) * MPM3_N * MPM3_N
        v[p] = new_v
        x[p] = x[p] + dt * v[p]
        J[p] = J[p] * (1.0 + dt * new_C.trace())
        C[p] = new_C


@qd.kernel
def empty():
    pass


@qd.kernel
def scalars(a: qd.i32, b: qd.f32, c: qd.f32):
    pass


@qd.kernel
def arrays(a: V1, b: V1, c: V1, d: V1, e: V1, f: V1):
    for i in range(16):
        a[i] = b[i] + c[i]


def leaves_kernel(arrays):
    """Returns a kernel and its argument, a frozen dataclass of 60 arrays, six of which the kernel uses."""
    Leaves = dataclasses.make_dataclass("Leaves", [(f"m{n}", V1) for n in range(60)], frozen=True)

    @qd.kernel
    def leaves(s: Leaves):
        for i in range(16):
            s.m0[i] = s.m1[i] + s.m12[i] + s.m23[i] + s.m34[i] + s.m59[i]

    return leaves, Leaves(*arrays)


def field_kernel():
    x = qd.field(dtype=qd.f32, shape=(64,))

    @qd.kernel
    def bump():
        for i in range(16):
            x[i] += 1.0

    return bump, lambda: x.to_numpy()


def device_array(data):
    """Returns a device array with the contents of the numpy array `data`; vector and matrix elements are made by the functions below."""
    a = qd.ndarray(qd.i32 if data.dtype == np.int32 else qd.f32, data.shape)
    a.from_numpy(data)
    return a


def vector_array(data):
    a = qd.Vector.ndarray(data.shape[-1], qd.f32, data.shape[:-1])
    a.from_numpy(data)
    return a


def matrix_array(data):
    a = qd.Matrix.ndarray(data.shape[-2], data.shape[-1], qd.f32, data.shape[:-2])
    a.from_numpy(data)
    return a


def host(array):
    return array.to_numpy()


sync = qd.sync


def settle():
    """Waits until every kernel runs its final code; Quadrants only."""
    from quadrants import _native

    _native.core().settle()
