"""A drum made of masses and springs.

The masses are the points of a triangular lattice inside a circle; those at the rim are fixed, and stretched springs
connect each one to its neighbours. The frequencies of an ideal drum are zeros of Bessel functions (Lord Rayleigh, The
Theory of Sound I, 1877, chapter IX): 2.4048, 3.8317 and 5.1356 times c / R for the modes (0,1), (1,1) and (2,1). A
lattice of masses m with springs of length a at tension F models a drum with c^2 = 3 F a / 2 m. The time steps are those
of L. Verlet (Phys. Rev. 159, 1967).

Look at: the frequencies of the modes against Rayleigh's numbers; the energy, which oscillates but does not drift.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
RINGS = 16 if SMALL else 40  # springs from the middle to the rim
A = 1 / RINGS
STIFFNESS, REST = 1.0, 0.5 * A  # springs are stretched to twice their length
TENSION = STIFFNESS * (A - REST)
MASS = 1.5 * TENSION * A  # gives c = 1

# The points of the lattice, and the springs as pairs of points. A point at the rim is fixed; half of it counts towards the area.
lattice = {}
for row, column in np.ndindex(4 * RINGS + 1, 4 * RINGS + 1):
    x, y = (column - 2 * RINGS + row / 2 - RINGS) * A, (row - 2 * RINGS) * np.sqrt(0.75) * A
    if np.hypot(x, y) < 1 + 0.6 * A:
        lattice[row, column] = (len(lattice), x, y)
rest = np.array([(x, y, 0.0) for _, x, y in lattice.values()])
springs = [
    (k, lattice[there][0])
    for (row, column), (k, _, _) in lattice.items()
    for there in ((row, column + 1), (row + 1, column), (row + 1, column - 1))
    if there in lattice
]
springs = np.array(springs)
is_free = np.bincount(springs.ravel()) == 6
radius = np.sqrt((is_free.sum() + 0.5 * (~is_free).sum()) * np.sqrt(0.75) * A * A / np.pi)


# The points are the vertices of the mesh, and the springs its edges. It is described in the form that mesh patchers write,
# as a single patch: the vertices of each edge, and the neighbours of each vertex.
def elements(order: int, n: int) -> dict:
    numbers = list(range(n))
    mappings = {"l2g_mapping": numbers, "l2r_mapping": numbers, "g2r_mapping": numbers}
    return {"order": order, "num": n, "max_num_per_patch": n, "owned_offsets": [0, n], "total_offsets": [0, n], **mappings}


near = np.concatenate([springs, springs[:, ::-1]])
near = near[np.argsort(near[:, 0], kind="stable")]
mesh = qd.Mesh._create_instance(
    qd.Mesh.generate_meta(
        {
            "num_patches": 1,
            "elements": [elements(0, len(rest)), elements(1, len(springs))],
            "relations": [
                {"from_order": 1, "to_order": 0, "value": springs.ravel()},
                {
                    "from_order": 0,
                    "to_order": 0,
                    "value": near[:, 1],
                    "patch_offset": [0],
                    "offset": np.searchsorted(near[:, 0], np.arange(len(rest) + 1)),
                },
            ],
            "attrs": {"x": rest},
        }
    )
)
vec3 = qd.types.vector(3, qd.f64)
mesh.verts.place({"pos": vec3, "vel": vec3, "force": vec3, "free": qd.i32})
mesh.verts.free.from_numpy(is_free.astype(np.int32))


@qd.kernel
def pull():
    for v in mesh.verts:
        total = vec3(0.0)
        for k in range(v.verts.size):
            d = v.verts[k].pos - v.pos
            total += STIFFNESS * (d.norm() - REST) * d.normalized()
        v.force = total


@qd.kernel
def kick(dt: qd.f64):
    for v in mesh.verts:
        if v.free:
            v.vel += dt * v.force / MASS


@qd.kernel
def drift(dt: qd.f64):
    for v in mesh.verts:
        v.pos += dt * v.vel


@qd.kernel
def energy() -> qd.f64:
    total = 0.0
    for v in mesh.verts:
        total += 0.5 * MASS * v.vel.norm_sqr()
    for e in mesh.edges:
        total += 0.5 * STIFFNESS * ((e.verts[1].pos - e.verts[0].pos).norm() - REST) ** 2
    return total


def bessel(n: int, x: np.ndarray) -> np.ndarray:
    turn = (np.arange(64) + 0.5) * np.pi / 64
    return np.cos(n * turn - np.multiply.outer(x, np.sin(turn))).mean(axis=-1)


# The drum starts at rest in the sum of three modes; each of them then oscillates on its own.
ZEROS = {(0, 1): 2.404826, (1, 1): 3.831706, (2, 1): 5.135622}
r, angle = np.hypot(rest[:, 0], rest[:, 1]) / radius, np.arctan2(rest[:, 1], rest[:, 0])
modes = np.array([bessel(m, zero * r) * np.cos(m * angle) * is_free for (m, _), zero in ZEROS.items()])
height = 2e-3
mesh.verts.pos.from_numpy(rest + np.outer(height * modes.sum(axis=0), [0, 0, 1]))

dt, steps = 0.3 * A, int((4 if SMALL else 8) / (0.3 * A))
amplitudes, energies, shape = [np.ones(3)], [], rest[:, 2]
flat = len(springs) * 0.5 * STIFFNESS * (A - REST) ** 2  # of the drum at rest
pull()
kick(dt / 2)
for step in range(steps):
    drift(dt)
    pull()
    kick(dt / 2)
    z = mesh.verts.pos.to_numpy()[:, 2] / height
    amplitudes.append(modes @ z / (modes**2).sum(axis=1))
    energies.append(energy() - flat)
    kick(dt / 2)
    if step == int(2.4 / dt):
        shape = z
times, amplitudes, energies = dt * np.arange(steps + 1), np.array(amplitudes), np.array(energies)
for (mode, zero), a in zip(ZEROS.items(), amplitudes.T):
    k = np.nonzero(a[:-1] * a[1:] < 0)[0]
    crossings = times[k] + dt * a[k] / (a[k] - a[k + 1])
    seen = np.pi * (len(k) - 1) / (crossings[-1] - crossings[0]) * radius
    print(f"mode {mode}: {seen:.4f}, Rayleigh {zero:.4f}, off by {seen / zero - 1:+.2%}")
    assert abs(seen / zero - 1) < (0.02 if SMALL else 0.005)
swing = np.ptp(energies) / energies[0]
print(f"energy swings by {swing:.1e}")
assert swing < 0.02

import matplotlib.pyplot as plt
from matplotlib.tri import Triangulation

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig = plt.figure(layout="none")
left: Any = fig.add_axes((-0.01, -0.02, 0.54, 0.98), projection="3d", computed_zorder=False)
high = np.abs(shape).max()
triangles = Triangulation(rest[:, 0], rest[:, 1])
left.plot_trisurf(triangles, shape, cmap="RdYlBu_r", vmin=-high, vmax=high, lw=0.12, edgecolor="#1d253060", antialiased=True)
left.set_axis_off()
left.set_zlim(-high, high)
left.set_box_aspect((1, 1, 0.5), zoom=1.6)
left.view_init(36, -60)
axes = fig.subplots(3, 1, sharex=True, gridspec_kw={"left": 0.57, "right": 0.985, "top": 0.9, "bottom": 0.11, "hspace": 0.15})
for k, ((mode, zero), ax) in enumerate(zip(ZEROS.items(), axes)):
    ax.plot(times, np.cos(zero / radius * times), color="#c9ccd1", lw=4.5, label="Rayleigh")
    ax.plot(times, amplitudes[:, k], color=f"C{k}", lw=1.4, label="lattice")
    ax.set(ylabel=f"mode {mode}", ylim=(-1.15, 1.15), xlim=(0, times[-1]), yticks=[-1, 0, 1])
axes[0].set_title("Amplitudes by mode")
axes[0].legend(loc="lower right", bbox_to_anchor=(1.01, 0.96), ncols=2)
axes[2].set_xlabel("time")
fig.text(0.012, 0.938, f"A drum of {len(rest)} masses", fontsize=11, weight="bold", color="#1d2530")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/mass_spring.png")
