"""Programs on fields, sparse trees and structs, in the language shared by Quadrants, its reference and Taichi.

Each function makes the data and returns (call, check) as worker.problem does; fields are made when a program is requested.
"""

import dataclasses

import numpy as np
from data import random
from quadrants_like import V1, V2, device_array, host, qd


def mean(field):
    return float(field.to_numpy().astype(np.float64).mean())


def scatter(container):
    """A million points add their mass to a grid of 512² cells, about half of which they reach."""

    def program(small):
        cells, blocks, n = (64, 8, 1000) if small else (512, 64, 1_000_000)
        grid = qd.field(qd.f32)
        block = getattr(qd.root, container)(qd.ij, (blocks, blocks))
        block.dense(qd.ij, (cells // blocks, cells // blocks)).place(grid)
        x, y = device_array(0.7 * random(n)), device_array(0.7 * random(n, 1))

        @qd.kernel
        def drop(x: V1, y: V1):
            for p in range(x.shape[0]):
                grid[int(x[p] * cells), int(y[p] * cells)] += 1.0

        def call():
            block.deactivate_all()
            drop(x, y)

        return call, lambda: mean(grid)

    return program


def gather(container):
    """The Laplacian on the active cells of a disc in a grid of 2048² cells."""

    def program(small):
        cells, blocks = (64, 8) if small else (2048, 256)
        a, b = qd.field(qd.f32), qd.field(qd.f32)
        block = getattr(qd.root, container)(qd.ij, (blocks, blocks))
        block.dense(qd.ij, (cells // blocks, cells // blocks)).place(a, b)

        @qd.kernel
        def fill():
            for i, j in qd.ndrange(cells, cells):
                if (i - cells // 2) ** 2 + (j - cells // 2) ** 2 < (cells // 3) ** 2:
                    a[i, j] = qd.cast(i % 17, qd.f32)

        @qd.kernel
        def laplacian():
            for i, j in a:
                b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j]

        fill()
        return laplacian, lambda: mean(b)

    return program


def bitmasked(small):
    """Every second cell of a bitmasked level of 1024² cells."""
    cells = 64 if small else 1024
    a = qd.field(qd.f32)
    qd.root.bitmasked(qd.ij, (cells, cells)).place(a)

    @qd.kernel
    def fill():
        for i, j in qd.ndrange(cells, cells // 2):
            a[i, 2 * j] = 1.0

    @qd.kernel
    def grow():
        for i, j in a:
            a[i, j] = 0.5 * a[i, j] + 0.25

    fill()
    return grow, lambda: mean(a)


def dense(form):
    """b = 2 a + 1 on a field of 2048² cells: over the field, over the range of its cells, over ndarrays of its size."""

    def program(small):
        n = 64 if small else 2048
        if form == "ndarray":
            a, b = device_array(random((n, n))), device_array(random((n, n)))
        else:
            a, b = qd.field(qd.f32, (n, n)), qd.field(qd.f32, (n, n))
            a.from_numpy(random((n, n)))

        @qd.kernel
        def over_field():
            for i, j in a:
                b[i, j] = 2.0 * a[i, j] + 1.0

        @qd.kernel
        def over_range():
            for i, j in qd.ndrange(n, n):
                b[i, j] = 2.0 * a[i, j] + 1.0

        @qd.kernel
        def over_ndarray(b: V2, a: V2):
            for i, j in a:
                b[i, j] = 2.0 * a[i, j] + 1.0

        calls = {"field": over_field, "range": over_range, "ndarray": lambda: over_ndarray(b, a)}
        return calls[form], lambda: float(host(b).astype(np.float64).mean())

    return program


def twelve(small):
    """Two fields computed from ten others, as in simulations that store each quantity in a field of its own."""
    n = 64 if small else 1 << 18
    fields = [qd.field(qd.f32, n) for _ in range(12)]
    for k, field in enumerate(fields):
        field.from_numpy(random(n, k))
    a, b, c, d, e, f, g, h, o, p, q, r = fields

    @qd.kernel
    def combine():
        for i in a:
            a[i] = b[i] + c[i] + d[i] + e[i] + f[i] + g[i]
            h[i] = o[i] * p[i] + q[i] * r[i]

    return combine, lambda: mean(a) + mean(h)


def mpm88(small):
    """One step of the moving least squares material point method on fields of vectors and matrices, grid of 128²."""
    n, grid = (512, 32) if small else (20000, 128)
    dx, dt = 1 / grid, 2e-4
    x, v = qd.Vector.field(2, qd.f32, n), qd.Vector.field(2, qd.f32, n)
    affine, volume = qd.Matrix.field(2, 2, qd.f32, n), qd.field(qd.f32, n)
    grid_v, grid_m = qd.Vector.field(2, qd.f32, (grid, grid)), qd.field(qd.f32, (grid, grid))
    mass = (dx * 0.5) ** 2

    @qd.kernel
    def step():
        for i, j in grid_m:
            grid_v[i, j] = [0.0, 0.0]
            grid_m[i, j] = 0.0
        for p in x:
            base = qd.cast(x[p] / dx - 0.5, qd.i32)
            fx = x[p] / dx - qd.cast(base, qd.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            stress = -dt * 4 * 400.0 * mass * (volume[p] - 1) / dx**2
            push = qd.Matrix([[stress, 0.0], [0.0, stress]]) + mass * affine[p]
            for i, j in qd.static(qd.ndrange(3, 3)):
                offset = qd.Vector([i, j])
                d = (qd.cast(offset, qd.f32) - fx) * dx
                share = w[i][0] * w[j][1]
                grid_v[base + offset] += share * (mass * v[p] + push @ d)
                grid_m[base + offset] += share * mass
        for i, j in grid_m:
            if grid_m[i, j] > 0:
                u = grid_v[i, j] / grid_m[i, j]
                u[1] -= dt * 9.8
                if i < 3 and u[0] < 0:
                    u[0] = 0.0
                if i > grid - 3 and u[0] > 0:
                    u[0] = 0.0
                if j < 3 and u[1] < 0:
                    u[1] = 0.0
                if j > grid - 3 and u[1] > 0:
                    u[1] = 0.0
                grid_v[i, j] = u
        for p in x:
            base = qd.cast(x[p] / dx - 0.5, qd.i32)
            fx = x[p] / dx - qd.cast(base, qd.f32)
            w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
            new_v, new_affine = qd.Vector([0.0, 0.0]), qd.Matrix([[0.0, 0.0], [0.0, 0.0]])
            for i, j in qd.static(qd.ndrange(3, 3)):
                offset = qd.Vector([i, j])
                u = w[i][0] * w[j][1] * grid_v[base + offset]
                new_v += u
                new_affine += 4 * u.outer_product(qd.cast(offset, qd.f32) - fx) / dx
            v[p] = new_v
            x[p] += dt * new_v
            volume[p] *= 1 + dt * new_affine.trace()
            affine[p] = new_affine

    rng = np.random.default_rng(0)
    x.from_numpy((0.3 + 0.4 * rng.random((n, 2))).astype(np.float32))
    volume.fill(1.0)
    return step, lambda: mean(grid_m) if small else 0.0


def bodies(small):
    """Forward dynamics of 4,096 planar chains of 6 links: the articulated-body algorithm (R. Featherstone, Rigid Body Dynamics
    Algorithms, 2008, section 7.3) with spatial vectors (omega, v_x, v_y) in coordinates of the link."""
    n, links, dt = (64 if small else 4096), 6, 1e-3
    vec3, mat3 = qd.types.vector(3, qd.f32), qd.types.matrix(3, 3, qd.f32)

    @qd.dataclass
    class Link:
        to_link: mat3  # maps motion vectors of the previous link to coordinates of this link
        inertia: mat3  # articulated
        bias: vec3
        velocity: vec3
        coriolis: vec3
        u: qd.f32

    @dataclasses.dataclass(frozen=True)
    class State:
        angle: V2
        rate: V2

    chain = Link.field(shape=(n, links))

    @qd.func
    def crossed(v):
        """The matrix of v x* on forces."""
        return qd.Matrix([[0.0, -v[2], v[1]], [0.0, 0.0, -v[0]], [0.0, v[0], 0.0]])

    @qd.kernel
    def step(state: State, length: qd.f32, mass: qd.f32, gravity: qd.f32):
        for e in range(n):
            velocity = qd.Vector([0.0, 0.0, 0.0])
            half = 0.5 * length
            own = qd.Matrix([[mass * length * length / 3, 0.0, mass * half], [0.0, mass, 0.0], [mass * half, 0.0, mass]])
            for i in range(links):
                link = Link(bias=qd.Vector([0.0, 0.0, 0.0]))
                s, c = qd.sin(state.angle[e, i]), qd.cos(state.angle[e, i])
                at = qd.select(i > 0, length, 0.0)
                rate = state.rate[e, i]
                link.to_link = qd.Matrix([[1.0, 0.0, 0.0], [s * at, c, s], [c * at, -s, c]])
                velocity = link.to_link @ velocity
                velocity[0] += rate
                link.velocity = velocity
                link.coriolis = qd.Vector([0.0, velocity[2] * rate, -velocity[1] * rate])
                link.inertia = own
                link.bias = crossed(velocity) @ (own @ velocity)
                chain[e, i] = link
            for k in range(links):
                i = links - 1 - k
                link = chain[e, i]
                column = qd.Vector([link.inertia[0, 0], link.inertia[1, 0], link.inertia[2, 0]])
                u = -0.01 * state.rate[e, i] - link.bias[0]
                chain[e, i].u = u
                if i > 0:
                    rest = link.inertia - column.outer_product(column) / column[0]
                    bias = link.bias + rest @ link.coriolis + column * (u / column[0])
                    back = link.to_link.transpose()
                    chain[e, i - 1].inertia += back @ rest @ link.to_link
                    chain[e, i - 1].bias += back @ bias
            acceleration = qd.Vector([0.0, -gravity, 0.0])
            for i in range(links):
                link = chain[e, i]
                acceleration = link.to_link @ acceleration + link.coriolis
                column = qd.Vector([link.inertia[0, 0], link.inertia[1, 0], link.inertia[2, 0]])
                faster = (link.u - column.dot(acceleration)) / column[0]
                acceleration[0] += faster
                state.rate[e, i] += dt * faster
                state.angle[e, i] += dt * state.rate[e, i]

    angle, rate = device_array(random((n, links)) - 0.5), device_array(np.zeros((n, links), np.float32))
    state = State(angle, rate)
    return lambda: step(state, 0.5, 1.0, 9.81), lambda: float(host(angle)[:, 0].astype(np.float64).mean()) if small else 0.0


PROGRAMS = {
    "pointer scatter": scatter("pointer"),
    "bitmasked scatter": scatter("bitmasked"),
    "pointer gather": gather("pointer"),
    "bitmasked gather": gather("bitmasked"),
    "bitmasked cells": bitmasked,
    "field, struct-for": dense("field"),
    "field, range": dense("range"),
    "ndarray, struct-for": dense("ndarray"),
    "twelve fields": twelve,
    "mpm88": mpm88,
    "bodies": bodies,
}
