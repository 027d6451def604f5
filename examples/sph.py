"""A drop that is stretched: smoothed particle hydrodynamics (SPH) with neighbour lists.

This is weakly compressible SPH as in J. J. Monaghan (J. Comput. Phys. 110, 1994), with H. Wendland's kernel (Adv.
Comput. Math. 4, 1995). Particles are sorted into cells, and lists of the neighbours within reach are used for several
steps, as in L. Verlet (Phys. Rev. 159, 1967); cells and lists are dynamic nodes, which grow by appending.

Look at: the drop. A round drop that starts with the velocity (x, -y) stays an ellipse, since a' = s a, b' = -s b and
s' = s^2 (b^2 - a^2) / (a^2 + b^2) solve Euler's equations with a free surface; its area is constant, and so is a b.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
SPACING = 0.1 if SMALL else 0.04
H = 2.2 * SPACING
REACH, SKIN = 2 * H, 0.5 * SPACING  # the radius of the kernel; how far the lists reach beyond it
SOUND, DENSITY, GAMMA, VISCOSITY = 20.0, 1.0, 7, 0.03
T_END, CELL = 0.8, REACH + SKIN
CELLS = int(8 / CELL)  # the plane from -4 to 4

lattice = SPACING * np.stack(np.meshgrid(*(np.arange(-60, 60) + 0.5,) * 2), axis=-1).reshape(-1, 2)
drop = lattice[np.hypot(*lattice.T) < 1]
N, MASS = len(drop), DENSITY * np.pi / len(drop)

pos, vel, acc = (qd.Vector.field(2, qd.f64, shape=N) for _ in range(3))
density = qd.field(qd.f64, shape=N)
in_cell, neighbours = qd.field(qd.i32), qd.field(qd.i32)
cells = qd.root.dense(qd.ij, (CELLS, CELLS)).dynamic(qd.k, 128, chunk_size=16)
cells.place(in_cell)
lists = qd.root.dense(qd.i, N).dynamic(qd.j, 128, chunk_size=32)
lists.place(neighbours)


@qd.func
def cell_of(p):
    return qd.cast((p + 4.0) / CELL, qd.i32)


@qd.kernel
def find_neighbours():
    for i, j in qd.ndrange(CELLS, CELLS):
        in_cell[i, j].deactivate()
    for p in range(N):
        neighbours[p].deactivate()
    for p in range(N):
        c = cell_of(pos[p])
        in_cell[c.x, c.y].append(p)
    for p in range(N):
        middle = cell_of(pos[p])
        for i, j in qd.ndrange((-1, 2), (-1, 2)):
            x, y = middle.x + i, middle.y + j
            for k in range(in_cell[x, y].length()):
                q = in_cell[x, y, k]
                if q != p and (pos[q] - pos[p]).norm() < CELL:
                    neighbours[p].append(q)


@qd.func
def pressure_of(rho):
    return SOUND**2 * DENSITY / GAMMA * ((rho / DENSITY) ** GAMMA - 1)


@qd.func
def kernel_gradient(d):
    """Returns the gradient of Wendland's C2 kernel for two particles at distance d."""
    return -35 / (4 * np.pi * H**4) * max(1 - 0.5 * d.norm() / H, 0.0) ** 3 * d


@qd.kernel
def step(dt: qd.f64) -> qd.f64:
    """Updates the densities, then the velocities from the new densities, then the positions; returns the highest speed."""
    for p in range(N):
        rate = 0.0
        for k in range(neighbours[p].length()):
            q = neighbours[p, k]
            rate += MASS * (vel[p] - vel[q]).dot(kernel_gradient(pos[p] - pos[q]))
        density[p] += dt * rate
    for p in range(N):
        a = qd.Vector([0.0, 0.0])
        for k in range(neighbours[p].length()):
            q = neighbours[p, k]
            d = pos[p] - pos[q]
            approach = min(d.dot(vel[p] - vel[q]), 0.0) * H / (d.norm_sqr() + 0.01 * H * H)
            friction = -VISCOSITY * SOUND * approach / (0.5 * (density[p] + density[q]))
            push = pressure_of(density[p]) / density[p] ** 2 + pressure_of(density[q]) / density[q] ** 2
            a -= MASS * (push + friction) * kernel_gradient(d)
        acc[p] = a
    fastest = 0.0
    for p in range(N):
        vel[p] += dt * acc[p]
        pos[p] += dt * vel[p]
        qd.atomic_max(fastest, vel[p].norm())
    return fastest


pos.from_numpy(drop)
vel.from_numpy(drop * (1, -1))
density.fill(DENSITY)
dt, time, slack, built = 0.25 * H / SOUND, 0.0, -1.0, 0
a, b, s = 1.0, 1.0, 1.0  # the ellipse by theory
first = 2 * np.sqrt((drop**2).mean(axis=0))
seen, theory, frames = [], [], []
while time < T_END:
    if slack < 0:
        find_neighbours()
        slack, built = SKIN, built + 1
    slack -= 2 * dt * step(dt)
    s += dt * s * s * (b * b - a * a) / (a * a + b * b)
    a, b, time = a + dt * s * a, b - dt * s * b, time + dt
    moments = 2 * np.sqrt((pos.to_numpy() ** 2).mean(axis=0))  # the half axes, if the drop is an ellipse
    seen.append((time, *moments / first))
    theory.append((time, a, b))
    if time >= len(frames) * T_END / 2:
        frames.append((a, b, pos.to_numpy()))
seen, theory = np.array(seen), np.array(theory)
off, area = np.abs(seen[-1, 1:] / theory[-1, 1:] - 1).max(), seen[-1, 1] * seen[-1, 2]
print(f"{N} particles, {len(seen)} steps, {built} lists")
print(f"half axes {seen[-1, 1]:.4f}, {seen[-1, 2]:.4f}, by theory {a:.4f}, {b:.4f}")
assert off < (0.04 if SMALL else 0.02) and abs(area - 1) < (0.04 if SMALL else 0.02)

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.1], figsize=(10, 4.6))
turn = np.linspace(0, 2 * np.pi, 200)
bands = (5 * np.hypot(*drop.T)).astype(int) + 5 * (drop[:, 0] * drop[:, 1] > 0)
for k, (a, b, at) in enumerate(frames):
    middle = (0, -1.95, -3.4)[k]
    left.scatter(at[:, 0], at[:, 1] + middle, s=260 * SPACING, c=bands, cmap="YlGnBu", vmin=-3, vmax=11, linewidths=0)
    left.plot(a * np.cos(turn), b * np.sin(turn) + middle, color="#d1603d", lw=1.2)
    left.text(-2.1, middle, f"t = {T_END * k / 2:g}", ha="right", va="center", fontsize=9)
left.set(aspect="equal", xticks=[], yticks=[], title="A drop, and the ellipse of the theory")
left.spines[:].set_visible(False)
for k, name in ((1, "long"), (2, "short")):
    right.plot(theory[:, 0], theory[:, k], color="#c9ccd1", lw=5)
    right.plot(seen[:, 0], seen[:, k], label=f"{name} half axis")
right.set(title="Half axes", xlabel="time", xlim=(0, T_END))
right.legend(loc="upper left")
right.grid(axis="y")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/sph.png")
