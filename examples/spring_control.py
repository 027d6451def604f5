"""Pulling a train: a force on the first of several masses, connected by springs, moves all of them from rest to rest elsewhere.

The force of least effort, which is the integral of its square, is known in closed form from R. E. Kalman's Gramian
(Contributions to the theory of optimal control, Bol. Soc. Mat. Mex. 5, 1960). Here it is found without the closed form,
by conjugate gradients on the forces of all steps; the gradients come from a Tape around the simulation. Because the time
is an index of the fields, a value that was read is never overwritten.

Look at: the force against Kalman's; the masses, which oscillate on the way and are at rest at the end.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
MASSES, STEPS = (3, 60) if SMALL else (5, 240)
STIFFNESS, MASS, DISTANCE = 30.0, 1.0, 1.0
SECONDS = 3.0 if SMALL else 6.0
DT = SECONDS / STEPS
PENALTY = 1e6  # weight of the error at the end, relative to the effort

place = qd.field(qd.f64, shape=(STEPS + 1, MASSES), needs_grad=True)  # displacement of each mass from its initial place
speed = qd.field(qd.f64, shape=(STEPS + 1, MASSES), needs_grad=True)
force = qd.field(qd.f64, shape=STEPS, needs_grad=True)
cost = qd.field(qd.f64, shape=(), needs_grad=True)


@qd.kernel
def step(t: qd.i32):
    for i in range(MASSES):
        pull = 0.0
        if i > 0:
            pull += STIFFNESS * (place[t, i - 1] - place[t, i])
        else:
            pull += force[t]
        if i < MASSES - 1:
            pull += STIFFNESS * (place[t, i + 1] - place[t, i])
        speed[t + 1, i] = speed[t, i] + DT * pull / MASS
        place[t + 1, i] = place[t, i] + DT * speed[t + 1, i]


@qd.kernel
def effort():
    for t in force:
        cost[None] += 0.5 * DT * force[t] ** 2


@qd.kernel
def miss(distance: qd.f64):
    for i in range(MASSES):
        cost[None] += 0.5 * PENALTY * ((place[STEPS, i] - distance) ** 2 + speed[STEPS, i] ** 2)


def gradient(forces: np.ndarray, distance: float) -> np.ndarray:
    force.from_numpy(forces)
    with qd.ad.Tape(loss=cost):
        for t in range(STEPS):
            step(t)
        effort()
        miss(distance)
    return force.grad.to_numpy()


# The cost is quadratic: conjugate gradients need only its gradient at 0 and the products of its Hessian with directions.
residual = -gradient(np.zeros(STEPS), DISTANCE)
forces, direction, sizes = np.zeros(STEPS), residual.copy(), [residual @ residual]
while sizes[-1] > 1e-24 * sizes[0] and len(sizes) < 20 * MASSES:
    bent = gradient(direction, 0.0)
    length = sizes[-1] / (direction @ bent)
    forces += length * direction
    residual -= length * bent
    sizes.append(residual @ residual)
    direction = residual + sizes[-1] / sizes[-2] * direction
gradient(forces, DISTANCE)
places, speeds, spent = place.to_numpy(), speed.to_numpy(), 0.5 * DT * forces @ forces

# Kalman's solution: the effect of a force at each step on the final state, and the least effort that reaches the target.
links = np.diag(np.full(MASSES - 1, 1.0), 1)
springs = links + links.T
springs -= np.diag(springs.sum(axis=1))
kick = np.eye(2 * MASSES)
kick[MASSES:, :MASSES] = DT * STIFFNESS / MASS * springs
glide = np.eye(2 * MASSES)
glide[:MASSES, MASSES:] = DT * np.eye(MASSES)
push = np.zeros(2 * MASSES)
push[MASSES] = DT / MASS
reach = np.zeros((STEPS, 2 * MASSES))
reach[-1] = glide @ push
for t in range(STEPS - 1, 0, -1):
    reach[t - 1] = glide @ kick @ reach[t]
wanted = np.concatenate([np.full(MASSES, DISTANCE), np.zeros(MASSES)])
kalman = reach @ np.linalg.solve(reach.T @ reach, wanted)
least = 0.5 * DT * kalman @ kalman
off = abs(forces - kalman).max() / abs(kalman).max()
short = max(abs(places[-1] - DISTANCE).max(), abs(speeds[-1]).max())
print(f"{len(sizes) - 1} iterations; effort {spent:.6f}, Kalman's {least:.6f}; forces off by {off:.1e}; misses the end by {short:.1e}")
assert off < 1e-3 and short < 1e-3 and abs(spent / least - 1) < 1e-3

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
times = DT * np.arange(STEPS + 1)
fig, (left, right) = plt.subplots(1, 2)
left.step(times[:-1], kalman, where="post", color="#c9ccd1", lw=5, label="Kalman's Gramian")
left.step(times[:-1], forces, where="post", color="C0", lw=1.5, label="gradients")
left.axhline(0, color="#8a8f98", lw=0.7)
left.set(xlabel="time, s", ylabel="force on the first mass, N", title="The force of least effort")
left.legend()
for i in range(MASSES):
    right.plot(places[:, i] - 0.35 * i, times, color=f"C{i}")
    right.plot(places[[0, -1], i] - 0.35 * i, times[[0, -1]], "o", color=f"C{i}", ms=9)
right.set(xlabel="place, m", ylabel="time, s", title="From rest to rest")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/spring_control.png")
