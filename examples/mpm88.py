"""The material point method in a few lines: two drops collide, and a dam breaks.

This is the moving least squares method of Y. Hu, Y. Fang, Z. Ge, Z. Qu, Y. Zhu, A. Pradhana and C. Jiang (ACM Trans.
Graphics 37, 2018), which became known through a version of 88 lines, with the affine particles of C. Jiang, C.
Schroeder, A. Selle, J. Teran and A. Stomakhin (ACM Trans. Graphics 34, 2015). Water is modelled as a fluid whose
pressure grows with its compression.

Look at: momentum and angular momentum, which are conserved to rounding while the drops collide off centre; and the
front of the water behind a broken dam, which is never faster than 2 sqrt(g h), the speed that A. Ritter derived for
water without friction (Zeitschrift VDI 36, 1892).
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
GRID, N = (32, 1024) if SMALL else (64, 9216)  # cells along the box, particles
DX, DT = 1 / GRID, 0.02 / GRID
STIFFNESS, WALL = 400.0, 3

x = qd.Vector.field(2, qd.f32, shape=N)
v = qd.Vector.field(2, qd.f32, shape=N)
affine = qd.Matrix.field(2, 2, qd.f32, shape=N)
volume = qd.field(qd.f32, shape=N)  # relative to the volume at rest
grid_v = qd.Vector.field(2, qd.f32, shape=(GRID, GRID))
grid_m = qd.field(qd.f32, shape=(GRID, GRID))


@qd.func
def weights(fraction):
    """Returns the weights of three cells along each axis, by quadratic B-splines."""
    return 0.5 * (1.5 - fraction) ** 2, 0.75 - (fraction - 1) ** 2, 0.5 * (fraction - 0.5) ** 2


@qd.kernel
def step(mass: qd.f32, rest: qd.f32, gravity: qd.f32):
    """Runs one step; all particles have the same mass and the same volume at rest."""
    for c in qd.grouped(grid_m):
        grid_v[c] = [0, 0]
        grid_m[c] = 0
    for p in x:
        base = qd.cast(x[p] / DX - 0.5, qd.i32)
        fraction = x[p] / DX - base
        w = weights(fraction)
        stress = -DT * 4 * STIFFNESS * rest * (volume[p] - 1) / DX**2
        push = qd.Matrix([[stress, 0.0], [0.0, stress]]) + mass * affine[p]
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            share = w[i][0] * w[j][1]
            grid_v[base + offset] += share * (mass * v[p] + push @ ((offset - fraction) * DX))
            grid_m[base + offset] += share * mass
    for i, j in grid_m:
        if grid_m[i, j] > 0:
            u = grid_v[i, j] / grid_m[i, j] - qd.Vector([0.0, DT * gravity])
            if i < WALL:
                u.x = max(u.x, 0.0)
            if i > GRID - WALL:
                u.x = min(u.x, 0.0)
            if j < WALL:
                u.y = max(u.y, 0.0)
            if j > GRID - WALL:
                u.y = min(u.y, 0.0)
            grid_v[i, j] = u
    for p in x:
        base = qd.cast(x[p] / DX - 0.5, qd.i32)
        fraction = x[p] / DX - base
        w = weights(fraction)
        new_v, new_affine = qd.Vector.zero(qd.f32, 2), qd.Matrix.zero(qd.f32, 2, 2)
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            u = w[i][0] * w[j][1] * grid_v[base + offset]
            new_v += u
            new_affine += 4 * u.outer_product(offset - fraction) / DX
        v[p], affine[p] = new_v, new_affine
        x[p] += DT * new_v
        volume[p] *= 1 + DT * new_affine.trace()


def start(points: np.ndarray, speeds: np.ndarray) -> None:
    x.from_numpy(points.astype(np.float32))
    v.from_numpy(speeds.astype(np.float32))
    affine.fill(0)
    volume.fill(1)


def moments(mass: float) -> np.ndarray:
    """Returns the momentum and the angular momentum, including the rotation inside the particles."""
    at, speed, c = (f.to_numpy().astype(np.float64) for f in (x, v, affine))
    spin = at[:, 0] * speed[:, 1] - at[:, 1] * speed[:, 0] + DX**2 / 4 * (c[:, 1, 0] - c[:, 0, 1])
    return mass * np.array([*speed.sum(axis=0), spin.sum()])


rng = np.random.default_rng(2)
angle, r = rng.uniform(0, 2 * np.pi, N), 0.1 * np.sqrt(rng.uniform(0, 1, N))
disc, second = r[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1), np.arange(N) >= N // 2
middles, speeds = np.array([[0.3, 0.44], [0.7, 0.56]]), np.array([[3.0, 0.0], [-2.0, 0.0]])
area = 2 * np.pi * 0.1**2 / N
start(disc + middles[second.astype(int)], speeds[second.astype(int)])
drops, kept = [x.to_numpy()], [moments(area)]
for k in range(1, 4):
    for _ in range(int(0.035 / DT)):
        step(area, area, 0.0)
    drops.append(x.to_numpy())
    kept.append(moments(area))
kept = np.array(kept)
lost = np.abs(kept - kept[0]).max(axis=0) / np.abs(kept[0]).max()
print(f"lost of momentum {lost[:2].max():.1e}, of angular momentum {lost[2]:.1e}")
assert lost.max() < 1e-4

# A square column of water, held until now by the left wall and a dam.
side, gravity = 0.3, 9.8
floor = WALL * DX
points = floor + side * (np.stack(np.meshgrid(*(np.arange(int(N**0.5)) + 0.5,) * 2), axis=-1) / int(N**0.5)).reshape(-1, 2)
start(points, np.zeros_like(points))
area, frames, times, fronts = side**2 / N, [], [0.0], [floor + side]
for k in range(1, 31):
    for _ in range(int(0.015 / DT)):
        step(area, area, gravity)
    times.append(times[-1] + DT * int(0.015 / DT))
    frames.append((x.to_numpy(), v.to_numpy()))
    fronts.append(np.quantile(frames[-1][0][:, 0], 0.999))
times, fronts = np.array(times), np.array(fronts)
flowing = (fronts > fronts[0] + 2 * DX) & (fronts < 1 - 3 * floor)
speed = np.polyfit(times[flowing], fronts[flowing], 1)[0] / np.sqrt(gravity * side)
print(f"front of the broken dam: {speed:.2f} sqrt(g h), Ritter's bound 2")
assert 1.2 < speed < 2.0
assert np.all(fronts - fronts[0] < 2 * np.sqrt(gravity * side) * times + DX)

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig = plt.figure(figsize=(10, 3.7))
cells = fig.add_gridspec(2, 4, width_ratios=[1, 1, 1, 1.5])
colours = np.where(second, "#ffb37a", "#7fc8e8")
for k in range(3):
    ax = fig.add_subplot(cells[0, k], facecolor="#0d1117", aspect="equal")
    ax.scatter(*drops[k + 1].T, s=0.9, c=colours, linewidths=0)
    ax.set(xlim=(0.1, 0.9), ylim=(0.2, 0.8), xticks=[], yticks=[])
    ax = fig.add_subplot(cells[1, k], facecolor="#0d1117", aspect="equal")
    at, velocity = frames[(5, 14, 29)[k]]
    ax.scatter(*at.T, s=0.9, c=np.hypot(*velocity.T), cmap="YlGnBu_r", vmin=-0.5, vmax=4, linewidths=0)
    ax.set(xlim=(floor, 1 - floor), ylim=(floor, floor + 0.75 * (1 - 2 * floor)), xticks=[], yticks=[])
ax = fig.add_subplot(cells[:, 3])
ax.plot(times, 2 * np.sqrt(gravity * side) * times, color="#8a8f98", lw=1, ls="--", label="Ritter, 2 sqrt(g h)")
ax.plot(times, fronts - fronts[0], label="front of the water")
ax.set(title="A broken dam", xlabel="time", ylabel="way of the front", ylim=(0, 0.75), xlim=(0, times[-1]))
ax.legend(loc="lower right")
ax.grid(axis="y")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/mpm88.png")
