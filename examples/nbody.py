"""Two star clusters merge: N bodies under gravity, with the force between every pair.

Each cluster is a Plummer sphere, sampled as S. J. Aarseth, M. Henon and R. Wielen describe (Astronomy and Astrophysics
37, 1974) in units where G = M = 1 and the energy of one cluster is -1/4. The clusters start at a distance of 4 on a
parabolic orbit, and the leapfrog scheme advances them (L. Verlet, Phys. Rev. 159, 1967): kick, drift, kick.

Look at: the energy. That of a cluster is -1/4 up to sampling noise, momentum stays zero, and the error of the energy
falls by a factor of four when the step is halved, since the leapfrog scheme is of second order.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
N = 64 if SMALL else 1024  # stars in a cluster
STEPS, T_END = (64, 1.5) if SMALL else (1024, 16.0)
SOFTENING = 0.2 if SMALL else 0.05

pos = qd.Vector.field(3, qd.f32, shape=2 * N)
vel = qd.Vector.field(3, qd.f32, shape=2 * N)
acc = qd.Vector.field(3, qd.f32, shape=2 * N)


@qd.kernel
def attract(mass: qd.f32):
    for i in range(2 * N):
        a = qd.Vector([0.0, 0.0, 0.0])
        for j in range(2 * N):
            r = pos[j] - pos[i]
            inverse = qd.rsqrt(r.dot(r) + SOFTENING * SOFTENING)
            a += r * (mass * inverse * inverse * inverse)
        acc[i] = a


@qd.kernel
def kick(dt: qd.f32):
    for i in vel:
        vel[i] += acc[i] * dt


@qd.kernel
def drift(dt: qd.f32):
    for i in pos:
        pos[i] += vel[i] * dt


@qd.kernel
def energy(mass: qd.f64) -> qd.f64:
    total = qd.f64(0.0)
    for i in range(2 * N):
        v = qd.cast(vel[i], qd.f64)
        own = 0.5 * v.dot(v)
        for j in range(i):
            r = qd.cast(pos[j] - pos[i], qd.f64)
            own -= mass / qd.sqrt(r.dot(r) + SOFTENING * SOFTENING)
        total += mass * own
    return total


def plummer(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns positions and velocities of n stars whose mean position and mean velocity are zero."""

    def directions(length):
        v = rng.normal(size=(n, 3))
        return v * (length / np.linalg.norm(v, axis=1))[:, None]

    share = (np.arange(n) + 0.5) / n  # of the mass inside the radius: evenly spaced instead of random, so without sampling noise
    radius = np.minimum(1 / np.sqrt(share ** (-2 / 3) - 1), 10.0)
    q = np.empty(n)
    for i in range(n):  # von Neumann's rejection: the density of q = v / v_escape is q^2 (1 - q^2)^3.5
        while True:
            q[i], y = rng.uniform(0, 1), rng.uniform(0, 0.1)
            if y < q[i] ** 2 * (1 - q[i] ** 2) ** 3.5:
                break
    x, v = directions(radius), directions(q * np.sqrt(2) * (1 + radius**2) ** -0.25)
    scale = 3 * np.pi / 16
    x, v = x * scale, v / np.sqrt(scale)
    return x - x.mean(axis=0), v - v.mean(axis=0)


def simulate(x: np.ndarray, v: np.ndarray, steps: int, pictures: int = 1):
    """Returns the energy at every 8th step, and the positions at a few times."""
    dt, mass = T_END / steps, 1 / N
    pos.from_numpy(x.astype(np.float32))
    vel.from_numpy(v.astype(np.float32))
    energies, frames = [energy(mass)], [pos.to_numpy()]
    attract(mass)
    for step in range(1, steps + 1):
        kick(dt / 2)
        drift(dt)
        attract(mass)
        kick(dt / 2)
        if step % 8 == 0:
            energies.append(energy(mass))
        if step % (steps // pictures) == 0:
            frames.append(pos.to_numpy())
    return np.array(energies), frames


rng = np.random.default_rng(7)
(xa, va), (xb, vb) = plummer(rng, N), plummer(rng, N)
apart, speed = np.array([4.0, 1.0, 0.0]) / 2, np.array([-1.0, 0.0, 0.0]) * np.sqrt(4 / np.hypot(4.0, 1.0)) / 2
x, v = np.concatenate([xa + apart, xb - apart]), np.concatenate([va + speed, vb - speed])

coarse, _ = simulate(x, v, STEPS // 2)
fine, frames = simulate(x, v, STEPS, pictures=4)
momentum = np.abs(vel.to_numpy().mean(axis=0)).max()
errors = [np.abs(e / e[0] - 1) for e in (coarse, fine)]
ratio = errors[0].max() / errors[1].max()
print(f"energy {fine[0]:.4f} (two clusters: -0.5), error {errors[1].max():.1e}, {ratio:.1f} times that at twice the step")
print(f"momentum per mass {momentum:.1e}")

assert abs(fine[0] + 0.5) < (0.15 if SMALL else 0.03)
assert errors[1].max() < 2e-3
assert momentum < 1e-5
assert 2.5 < ratio < 6

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig = plt.figure(figsize=(10, 4.1))
grid = fig.add_gridspec(2, 3, width_ratios=[1, 1, 1.15])
for k in range(4):
    ax = fig.add_subplot(grid[k // 2, k % 2], facecolor="#0d1117", aspect="equal")
    frame = frames[k + 1 if k == 3 else k]
    for part, colour in ((slice(0, N), "#7fc8e8"), (slice(N, None), "#ffb37a")):
        ax.scatter(frame[part, 0], frame[part, 1], s=1.6, c=colour, alpha=0.7, linewidths=0)
    ax.set(xlim=(-4.2, 4.2), ylim=(-2.6, 2.6), xticks=[], yticks=[])
    ax.text(0.04, 0.9, f"t = {T_END * (k + 1 if k == 3 else k) / 4:g}", color="w", fontsize=9, transform=ax.transAxes)
ax = fig.add_subplot(grid[:, 2])
for e, label in zip(errors, ("step 2h", "step h")):
    ax.semilogy(np.linspace(0, T_END, len(e)), np.maximum(e, 1e-8), label=label)
ax.set(title="Error of energy", xlabel="time", ylim=(1e-7, 1e-2))
ax.legend(loc="lower right")
ax.grid(axis="y")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/nbody.png")
