"""The benchmark kernels for Warp on the CPU."""

import numpy as np
import warp as wp

wp.config.quiet = True
wp.config.kernel_cache_dir = __import__("os").environ.get("WARP_CACHE", None)


def init():
    wp.init()


@wp.kernel
def saxpy_k(y: wp.array(dtype=wp.float32), x: wp.array(dtype=wp.float32), a: wp.float32):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


def saxpy(y, x, a):
    wp.launch(saxpy_k, dim=x.shape[0], inputs=[y, x, a], device="cpu")


@wp.kernel
def total_k(x: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    wp.atomic_add(out, 0, x[wp.tid()])


def total(x):
    out = wp.zeros(1, dtype=wp.float32, device="cpu")
    wp.launch(total_k, dim=x.shape[0], inputs=[x, out], device="cpu")
    return float(out.numpy()[0])


@wp.kernel
def stencil_k(b: wp.array2d(dtype=wp.float32), a: wp.array2d(dtype=wp.float32)):
    r, c = wp.tid()
    i = r + 1
    j = c + 1
    b[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def stencil(b, a):
    wp.launch(stencil_k, dim=(a.shape[0] - 2, a.shape[1] - 2), inputs=[b, a], device="cpu")


@wp.kernel
def nbody_k(
    ax: wp.array(dtype=wp.float32),
    ay: wp.array(dtype=wp.float32),
    az: wp.array(dtype=wp.float32),
    px: wp.array(dtype=wp.float32),
    py: wp.array(dtype=wp.float32),
    pz: wp.array(dtype=wp.float32),
):
    i = wp.tid()
    x = px[i]
    y = py[i]
    z = pz[i]
    sx = float(0.0)
    sy = float(0.0)
    sz = float(0.0)
    for j in range(px.shape[0]):
        dx = px[j] - x
        dy = py[j] - y
        dz = pz[j] - z
        inverse = 1.0 / wp.sqrt(dx * dx + dy * dy + dz * dz + 1e-4)
        w = inverse * inverse * inverse
        sx += w * dx
        sy += w * dy
        sz += w * dz
    ax[i] = sx
    ay[i] = sy
    az[i] = sz


def nbody(ax, ay, az, px, py, pz):
    wp.launch(nbody_k, dim=px.shape[0], inputs=[ax, ay, az, px, py, pz], device="cpu")


@wp.kernel
def mandelbrot_k(out: wp.array2d(dtype=wp.int32), limit: wp.int32):
    i, j = wp.tid()
    cx = -2.0 + 3.0 * float(j) / float(out.shape[1])
    cy = -1.5 + 3.0 * float(i) / float(out.shape[0])
    x = float(0.0)
    y = float(0.0)
    n = int(0)
    while x * x + y * y <= 4.0 and n < limit:
        t = x * x - y * y + cx
        y = 2.0 * x * y + cy
        x = t
        n += 1
    out[i, j] = n


def mandelbrot(out, limit):
    wp.launch(mandelbrot_k, dim=out.shape, inputs=[out, limit], device="cpu")


@wp.kernel
def histogram_k(out: wp.array(dtype=wp.int32), keys: wp.array(dtype=wp.int32)):
    wp.atomic_add(out, keys[wp.tid()], 1)


def histogram(out, keys):
    out.zero_()
    wp.launch(histogram_k, dim=keys.shape[0], inputs=[out, keys], device="cpu")


@wp.kernel
def deposit_k(grid: wp.array2d(dtype=wp.float32), x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32)):
    p = wp.tid()
    u = x[p] * float(grid.shape[0] - 1)
    v = y[p] * float(grid.shape[1] - 1)
    i = int(u)
    j = int(v)
    a = u - float(i)
    b = v - float(j)
    wp.atomic_add(grid, i, j, (1.0 - a) * (1.0 - b))
    wp.atomic_add(grid, i, j + 1, (1.0 - a) * b)
    wp.atomic_add(grid, i + 1, j, a * (1.0 - b))
    wp.atomic_add(grid, i + 1, j + 1, a * b)


def deposit(grid, x, y):
    grid.zero_()
    wp.launch(deposit_k, dim=x.shape[0], inputs=[grid, x, y], device="cpu")


@wp.kernel
def empty_k():
    pass


def empty():
    wp.launch(empty_k, dim=1, inputs=[], device="cpu")


def device_array(data):
    return wp.array(data, device="cpu")


def host(array):
    return array.numpy()


def sync():
    wp.synchronize()
