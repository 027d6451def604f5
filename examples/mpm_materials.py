"""Water, jelly and snow: the material point method with three materials.

This is the method of Y. Hu et al. (ACM Trans. Graphics 37, 2018). Jelly is a corotated elastic material, snow yields and
hardens as A. Stomakhin, C. Schroeder, L. Chai, J. Teran and A. Selle describe (ACM Trans. Graphics 32, 2013), and
water forgets its shape but keeps its volume. A singular value decomposition for every particle in every step separates
stretch from rotation.

Look at: a bar of jelly that oscillates lengthwise. The ends of a free bar of length L move with period 2 L / c, where
c^2 = E / (rho (1 - nu^2)) if it cannot expand to one side (Lord Rayleigh, The Theory of Sound I, chapter VII). In free
fall nothing is strained. Then three cubes fall on each other: water levels out, jelly keeps its shape, and snow stays
compressed.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
GRID, PER_CELL = (32, 2) if SMALL else (64, 3)  # cells along the box; particles in a cell along each axis
N = (PER_CELL * GRID) ** 2 // 6  # room for particles
DX, DT, WALL = 1 / GRID, 0.0128 / GRID, 3
VOLUME = (DX / PER_CELL) ** 2
MASS = VOLUME  # density 1
E, NU = 1000.0, 0.2
MU, LAMBDA = E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
WATER, JELLY, SNOW = 0, 1, 2

x = qd.Vector.field(2, qd.f32, shape=N)
v = qd.Vector.field(2, qd.f32, shape=N)
affine = qd.Matrix.field(2, 2, qd.f32, shape=N)
strain = qd.Matrix.field(2, 2, qd.f32, shape=N)  # the elastic part of the deformation gradient
packed = qd.field(qd.f32, shape=N)  # snow: the determinant of the plastic deformation
material = qd.field(qd.i32, shape=N)
grid_v = qd.Vector.field(2, qd.f32, shape=(GRID, GRID))
grid_m = qd.field(qd.f32, shape=(GRID, GRID))


@qd.func
def stress_of(p):
    """Returns the Kirchhoff stress; removes from `strain` the part that snow and water do not resist."""
    mu, lam = MU, LAMBDA
    if material[p] == SNOW:
        hardening = qd.exp(10 * (1 - packed[p]))
        mu, lam = mu * hardening, lam * hardening
    if material[p] == WATER:
        mu = 0.0
    u, sigma, w = qd.svd(strain[p])
    for k in qd.static(range(2)):
        if material[p] == SNOW:
            kept = min(max(sigma[k, k], 1 - 2.5e-2), 1 + 4.5e-3)
            packed[p] *= sigma[k, k] / kept
            sigma[k, k] = kept
    j = sigma[0, 0] * sigma[1, 1]
    if material[p] == WATER:
        strain[p] = qd.sqrt(j) * qd.Matrix.identity(qd.f32, 2)
    elif material[p] == SNOW:
        strain[p] = u @ sigma @ w.transpose()
    f = strain[p]
    return 2 * mu * (f - u @ w.transpose()) @ f.transpose() + lam * j * (j - 1) * qd.Matrix.identity(qd.f32, 2)


@qd.func
def spline(fraction):
    return qd.Matrix.rows([0.5 * (1.5 - fraction) ** 2, 0.75 - (fraction - 1) ** 2, 0.5 * (fraction - 0.5) ** 2])


@qd.kernel
def step(n: qd.i32, gravity: qd.f32):
    for c in qd.grouped(grid_m):
        grid_v[c] = [0, 0]
        grid_m[c] = 0
    for p in range(n):
        strain[p] = (qd.Matrix.identity(qd.f32, 2) + DT * affine[p]) @ strain[p]
        base = qd.cast(x[p] / DX - 0.5, qd.i32)
        fraction = x[p] / DX - base
        w = spline(fraction)
        push = -DT * 4 * VOLUME / DX**2 * stress_of(p) + MASS * affine[p]
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            share = w[i, 0] * w[j, 1]
            grid_v[base + offset] += share * (MASS * v[p] + push @ ((offset - fraction) * DX))
            grid_m[base + offset] += share * MASS
    for i, j in grid_m:
        if grid_m[i, j] > 0:
            u = grid_v[i, j] / grid_m[i, j] - qd.Vector([0.0, DT * gravity])
            if (i < WALL and u.x < 0) or (i > GRID - WALL and u.x > 0):
                u.x = 0
            if (j < WALL and u.y < 0) or (j > GRID - WALL and u.y > 0):
                u.y = 0
            grid_v[i, j] = u
    for p in range(n):
        base = qd.cast(x[p] / DX - 0.5, qd.i32)
        fraction = x[p] / DX - base
        w = spline(fraction)
        new_v, new_affine = qd.Vector.zero(qd.f32, 2), qd.Matrix.zero(qd.f32, 2, 2)
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            u = w[i, 0] * w[j, 1] * grid_v[base + offset]
            new_v += u
            new_affine += 4 / DX * u.outer_product(offset - fraction)
        v[p], affine[p] = new_v, new_affine
        x[p] += DT * new_v


def block(left: float, bottom: float, width: float, height: float) -> np.ndarray:
    """Returns particles that fill a rectangle, row by row."""
    h = DX / PER_CELL
    at = np.stack(np.meshgrid(*(np.arange(round(s / h)) + 0.5 for s in (width, height)), indexing="ij"), axis=-1)
    return at.reshape(-1, 2) * h + (left, bottom)


def start(points: np.ndarray, speeds: np.ndarray, kinds: np.ndarray) -> int:
    """Copies n particles into the fields and returns n; the elements beyond them are not used."""
    for field, values in ((x, points), (v, speeds), (material, kinds)):
        array = field.to_numpy()
        array[: len(points)] = values
        field.from_numpy(array)
    affine.fill(0)
    strain.from_numpy(np.broadcast_to(np.eye(2, dtype=np.float32), (N, 2, 2)).copy())
    packed.fill(1)
    return len(points)


# A bar of jelly in the air, which starts to oscillate in its fundamental mode.
length = 0.5
bar = block(0.25, 0.5, length, 0.125 if SMALL else 0.0625)
tone = np.sin(np.pi * (bar[:, 0] - 0.5) / length)
n = start(bar, np.stack([0.05 * tone, 0 * tone], axis=1), np.full(len(bar), JELLY))
period = 2 * length / np.sqrt(E / (1 - NU * NU))
ringing = []
for _ in range(int(1.7 * period / DT)):
    step(n, 0.0)
    ringing.append(tone @ v.to_numpy()[:n, 0] / (tone @ tone) / 0.05)
ringing, times = np.array(ringing), DT * np.arange(1, len(ringing) + 1)
k = np.nonzero(ringing[:-1] * ringing[1:] < 0)[0]
crossings = times[k] + DT * ringing[k] / (ringing[k] - ringing[k + 1])
seen = (crossings[2] - crossings[0]) / period
print(f"period of the bar {seen:.4f} of the theory's")
assert abs(seen - 1) < (0.1 if SMALL else 0.03)

# Three blocks fall.
size, gravity = 0.2, 20.0
blocks = [block(0.3 + 0.08 * k, 0.1 + 0.27 * k, size, size) for k in range(3)]
part = np.repeat(np.arange(3), [len(b) for b in blocks])
kinds = np.array([WATER, JELLY, SNOW])[part]
n = start(np.concatenate(blocks), np.zeros((len(part), 2)), kinds)
top = blocks[2][:, 1].mean()
falling = int(0.08 / DT)
for _ in range(falling):
    step(n, gravity)
fallen = top - x.to_numpy()[:n][part == 2, 1].mean()
expected = gravity * DT**2 * falling * (falling + 1) / 2
print(f"snow falls {fallen:.5f} in {falling * DT:.2f}, Galileo's law {expected:.5f}")
assert abs(fallen / expected - 1) < 1e-3
frames = [x.to_numpy()[:n]]
for pause in (0.07, 0.14, 0.46):
    for _ in range(int((pause / 4 if SMALL else pause) / DT)):
        step(n, gravity)
    frames.append(x.to_numpy()[:n])
jelly = np.abs(np.linalg.det(strain.to_numpy()[:n][part == 1]) - 1).mean()
snow = (np.abs(packed.to_numpy()[:n][part == 2] - 1) > 0.01).mean()
print(f"volume of jelly off by {jelly:.3f} in the mean; {snow:.0%} of the snow has yielded")
assert np.isfinite(frames[-1]).all() and jelly < 0.05
assert SMALL or snow > 0.3

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig = plt.figure(figsize=(10, 4.7))
cells = fig.add_gridspec(2, 3, width_ratios=[1, 1, 1.25])
colours = np.array(["#3f8fc4", "#e0653d", "#f2f2ee"])[part]
for k, frame in enumerate(frames):
    ax = fig.add_subplot(cells[k // 2, k % 2], facecolor="#0d1117", aspect="equal")
    ax.scatter(*frame.T, s=1.5, c=colours, linewidths=0)
    ax.set(xlim=(WALL * DX, 1 - WALL * DX), ylim=(WALL * DX, 0.8), xticks=[], yticks=[])
ax = fig.add_subplot(cells[:, 2])
ax.plot(times / period, np.cos(2 * np.pi * times / period), color="#c9ccd1", lw=5, label="Rayleigh")
ax.plot(times / period, ringing, label="material points")
ax.set(title="A ringing bar of jelly", xlabel="time in periods of theory", ylabel="speed in the first tone", ylim=(-1.1, 1.35))
ax.legend(loc="upper right", ncols=2)
Path("out").mkdir(exist_ok=True)
fig.savefig("out/mpm_materials.png")
