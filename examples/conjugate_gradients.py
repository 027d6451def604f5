"""Conjugate gradients as one graph: the loop and its convergence test run on the device, in one launch.

The method is that of M. R. Hestenes and E. Stiefel (Methods of conjugate gradients for solving linear systems, J. Res.
NBS 49, 1952), for the Poisson equation on a square plate with a cold boundary. Every iteration writes its residual into
a history whose length is not known in advance: when it is full the launch yields, the host makes a longer one, and the
launch is resumed.

Look at: the error of five-point differences, which falls by a factor of 4 when the mesh is twice as fine; the number of
iterations, which grows in proportion to the number of points on a side; how often the launch yielded.
"""

import enum
import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64, fast_math=False)

SMALL = "--small" in sys.argv
Plane = qd.types.ndarray(qd.f64, ndim=2)
Line = qd.types.ndarray(qd.f64, ndim=1)
Number = qd.types.ndarray(qd.f64, ndim=0)
Flag = qd.types.ndarray(qd.i32, ndim=0)


class Stage(enum.IntEnum):
    GROW = 1


@qd.func
def bent(p: qd.template(), i, j):
    """Returns four times the value at (i, j) minus its neighbours; the boundary is 0."""
    n, m = p.shape[0], p.shape[1]
    value = 4.0 * p[i, j]
    if i > 0:
        value -= p[i - 1, j]
    if i < n - 1:
        value -= p[i + 1, j]
    if j > 0:
        value -= p[i, j - 1]
    if j < m - 1:
        value -= p[i, j + 1]
    return value


@qd.kernel(graph=True, checkpoints=True)
def solve(
    x: Plane, r: Plane, p: Plane, q: Plane, square: Number, along: Number, before: Number, history: Line,
    used: Flag, full: Flag, go_on: Flag, limit: qd.f64,
):  # fmt: skip
    while qd.graph.do_while(go_on):
        with qd.checkpoint(Stage.GROW, yield_on=full):
            for _ in range(1):
                if used[()] >= history.shape[0]:
                    full[()] = 1
        for _ in range(1):
            along[()] = 0.0
            before[()] = square[()]
        for i, j in p:
            q[i, j] = bent(p, i, j)
            along[()] += p[i, j] * q[i, j]
        for _ in range(1):
            square[()] = 0.0
        for i, j in p:
            step = before[()] / along[()]
            x[i, j] += step * p[i, j]
            r[i, j] -= step * q[i, j]
            square[()] += r[i, j] ** 2
        for i, j in p:
            p[i, j] = r[i, j] + square[()] / before[()] * p[i, j]
        for _ in range(1):
            history[used[()]] = qd.sqrt(square[()])
            used[()] += 1
            go_on[()] = qd.cast(square[()] > limit, qd.i32)


def plate(n, tolerance=1e-10, length=8):
    """Solves -laplace(u) = f on n x n points; returns the error, the residuals, how often the launch yielded, and u."""
    at = np.arange(1, n + 1) / (n + 1)
    exact = np.sin(np.pi * at)[:, None] * np.sin(2 * np.pi * at) + at[:, None] * (1 - at[:, None]) * np.sin(np.pi * at)
    curve = at * (1 - at)
    f = 5 * np.pi**2 * np.sin(np.pi * at)[:, None] * np.sin(2 * np.pi * at)
    f += (2 + np.pi**2 * curve)[:, None] * np.sin(np.pi * at)
    b = f / (n + 1) ** 2

    x, r, p, q = (qd.ndarray(qd.f64, (n, n)) for _ in range(4))
    square, along, before = (qd.ndarray(qd.f64, ()) for _ in range(3))
    used, full, go_on = (qd.ndarray(qd.i32, ()) for _ in range(3))
    r.from_numpy(b)
    p.from_numpy(b)
    square[()] = float((b**2).sum())
    history = qd.ndarray(qd.f64, length)
    rest = (x, r, p, q, square, along, before)
    limit, yields = tolerance**2 * square[()], 0

    status = solve(*rest, history, used, full, go_on, limit)
    while status.yielded:
        yields += 1
        longer = qd.ndarray(qd.f64, 2 * history.shape[0])
        longer.from_numpy(np.concatenate([history.to_numpy(), np.zeros(history.shape[0])]))
        history, full[()] = longer, 0
        go_on[()] = 1
        status = solve.resume(*rest, history, used, full, go_on, limit, from_checkpoint=status.checkpoint)
    return abs(x.to_numpy() - exact).max(), history.to_numpy()[: used[()]], yields, x.to_numpy()


sides = (15, 31, 63) if SMALL else (31, 63, 127, 255)
found = {}
for n in sides:
    error, residuals, yields, x = found[n] = plate(n)
    print(f"{n:>4} points a side: error {error:.2e}, {len(residuals)} iterations, the history grew {yields} times")
    assert yields == np.ceil(np.log2(len(residuals) / 8))  # it begins with 8 and doubles
    assert residuals[-1] < 1e-9 * residuals[0]
falls = [found[a][0] / found[b][0] for a, b in zip(sides, sides[1:])]
print("error falls by", ", ".join(f"{fall:.2f}" for fall in falls))
assert all(3.8 < fall < 4.2 for fall in falls)

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.5], figsize=(9, 3.9))
left.imshow(found[sides[-1]][3].T, cmap="RdBu_r", origin="lower", interpolation="bilinear")
left.set(xticks=[], yticks=[], title="Solution")
for n in sides:
    residuals = found[n][1]
    right.semilogy(np.arange(1, len(residuals) + 1), residuals / residuals[0], label=f"{n} points a side")
    for length in 8 * 2 ** np.arange(found[n][2]):
        right.plot(length, residuals[length] / residuals[0], "o", ms=4, color="#333a45")
right.set(title="Residual; dots: the launch yielded", xlabel="iteration")
right.legend()
Path("out").mkdir(exist_ok=True)
fig.savefig("out/conjugate_gradients.png")
