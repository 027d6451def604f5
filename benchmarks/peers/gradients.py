"""Programs and their gradients, in the language shared by Quadrants, its reference and Taichi.

Each function makes the data and returns a Differentiable; fields are made when a program is requested.
"""

import numpy as np
from data import random
from quadrants_like import options, qd


class Differentiable:
    """A program and its gradient. `kernels`: (kernel, arguments) in the order of the program; `seed`: the field whose gradient is set to 1
    before the backward pass; `inputs`: fields whose gradients are the result. `clears`: fields that must be 0 before a run."""

    def __init__(self, kernels, seed, inputs, clears=()):
        self.kernels, self.seed, self.inputs, self.clears = kernels, seed, inputs, (seed, *clears)

    def forward(self):
        for kernel, args in self.kernels:
            kernel(*args)

    def backward(self):
        for kernel, args in reversed(self.kernels):
            kernel.grad(*args)

    def check(self):
        """Returns the check value of one run from a clean state."""
        for field in self.clears:
            field.fill(0)
        self.forward()
        qd.ad.clear_all_gradients()
        self.seed.grad.fill(1)
        self.backward()
        grads = [field.grad.to_numpy().astype(np.float64) for field in self.inputs]
        return float(sum(np.abs(g).mean() for g in grads))


def init(**stacks):
    if qd.__name__ != "taichi":  # it always has stacks
        stacks["ad_stack_experimental_enabled"] = True
    qd.init(**options, **stacks)


def reals(n, *names):
    return [qd.field(qd.f32, shape=n, needs_grad=True) for _ in names]


def nbody(small):
    """Energy of bodies that attract each other, all pairs."""
    init()
    n = 64 if small else 1024
    px, py, pz, e = reals(n, "x", "y", "z", "e")
    for seed, field in enumerate((px, py, pz)):
        field.from_numpy(random(n, seed))

    @qd.kernel
    def energy():
        for i in range(n):
            s = 0.0
            for j in range(n):
                dx, dy, dz = px[j] - px[i], py[j] - py[i], pz[j] - pz[i]
                s += 1.0 / qd.sqrt(dx * dx + dy * dy + dz * dz + 1e-2)
            e[i] += s

    return Differentiable([(energy, ())], e, [px, py, pz])


def recurrence(small, **stacks):
    """Ten variables over 1,024 iterations, each updated from itself and its neighbour."""
    init(**stacks)
    n, rounds = (8 if small else 2048), 1024
    x, out = reals(n, "x", "out")
    x.from_numpy(random(n))

    @qd.kernel
    def evolve():
        for i in range(n):
            a, b, c, d, e = x[i], x[i] * 0.9, x[i] * 0.8, x[i] * 0.7, x[i] * 0.6
            f, g, h, k, m = x[i] * 0.5, x[i] * 0.4, x[i] * 0.3, x[i] * 0.2, x[i] * 0.1
            for _ in range(rounds):
                a = a + 0.003 * a * (1.0 - b)
                b = b + 0.003 * b * (1.0 - c)
                c = c + 0.003 * c * (1.0 - d)
                d = d + 0.003 * d * (1.0 - e)
                e = e + 0.003 * e * (1.0 - f)
                f = f + 0.003 * f * (1.0 - g)
                g = g + 0.003 * g * (1.0 - h)
                h = h + 0.003 * h * (1.0 - k)
                k = k + 0.003 * k * (1.0 - m)
                m = m + 0.003 * m * (1.0 - a)
            out[i] += a + b + c + d + e + f + g + h + k + m

    return Differentiable([(evolve, ())], out, [x])


def with_budget(part):
    """Returns the recurrence with a budget of this part of 10 x 1,024 numbers per thread."""
    return lambda small: recurrence(small, ad_stack_budget_bytes=10 * 1024 * 4 // part)


def stencil(small):
    init()
    n = 64 if small else 1024
    a, b = reals((n, n), "a", "b")
    a.from_numpy(random((n, n)))

    @qd.kernel
    def smooth():
        for i, j in qd.ndrange((1, n - 1), (1, n - 1)):
            b[i, j] += 0.2 * (a[i, j] ** 2 + a[i - 1, j] * a[i + 1, j] + a[i, j - 1] * a[i, j + 1])

    return Differentiable([(smooth, ())], b, [a])


def chain(small):
    """The product of 8 matrices of 3 x 3."""
    init()
    n = 64 if small else 20000
    a = qd.Matrix.field(3, 3, qd.f32, shape=n, needs_grad=True)
    (out,) = reals(n, "out")
    a.from_numpy(random((n, 3, 3)))

    @qd.kernel
    def multiply():
        for p in range(n):
            m = a[p]
            f = qd.Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
            for k in qd.static(range(8)):
                f = 0.5 * (f @ m) + (0.01 * (k + 1)) * m
            out[p] += f.trace()

    return Differentiable([(multiply, ())], out, [a])


def mpm88(small):
    """Steps of the material point method, with one more index for the time."""
    init()
    n, grid, steps = (256, 24, 4) if small else (8192, 96, 8)
    dx, dt = 1 / grid, 2e-4
    mass = (dx * 0.5) ** 2
    vectors = lambda *shape: qd.Vector.field(2, qd.f32, shape=shape, needs_grad=True)  # noqa: E731
    x, v, momentum, velocity = vectors(steps + 1, n), vectors(steps + 1, n), vectors(steps, grid, grid), vectors(steps, grid, grid)
    affine = qd.Matrix.field(2, 2, qd.f32, shape=(steps + 1, n), needs_grad=True)
    volume, weight = reals((steps + 1, n), "volume")[0], reals((steps, grid, grid), "weight")[0]
    (loss,) = reals((), "loss")

    @qd.kernel
    def to_grid(t: qd.i32):
        for p in range(n):
            base = qd.cast(x[t, p] / dx - 0.5, qd.i32)
            fx = x[t, p] / dx - qd.cast(base, qd.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            stress = -dt * 4 * 400.0 * mass * (volume[t, p] - 1) / dx**2
            push = qd.Matrix([[stress, 0.0], [0.0, stress]]) + mass * affine[t, p]
            for i, j in qd.static(qd.ndrange(3, 3)):
                offset = qd.Vector([i, j])
                d = (qd.cast(offset, qd.f32) - fx) * dx
                share = w[i][0] * w[j][1]
                momentum[t, base + offset] += share * (mass * v[t, p] + push @ d)
                weight[t, base + offset] += share * mass

    @qd.kernel
    def on_grid(t: qd.i32):
        for i, j in qd.ndrange(grid, grid):
            if weight[t, i, j] > 0:
                u = momentum[t, i, j] / weight[t, i, j]
                u[1] -= dt * 9.8
                if i < 3 and u[0] < 0:
                    u[0] = 0.0
                if i > grid - 3 and u[0] > 0:
                    u[0] = 0.0
                if j < 3 and u[1] < 0:
                    u[1] = 0.0
                if j > grid - 3 and u[1] > 0:
                    u[1] = 0.0
                velocity[t, i, j] = u

    @qd.kernel
    def to_particles(t: qd.i32):
        for p in range(n):
            base = qd.cast(x[t, p] / dx - 0.5, qd.i32)
            fx = x[t, p] / dx - qd.cast(base, qd.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            new_v, new_affine = qd.Vector([0.0, 0.0]), qd.Matrix([[0.0, 0.0], [0.0, 0.0]])
            for i, j in qd.static(qd.ndrange(3, 3)):
                offset = qd.Vector([i, j])
                u = w[i][0] * w[j][1] * velocity[t, base + offset]
                new_v += u
                new_affine += 4 * u.outer_product(qd.cast(offset, qd.f32) - fx) / dx
            v[t + 1, p] = new_v
            x[t + 1, p] = x[t, p] + dt * new_v
            volume[t + 1, p] = volume[t, p] * (1 + dt * new_affine.trace())
            affine[t + 1, p] = new_affine

    @qd.kernel
    def distance():
        for p in range(n):
            loss[None] += (x[steps, p][0] + v[steps, p][0] + volume[steps, p]) / n

    start = np.zeros((steps + 1, n, 2), np.float32)
    start[0] = 0.3 + 0.4 * np.random.default_rng(0).random((n, 2))
    x.from_numpy(start)
    volume.fill(1.0)
    kernels = [(kernel, (t,)) for t in range(steps) for kernel in (to_grid, on_grid, to_particles)] + [(distance, ())]
    return Differentiable(kernels, loss, [x, v], (momentum, weight))


PROGRAMS = {"nbody": nbody, "recurrence": recurrence, "stencil": stencil, "chain": chain, "mpm88": mpm88,
            "recurrence, 1/2": with_budget(2), "recurrence, 1/16": with_budget(16)}


def kept_bytes():
    """Returns the bytes that a thread keeps for the backward pass; Quadrants only."""
    if not hasattr(qd.ad, "memory_report"):
        return None
    return max((task.measured for kernel in qd.ad.memory_report() for task in kernel.tasks), default=0)
