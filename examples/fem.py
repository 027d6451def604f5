"""A beam that is bent and released: finite elements, implicit in time.

The elements are bilinear quadrilaterals in plane stress with 2 x 2 Gauss points (O. C. Zienkiewicz, R. L. Taylor, The
Finite Element Method). Time steps use Newmark's average acceleration (N. M. Newmark, J. Eng. Mech. Div. ASCE 85, 1959),
which conserves energy. The sparse matrix of a step is assembled and factorized once, by Cholesky's method (T. A. Davis,
Direct Methods for Sparse Linear Systems, 2006); every step solves with its factors.

Look at: the deflection of the tip under a load P, which is P L^3 / 3 E I by Euler and Bernoulli, plus 1.2 P L / G A for
shear by Timoshenko; the fundamental frequency after release, w = 1.8751^2 sqrt(E I / rho A) / L^2; the stress, which is
tension above and compression below; the energy.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
NX, NY = (48, 4) if SMALL else (72, 6)  # elements along and across
LENGTH, HEIGHT, E, NU, RHO, LOAD = 1.0, 1 / 12, 1.0, 0.25, 1.0, 2e-5
H = HEIGHT / NY

NODES = (NX + 1, NY + 1)
UNKNOWNS = 2 * (NX + 1) * (NY + 1)
disp, speed, accel, load, product = (qd.Vector.field(2, qd.f64, shape=NODES) for _ in range(5))
builder = qd.linalg.SparseMatrixBuilder(UNKNOWNS, UNKNOWNS, max_num_triplets=64 * NX * NY + 2 * (NY + 1), dtype=qd.f64)
stress = qd.field(qd.f64, shape=(NX, NY))


@qd.func
def elastic(strain):
    """Returns the components xx, yy, xy of plane stress; the strain xy is the engineering shear strain."""
    a = E / (1 - NU * NU)
    return qd.Vector([a * (strain[0] + NU * strain[1]), a * (strain[1] + NU * strain[0]), E / (2 + 2 * NU) * strain[2]])


@qd.func
def gradient(corner: qd.template(), x, y):
    """Returns the gradient of the shape function of a corner (0 or 1 along each axis), at (x, y) in the unit square."""
    sx, sy = 2 * corner[0] - 1, 2 * corner[1] - 1
    return qd.Vector([sx * (1 - corner[1] + sy * y), sy * (1 - corner[0] + sx * x)]) / H


@qd.func
def strain_at(u: qd.template(), i, j, x, y):
    strain = qd.Vector([0.0, 0.0, 0.0])
    for c in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
        g, w = gradient(c, x, y), u[i + c[0], j + c[1]]
        strain += qd.Vector([g[0] * w[0], g[1] * w[1], g[1] * w[0] + g[0] * w[1]])
    return strain


@qd.kernel
def apply(u: qd.template(), out: qd.template(), stiff: qd.f64, inertia: qd.f64):
    """Computes out = (stiff K + inertia M) u, without the nodes of the clamped end."""
    for n in qd.grouped(out):
        out[n] = [0, 0]
    for i, j in qd.ndrange(NX, NY):
        for gx, gy in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
            x, y = 0.5 + (gx - 0.5) / 3**0.5, 0.5 + (gy - 0.5) / 3**0.5
            s = elastic(strain_at(u, i, j, x, y))
            for c in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
                g = gradient(c, x, y)
                out[i + c[0], j + c[1]] += stiff * H * H / 4 * qd.Vector([g[0] * s[0] + g[1] * s[2], g[1] * s[1] + g[0] * s[2]])
        for c in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
            out[i + c[0], j + c[1]] += inertia * RHO * H * H / 4 * u[i + c[0], j + c[1]]
    for j in range(NY + 1):
        out[0, j] = [0, 0]


@qd.kernel
def dot(a: qd.template(), b: qd.template()) -> qd.f64:
    total = 0.0
    for n in qd.grouped(a):
        total += a[n].dot(b[n])
    return total


@qd.kernel
def add(y: qd.template(), a: qd.f64, x: qd.template(), b: qd.f64):
    """Computes y = a x + b y."""
    for n in qd.grouped(y):
        y[n] = a * x[n] + b * y[n]


@qd.kernel
def assemble(A: qd.types.sparse_matrix_builder(), stiff: qd.f64, inertia: qd.f64):
    """Assembles the matrix of `apply`, with ones on the diagonal for the nodes of the clamped end."""
    for i, j in qd.ndrange(NX, NY):
        for p in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
            for q in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
                force_x, force_y = qd.Vector([0.0, 0.0]), qd.Vector([0.0, 0.0])  # the force on p when q moves along x, and along y
                for gx, gy in qd.static(((0, 0), (1, 0), (0, 1), (1, 1))):
                    x, y = 0.5 + (gx - 0.5) / 3**0.5, 0.5 + (gy - 0.5) / 3**0.5
                    g, h = gradient(p, x, y), gradient(q, x, y)
                    s, t = elastic(qd.Vector([h[0], 0.0, h[1]])), elastic(qd.Vector([0.0, h[1], h[0]]))
                    force_x += stiff * H * H / 4 * qd.Vector([g[0] * s[0] + g[1] * s[2], g[1] * s[1] + g[0] * s[2]])
                    force_y += stiff * H * H / 4 * qd.Vector([g[0] * t[0] + g[1] * t[2], g[1] * t[1] + g[0] * t[2]])
                if qd.static(p == q):
                    force_x[0] += inertia * RHO * H * H / 4
                    force_y[1] += inertia * RHO * H * H / 4
                row = 2 * ((i + p[0]) * (NY + 1) + j + p[1])
                col = 2 * ((i + q[0]) * (NY + 1) + j + q[1])
                if i + p[0] > 0 and i + q[0] > 0:
                    for d in qd.static(range(2)):
                        A[row + d, col] += force_x[d]
                        A[row + d, col + 1] += force_y[d]
    for k in range(2 * (NY + 1)):
        A[k, k] += 1.0


def factorized(stiff: float, inertia: float):
    """Returns a solver for (stiff K + inertia M) x = b."""
    assemble(builder, stiff, inertia)
    solver = qd.linalg.SparseSolver(dtype=qd.f64, solver_type="LLT", ordering="AMD")
    solver.compute(builder.build())
    assert solver.info()
    return solver


def solve(x, b, solver) -> None:
    x.from_numpy(solver.solve(b.to_numpy().ravel()).reshape(*NODES, 2))


def energy() -> float:
    apply(disp, product, 1.0, 0.0)
    elastic_part = dot(disp, product)
    apply(speed, product, 0.0, 1.0)
    return 0.5 * (elastic_part + dot(speed, product))


@qd.kernel
def find_stress():
    for i, j in stress:
        stress[i, j] = elastic(strain_at(disp, i, j, 0.5, 0.5))[0]


inertia_moment, area, shear = HEIGHT**3 / 12, HEIGHT, E / (2 + 2 * NU)
ends = np.zeros((*NODES, 2))
ends[NX, :, 1] = -LOAD / (NY + 1)
load.from_numpy(ends)
solve(disp, load, factorized(1.0, 0.0))
apply(disp, product, 1.0, 0.0)
add(product, -1.0, load, 1.0)
left_over = (dot(product, product) / dot(load, load)) ** 0.5
find_stress()
bent, sigma = disp.to_numpy(), stress.to_numpy()
sag = -bent[NX, :, 1].mean()
beam = LOAD * LENGTH**3 / (3 * E * inertia_moment) + 1.2 * LOAD * LENGTH / (shear * area)
root = LOAD * (LENGTH - 0.5 * H) * (HEIGHT - H) / 2 / inertia_moment
print(f"tip sags {sag:.5f}, beam theory {beam:.5f} ({sag / beam - 1:+.2%}), residual {left_over:.0e}")
assert left_over < 1e-9
assert abs(sag / beam - 1) < (0.06 if SMALL else 0.02)
middle = NX // 2
expected = LOAD * (LENGTH - (middle + 0.5) * H) * (HEIGHT - H) / 2 / inertia_moment
assert abs(sigma[middle, -1] / expected - 1) < (0.06 if SMALL else 0.02)

# Release: M a = -K u at every time; u and its velocity follow from the mean of the old and the new acceleration (Newmark).
omega = 1.8751041**2 * np.sqrt(E * inertia_moment / (RHO * area)) / LENGTH**2
period, per_period = 2 * np.pi / omega, 30 if SMALL else 48
dt, steps = period / per_period, int(1.6 * per_period)
add(load, 0.0, load, 0.0)
apply(disp, product, -1.0, 0.0)
load.copy_from(product)
solve(accel, load, factorized(0.0, 1.0))
step = factorized(dt * dt / 4, 1.0)
tips, energies = [-sag], [energy()]
for _ in range(steps):
    add(disp, dt, speed, 1.0)
    add(disp, dt * dt / 4, accel, 1.0)
    add(speed, dt / 2, accel, 1.0)
    apply(disp, load, -1.0, 0.0)
    solve(accel, load, step)
    add(disp, dt * dt / 4, accel, 1.0)
    add(speed, dt / 2, accel, 1.0)
    tips.append(disp[NX, NY // 2][1])
    energies.append(energy())
tips, energies, times = np.array(tips), np.array(energies), np.arange(steps + 1) / per_period
k = np.nonzero(tips[:-1] * tips[1:] < 0)[0]
crossings = times[k] + tips[k] / (tips[k] - tips[k + 1]) / per_period
seen = crossings[2] - crossings[0]
drift = np.ptp(energies) / energies[0]
print(f"period {seen:.4f} of Euler and Bernoulli's; energy kept to {drift:.0e}")
assert abs(seen - 1) < (0.03 if SMALL else 0.015)
assert drift < 1e-6

import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1.35, 1], figsize=(10, 3.9))
rest = np.stack(np.meshgrid(np.arange(NX + 1) * H, np.arange(NY + 1) * H, indexing="ij"), axis=-1)
for share, colour in ((-1, "#e3e0d8"), (0, "#d3d0c8"), (1, None)):
    at = rest + share * bent
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=2).reshape(-1, 4, 2)
    parts = PolyCollection(list(quads), facecolors=colour, edgecolors="face", linewidths=0.4)
    if colour is None:
        parts = PolyCollection(list(quads), array=sigma.ravel(), cmap="RdBu_r", edgecolors="#1d253040", linewidths=0.3)
        parts.set_clim(-root, root)
        fig.colorbar(parts, ax=left, location="bottom", shrink=0.6, label="stress along the beam / E", aspect=30)
    left.add_collection(parts)
left.axvspan(-0.06, 0, color="#8a8f98", lw=0)
left.set(xlim=(-0.06, 1.05), ylim=(-0.2, 0.22), aspect="equal", xticks=[], yticks=[], title="A clamped beam, bent by its load")
left.spines[:].set_visible(False)
right.plot(times, -sag * np.cos(2 * np.pi * times), color="#c9ccd1", lw=5, label="first tone by theory")
right.plot(times, tips, label="tip of the beam")
right.set(title="After release", xlabel="time in periods of theory", ylabel="height of the tip", ylim=(-0.16, 0.21))
right.legend(loc="upper right", ncols=2)
Path("out").mkdir(exist_ok=True)
fig.savefig("out/fem.png")
