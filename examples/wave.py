"""Waves on a membrane: the wave equation in two dimensions, by the leapfrog scheme on a grid.

The scheme is u(t + h) = 2 u(t) - u(t - h) + (c h / dx)^2 L u, where L is the five-point Laplacian (R. Courant, K.
Friedrichs and H. Lewy, Mathematische Annalen 100, 1928). J. von Neumann's analysis gives the frequency w of waves on
the grid: sin(w h / 2)^2 = (c h / dx)^2 (sin(kx dx / 2)^2 + sin(ky dx / 2)^2).

Look at: the (2, 3) mode of a square membrane, whose frequency is c sqrt(2^2 + 3^2) / 2L to 0.1 %, the error of the
grid, and von Neumann's to 1e-6; its energy, which is the same at every step to rounding; and Young's two slits, whose
screen is dark where the paths differ by half a wavelength.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
Plane = qd.types.ndarray(dtype=qd.f64, ndim=2)


@qd.func
def laplacian(u: qd.template(), i, j):
    return u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]


@qd.kernel
def step(old: Plane, now: Plane, courant: qd.f64):
    """Writes the next time step into `old`. The boundary stays zero."""
    for i, j in qd.ndrange((1, now.shape[0] - 1), (1, now.shape[1] - 1)):
        old[i, j] = 2 * now[i, j] - old[i, j] + courant**2 * laplacian(now, i, j)


@qd.kernel
def step_among_walls(old: Plane, now: Plane, open_share: Plane, courant: qd.f64, source: qd.f64):
    """Does the same with walls (0 in open_share), edges that absorb waves (less than 1), and a wave that enters from the left."""
    for i, j in qd.ndrange((1, now.shape[0] - 1), (1, now.shape[1] - 1)):
        k = open_share[i, j]
        old[i, j] = k * (2 * now[i, j] - old[i, j] * k + courant**2 * laplacian(now, i, j))
    for i in range(now.shape[0]):
        old[i, 30] += source * open_share[i, 30]


@qd.kernel
def energy(old: Plane, now: Plane, courant: qd.f64) -> qd.f64:
    """Returns the sum that the scheme conserves: kinetic energy at the half step, potential energy from the product of both times."""
    total = 0.0
    for i, j in qd.ndrange(now.shape[0] - 1, now.shape[1] - 1):
        stretch = (now[i + 1, j] - now[i, j]) * (old[i + 1, j] - old[i, j])
        stretch += (now[i, j + 1] - now[i, j]) * (old[i, j + 1] - old[i, j])
        total += 0.5 * (now[i, j] - old[i, j]) ** 2 + 0.5 * courant**2 * stretch
    return total


def membrane(n: int, m: tuple[int, int], courant: float, steps: int):
    """Returns the amplitude of the mode and the energy at every step, and the theoretical phase change of the mode in one step."""
    x = np.arange(n + 1) / n
    mode = np.outer(np.sin(m[0] * np.pi * x), np.sin(m[1] * np.pi * x))
    turn = 2 * np.arcsin(courant * np.sqrt(sum(np.sin(k * np.pi / (2 * n)) ** 2 for k in m)))
    now, old = mode.copy(), mode * np.cos(turn)
    weight = (mode**2).sum()
    amplitudes, energies = [1.0], [energy(old, now, courant)]
    for _ in range(steps):
        step(old, now, courant)
        old, now = now, old
        amplitudes.append((now * mode).sum() / weight)
        energies.append(energy(old, now, courant))
    return np.array(amplitudes), np.array(energies), turn


n, m, courant = (32 if SMALL else 128), (2, 3), 0.6
amplitude, energies, turn = membrane(n, m, courant, 3 * n)
# The measured frequency follows from the zero crossings, interpolated linearly between the steps.
before = np.nonzero(amplitude[:-1] * amplitude[1:] < 0)[0]
crossings = before + amplitude[before] / (amplitude[before] - amplitude[before + 1])
seen = np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])
exact = np.pi * np.hypot(*m) * courant / n
drift = np.abs(energies / energies[0] - 1).max()
print(f"mode {m}: frequency / exact = {seen / exact:.6f}, / von Neumann's = {seen / turn:.8f}; energy drifts by {drift:.1e}")
assert abs(seen / exact - 1) < (1e-2 if SMALL else 1e-3)
assert abs(seen / turn - 1) < (1e-4 if SMALL else 1e-6)
assert np.abs(amplitude - np.cos(turn * np.arange(len(amplitude)))).max() < 1e-9
assert drift < 1e-11

# Two slits in a wall, their centres `apart` from each other; waves of wavelength `wave` come from the left.
height, width, wall, wave, apart, slit = (120, 160, 60, 10.0, 30, 6) if SMALL else (480, 640, 120, 16.0, 80, 12)
courant = 0.5
open_share = np.ones((height, width))
from_edge = [np.minimum(np.arange(k), k - 1 - np.arange(k)) for k in (height, width)]
edge = np.minimum(from_edge[0][:, None], from_edge[1])
open_share -= 0.02 * np.clip(1 - edge / 40, 0, 1) ** 2
row = np.arange(height) - (height - 1) / 2
open_share[np.abs(np.abs(row) - apart / 2) > slit / 2, wall : wall + 3] = 0
now, old = np.zeros((height, width)), np.zeros((height, width))
frequency = 2 * np.arcsin(courant * np.sin(np.pi / wave))
mean_square, counted = np.zeros((height, width)), 0
steps = int((width + 100) / courant)
for t in range(steps + int(4 * 2 * np.pi / frequency)):
    step_among_walls(old, now, open_share, courant, 0.05 * np.sin(frequency * t) * min(1, t * frequency / 20))
    old, now = now, old
    if t >= steps:
        mean_square, counted = mean_square + now**2, counted + 1
mean_square /= counted
screen = width - 60
reach = np.hypot(screen - wall, np.abs(row[:, None] - np.array([-apart, apart]) / 2))  # from both slits to the screen
dark = np.interp(wave / 2, (reach[:, 0] - reach[:, 1])[height // 2 :], row[height // 2 :])
bright = mean_square[:, screen] / mean_square[:, screen].max()
near = np.nonzero(np.abs(row - dark) < 0.5 * dark)[0]
found = row[near[np.argmin(bright[near])]]
print(f"first dark fringe at {found:.1f}, by the difference of the ways {dark:.1f}; light there {bright[near].min():.3f}")
assert abs(found / dark - 1) < (0.25 if SMALL else 0.05)
assert bright[near].min() < (0.2 if SMALL else 0.03)

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, middle, right) = plt.subplots(1, 3, width_ratios=[1.6, 0.34, 1.1], figsize=(10, 3.9))
place = {"extent": (0, width, row[0], row[-1]), "aspect": "auto"}
left.imshow(np.where(open_share == 0, np.nan, now), cmap="RdBu_r", vmin=-0.12, vmax=0.12, interpolation="bilinear", **place)
left.imshow(np.where(open_share == 0, 0.15, np.nan), cmap="gray", vmin=0, vmax=1, **place)
left.axvline(screen, color="#333a45", lw=0.8, ls=":")
left.set(xticks=[], yticks=[], title="Two slits")
middle.plot(bright, row, color="#d1603d")
middle.axhline(dark, color="#5b626d", lw=0.8, ls="--")
middle.axhline(-dark, color="#5b626d", lw=0.8, ls="--")
middle.set(title="Screen", ylim=(row[0], row[-1]), xlabel="light", xticks=[0, 1], yticks=[])
times = np.arange(len(amplitude)) * exact / (2 * np.pi)
right.plot(times, np.cos(turn * np.arange(len(amplitude))), color="#c9ccd1", lw=5, label="theory")
right.plot(times, amplitude, lw=1.3, label="grid")
right.set(title=f"Mode {m} of a square membrane", xlabel="time in periods", ylabel="amplitude", ylim=(-1.1, 1.45))
right.legend(loc="upper right", ncols=2)
Path("out").mkdir(exist_ok=True)
fig.savefig("out/wave.png")
