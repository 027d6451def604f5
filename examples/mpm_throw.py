"""Throwing a jelly at a target: gradients through the simulation find the initial velocity.

This is the material point method of Y. Hu and others, A moving least squares material point method (SIGGRAPH 2018),
with an additional index for the time, so that it can be run backward, as in their DiffTaichi (ICLR 2020). The jelly is
neo-Hookean. The transfers between particles and grid conserve momentum, so in free flight the derivative of the centre
of mass by the common initial velocity of the particles is the time of flight, however the jelly deforms meanwhile.

Look at: that derivative, which is right to rounding; Newton's parabola; and the throw whose bounce ends at the target.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
CELLS = 24 if SMALL else 40
STEPS = 300 if SMALL else 360
SIDE = 8 if SMALL else 14  # particles along a side of the jelly
N = SIDE * SIDE
DX, DT = 1 / CELLS, 1.6e-3
GRAVITY, STIFFNESS, POISSON = 9.81, 80.0, 0.25
MU, LAMBDA = STIFFNESS / 2 / (1 + POISSON), STIFFNESS * POISSON / (1 + POISSON) / (1 - 2 * POISSON)
VOLUME = (0.16 / SIDE) ** 2
MASS = VOLUME  # density 1


def vectors(*shape):
    return qd.Vector.field(2, qd.f64, shape=shape, needs_grad=True)


def matrices(*shape):
    return qd.Matrix.field(2, 2, qd.f64, shape=shape, needs_grad=True)


x, v = vectors(STEPS + 1, N), vectors(STEPS + 1, N)
affine, deformation = matrices(STEPS + 1, N), matrices(STEPS + 1, N)
momentum, velocity = vectors(STEPS, CELLS, CELLS), vectors(STEPS, CELLS, CELLS)
weight = qd.field(qd.f64, shape=(STEPS, CELLS, CELLS), needs_grad=True)
start, middle = vectors(), vectors()
loss = qd.field(qd.f64, shape=(), needs_grad=True)


@qd.func
def spread(at):
    """Returns the lowest of the nine nodes around a particle, the position relative to it, and the weights of a quadratic spline."""
    base = qd.cast(at / DX - 0.5, qd.i32)
    f = at / DX - base
    return base, f, [0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2]


@qd.kernel
def throw():
    for p in range(N):
        v[0, p] = start[None]


@qd.kernel
def to_grid(t: qd.i32):
    for p in range(N):
        base, f, w = spread(x[t, p])
        F = (qd.Matrix.identity(qd.f64, 2) + DT * affine[t, p]) @ deformation[t, p]
        deformation[t + 1, p] = F
        stress = MU * (F @ F.transpose() - qd.Matrix.identity(qd.f64, 2))
        stress += qd.Matrix.identity(qd.f64, 2) * LAMBDA * qd.log(F.determinant())
        moves = MASS * affine[t, p] - DT * VOLUME * 4 / DX / DX * stress
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            share = w[i][0] * w[j][1]
            momentum[t, base + offset] += share * (MASS * v[t, p] + moves @ ((offset - f) * DX))
            weight[t, base + offset] += share * MASS


@qd.kernel
def on_grid(t: qd.i32):
    for i, j in qd.ndrange(CELLS, CELLS):
        if weight[t, i, j] > 0:
            u = momentum[t, i, j] / weight[t, i, j]
            u[1] -= DT * GRAVITY
            if i < 3 and u[0] < 0 or i > CELLS - 4 and u[0] > 0:
                u[0] = 0
            if j < 3 and u[1] < 0 or j > CELLS - 4 and u[1] > 0:
                u[1] = 0
            velocity[t, i, j] = u


@qd.kernel
def to_particles(t: qd.i32):
    for p in range(N):
        base, f, w = spread(x[t, p])
        u, c = qd.Vector.zero(qd.f64, 2), qd.Matrix.zero(qd.f64, 2, 2)
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            there = w[i][0] * w[j][1] * velocity[t, base + offset]
            u += there
            c += 4 / DX * there.outer_product(offset - f)
        v[t + 1, p] = u
        affine[t + 1, p] = c
        x[t + 1, p] = x[t, p] + DT * u


@qd.kernel
def find_middle(steps: qd.i32):
    for p in range(N):
        middle[None] += x[steps, p] / N


@qd.kernel
def one_coordinate(k: qd.template()):
    loss[None] += middle[None][k]


@qd.kernel
def distance(at: qd.math.vec2):
    loss[None] += (middle[None] - at).norm_sqr()


def fly(steps):
    for sums in (momentum, weight, middle):
        sums.fill(0)
    throw()
    for t in range(steps):
        to_grid(t)
        on_grid(t)
        to_particles(t)
    find_middle(steps)


cloud = (np.arange(SIDE) + 0.5) / SIDE * 0.16
place = np.stack(np.meshgrid(cloud + 0.16, cloud + 0.42, indexing="ij"), axis=-1).reshape(N, 2)
path = np.zeros((STEPS + 1, N, 2))
path[0] = place
x.from_numpy(path)
unit = np.zeros((STEPS + 1, N, 2, 2))
unit[0] = np.eye(2)
deformation.from_numpy(unit)

# Free flight: Newton's parabola and its derivative.
free, first = STEPS // 4, np.array([1.2, 0.8])
start.from_numpy(first)
rows = []
for k in range(2):
    with qd.ad.Tape(loss=loss):
        fly(free)
        one_coordinate(k)
    rows.append(start.grad.to_numpy())
T = free * DT
expected = place.mean(axis=0) + T * first - np.array([0, GRAVITY * DT * DT * free * (free + 1) / 2])
off_path = abs(middle.to_numpy() - expected).max()
off_slope = abs(np.array(rows) - T * np.eye(2)).max() / T
print(f"middle of mass in free flight: off Newton's parabola by {off_path:.1e}, its derivative off {T:.3f} s by {off_slope:.1e}")
assert off_path < 1e-10 and off_slope < 1e-9

# The throw: the Gauss-Newton method for two unknowns needs the derivatives of both coordinates, which take two backward runs.
target = qd.math.vec2(0.72, 0.23)
throws, misses, paths = [first], [], []
for attempt in range(12):
    rows = []
    start.from_numpy(throws[-1])
    for k in range(2):
        with qd.ad.Tape(loss=loss):
            fly(STEPS)
            one_coordinate(k)
        rows.append(start.grad.to_numpy())
    end, jacobian = middle.to_numpy(), np.array(rows)
    paths.append(x.to_numpy())
    misses.append(np.linalg.norm(end - target.to_numpy()))
    print(f"throw {attempt}: ({throws[-1][0]:.4f}, {throws[-1][1]:.4f}) m/s misses by {misses[-1]:.2e} m")
    if misses[-1] < 1e-6:
        break
    change = np.linalg.lstsq(jacobian, target.to_numpy() - end, rcond=1e-3)[0]
    throws.append(throws[-1] + change * min(1, 1.0 / np.linalg.norm(change)))
assert misses[-1] < 1e-6

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, gridspec_kw={"width_ratios": (1.7, 1)})
for k, (flight, color) in enumerate(((paths[0], "#c9ccd1"), (paths[-1], "C0"))):
    left.plot(*flight.mean(axis=1).T, color=color, lw=1, zorder=k)
    for t in np.linspace(0, STEPS, 7).astype(int):
        left.scatter(*flight[t].T, s=3 if SMALL else 2, color=color, alpha=0.35 + 0.6 * t / STEPS, lw=0, zorder=k)
floor = 3 / CELLS
left.axhspan(0, floor, color="#e7e3da", lw=0)
left.plot(*target.to_numpy(), "+", color="C1", ms=16, mew=2.5, zorder=5)
left.set(aspect="equal", xlim=(0.1, 0.95), ylim=(floor - 0.03, 0.85), xlabel="x, m", ylabel="y, m", title="The first throw (grey) and the last")
right.semilogy(misses, "o-", color="C1")
right.set(xlabel="throw", ylabel="miss, m", title="Newton's method finds it", xticks=range(len(misses)))
Path("out").mkdir(exist_ok=True)
fig.savefig("out/mpm_throw.png")
