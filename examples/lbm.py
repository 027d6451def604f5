"""Lattice Boltzmann: the flow in a box with a moving lid, and between two plates.

The model has nine velocities and one relaxation time (Y. H. Qian, D. d'Humieres and P. Lallemand, Europhysics Letters
17, 1992), walls that bounce particles back half way between nodes (A. J. C. Ladd, J. Fluid Mech. 271, 1994), and the
forcing of Z. Guo, C. Zheng and B. Shi (Phys. Rev. E 65, 2002). With (tau - 1/2)^2 = 3/16 it reproduces Poiseuille's
parabola exactly (I. Ginzbourg, P. M. Adler, 1994).

Look at: both profiles through the middle of the box at Reynolds number 100, at the points that U. Ghia, K. N. Ghia
and C. T. Shin tabulated (J. Comput. Phys. 48, 1982), and the centre of the vortex, which they found at (0.6172,
0.7344). The velocity jumps at the corners of the lid, which leaves a first-order error: 0.006 of the lid's speed with
96 nodes.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
RE, LID = 100, 0.1
VELOCITIES = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]
WEIGHTS = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4


@qd.data_oriented
class Fluid:
    """A fluid on nx * ny nodes between walls; the upper wall moves at speed `lid`. In a channel, x is periodic and `force` acts."""

    def __init__(self, nx, ny, tau, lid=0.0, force=0.0, channel=False):
        self.nx, self.ny, self.tau, self.lid, self.force, self.channel = nx, ny, tau, lid, force, channel
        self.now = qd.Vector.field(9, qd.f32, shape=(nx, ny))
        self.after = qd.Vector.field(9, qd.f32, shape=(nx, ny))
        self.velocity = qd.Vector.field(2, qd.f32, shape=(nx, ny))
        for k, w in enumerate(WEIGHTS):
            self.now.get_scalar_field(k).fill(w)
            self.after.get_scalar_field(k).fill(w)

    @qd.func
    def arriving(self, f: qd.template(), i, j):
        """Returns the populations that stream into node (i, j) from its neighbours or are reflected by walls."""
        g = qd.Vector([0.0] * 9)
        for k in qd.static(range(9)):
            x, y = i - VELOCITIES[k][0], j - VELOCITIES[k][1]
            if qd.static(self.channel):
                x = (x + self.nx) % self.nx
            if 0 <= x < self.nx and 0 <= y < self.ny:
                g[k] = f[x, y][k]
            else:
                g[k] = f[i, j][OPPOSITE[k]]
                if y == self.ny:
                    g[k] += 6 * WEIGHTS[k] * VELOCITIES[k][0] * self.lid
        return g

    @qd.kernel
    def step(self, f: qd.template(), out: qd.template()):
        for i, j in f:
            g = self.arriving(f, i, j)
            rho, u = 0.0, qd.Vector([0.5 * self.force, 0.0])
            for k in qd.static(range(9)):
                rho += g[k]
                u += g[k] * qd.Vector(VELOCITIES[k], dt=qd.f32)
            u /= rho
            self.velocity[i, j] = u
            for k in qd.static(range(9)):
                e = qd.Vector(VELOCITIES[k], dt=qd.f32)
                eu = e.dot(u)
                rest = WEIGHTS[k] * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * u.dot(u))
                push = (1 - 0.5 / self.tau) * WEIGHTS[k] * (3 * (e[0] - u[0]) + 9 * eu * e[0]) * self.force
                out[i, j][k] = g[k] + (rest - g[k]) / self.tau + push

    def run(self, steps):
        for _ in range(steps):
            self.step(self.now, self.after)
            self.now, self.after = self.after, self.now
        return self.velocity.to_numpy().astype(np.float64)


# Between plates: force F and viscosity nu give the parabola F y (H - y) / 2 nu.
height, tau = (9 if SMALL else 17), 0.5 + np.sqrt(3 / 16)
nu, y = (tau - 0.5) / 3, np.arange(height) + 0.5
force = 8 * nu * 0.05 / height**2
parabola = force * y * (height - y) / (2 * nu)
seen = Fluid(4, height, tau, force=force, channel=True).run(12 * height**2)[2, :, 0]
off = np.abs(seen - parabola).max() / parabola.max()
print(f"between plates: off the parabola by {off:.1e}")
assert off < 1e-4

# The box: tables I and II of Ghia, Ghia and Shin for Re = 100, with u on the vertical and v on the horizontal centre line.
GHIA_Y = [0.0547, 0.0625, 0.0703, 0.1016, 0.1719, 0.2813, 0.4531, 0.5, 0.6172, 0.7344, 0.8516, 0.9531, 0.9609, 0.9688, 0.9766]
GHIA_U = [-0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641, 0.00332, 0.23151, 0.68717,
          0.73722, 0.78871, 0.84123]  # fmt: skip
GHIA_X = [0.0625, 0.0703, 0.0781, 0.0938, 0.1563, 0.2266, 0.2344, 0.5, 0.8047, 0.8594, 0.9063, 0.9453, 0.9531, 0.9609, 0.9688]
GHIA_V = [0.09233, 0.10091, 0.10890, 0.12317, 0.16077, 0.17507, 0.17527, 0.05454, -0.24533, -0.22445, -0.16914, -0.10313,
          -0.08864, -0.07391, -0.05906]  # fmt: skip
n = 32 if SMALL else 96
flow = Fluid(n, n, 0.5 + 3 * LID * n / RE, lid=LID).run(int((20 if SMALL else 25) * n / LID)) / LID
at = (np.arange(n) + 0.5) / n
u, v = flow[n // 2 - 1 : n // 2 + 1, :, 0].mean(axis=0), flow[:, n // 2 - 1 : n // 2 + 1, 1].mean(axis=1)
wrong = max(np.abs(np.interp(GHIA_Y, at, u) - GHIA_U).max(), np.abs(np.interp(GHIA_X, at, v) - GHIA_V).max())
psi = np.cumsum(flow[:, :, 0], axis=1) / n  # the stream function, at the upper edge of each node
middle = np.unravel_index(psi.argmin(), psi.shape)
middle = ((middle[0] + 0.5) / n, (middle[1] + 1) / n)
print(f"box: off the table by {wrong:.4f}; vortex at ({middle[0]:.3f}, {middle[1]:.3f}), psi {psi.min():.4f} (theirs -0.1034)")
assert wrong < (0.015 if SMALL else 0.007)
assert abs(psi.min() + 0.1034) < (0.006 if SMALL else 0.002)
assert np.hypot(middle[0] - 0.6172, middle[1] - 0.7344) < 2 / n

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.15])
left.imshow(np.hypot(flow[..., 0], flow[..., 1]).T, extent=(0, 1, 0, 1), cmap="magma", interpolation="bicubic")
left.streamplot(at, at, flow[..., 0].T, flow[..., 1].T, color="#ffffff90", linewidth=0.7, arrowsize=0.7, density=1.1)
left.plot(*middle, "o", color="#8fd3f4", ms=4)
left.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1), title="Speed in the box, lid drawn to the right")
right.plot(at, u, label="u on the vertical line")
right.plot(GHIA_Y, GHIA_U, "o", color="#1f6f8b", mfc="none")
right.plot(at, v, label="v on the horizontal line")
right.plot(GHIA_X, GHIA_V, "o", color="#d1603d", mfc="none", label="Ghia, Ghia and Shin")
right.set(title="Profiles at Re = 100", xlabel="place / width", ylabel="velocity / lid's", xlim=(0, 1), ylim=(-0.4, 1))
right.grid()
right.legend(loc="upper left")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/lbm.png")
