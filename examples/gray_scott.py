"""Spots and stripes of two substances: the model of Gray and Scott, as a small application with sliders.

The equations are u' = Du L u - u v^2 + F (1 - u) and v' = Dv L v + u v^2 - (F + k) v on a torus, as in J. E. Pearson's pictures
(Science 261, 1993), where L is the five-point Laplacian and the time steps are Euler's. If 4 (F + k)^2 < F there are two more
uniform states besides u = 1, v = 0: those with u (1 - u) = (F + k)^2 / F.

Look at: the stirred reactor, which settles in the state with the smaller u to 1e-6; its rate of approach, which follows from the
eigenvalues of the linearised reaction; and the balance of the substances, which holds to rounding.

--window opens the application: sliders set feed and kill, the pointer paints, R restarts, Escape quits.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
N = 96 if SMALL else 256
DU, DV = 0.16, 0.08
u, v = (qd.field(qd.f64, (N, N)) for _ in range(2))
new_u, new_v = (qd.field(qd.f64, (N, N)) for _ in range(2))
picture = qd.Vector.field(3, qd.f32, (N, N))


@qd.func
def laplacian(x: qd.template(), i, j):
    return x[(i + 1) % N, j] + x[(i - 1) % N, j] + x[i, (j + 1) % N] + x[i, (j - 1) % N] - 4 * x[i, j]


@qd.kernel
def step(feed: qd.f64, kill: qd.f64):
    for i, j in u:
        reaction = u[i, j] * v[i, j] ** 2
        new_u[i, j] = u[i, j] + DU * laplacian(u, i, j) - reaction + feed * (1 - u[i, j])
        new_v[i, j] = v[i, j] + DV * laplacian(v, i, j) + reaction - (feed + kill) * v[i, j]
    for i, j in u:
        u[i, j], v[i, j] = new_u[i, j], new_v[i, j]


@qd.kernel
def begin(spots: qd.i32):
    for i, j in u:
        u[i, j], v[i, j] = 1.0, 0.0
    for s in range(spots):
        x, y = 17 + s * 7919 % (N - 34), 17 + s * 104729 % (N - 34)
        for i, j in qd.ndrange((-4, 5), (-4, 5)):
            u[x + i, y + j], v[x + i, y + j] = 0.5, 0.25


@qd.kernel
def paint(x: qd.f64, y: qd.f64):
    for i, j in u:
        if (i - x * N) ** 2 + (j - y * N) ** 2 < 20:
            u[i, j], v[i, j] = 0.5, 0.25


@qd.kernel
def draw(tint: qd.types.vector(3, qd.f32)):
    for i, j in picture:
        t = qd.cast(qd.min(v[i, j] * 2.6, 1.0), qd.f32)
        picture[i, j] = (1 - t) * qd.Vector([0.98, 0.97, 0.95]) + t * tint


def stirred(feed, kill, steps):
    """Returns both concentrations over time if they are the same everywhere."""
    u.fill(0.5)
    v.fill(0.25)
    found = []
    for _ in range(steps):
        step(feed, kill)
        found.append((u[0, 0], v[N - 1, N - 1]))
    return np.array(found)


def window():
    shown = qd.ui.Window("Gray and Scott", (768, 768), fps_limit=60)
    canvas, gui = shown.get_canvas(), shown.get_gui()
    feed, kill, tint, speed = 0.037, 0.06, (0.1, 0.2, 0.45), 12
    begin(12)
    while shown.running and not shown.is_pressed(qd.ui.ESCAPE):
        with gui.sub_window("Reaction", 0.02, 0.02, 0.42, 0.24):
            feed = gui.slider_float("feed", feed, 0.01, 0.08)
            kill = gui.slider_float("kill", kill, 0.03, 0.07)
            speed = gui.slider_int("steps a frame", speed, 1, 40)
            tint = gui.color_edit_3("tint", tint)
            if gui.button("begin anew") or shown.is_pressed("r"):
                begin(12)
        if shown.is_pressed(qd.ui.LMB):
            paint(*shown.get_cursor_pos())
        for _ in range(speed):
            step(feed, kill)
        draw(qd.Vector(tint))
        canvas.set_image(picture)
        shown.show()


if "--window" in sys.argv:
    window()
    sys.exit()

feed, kill = 0.04, 0.05
rest = (1 - np.sqrt(1 - 4 * (feed + kill) ** 2 / feed)) / 2
at_rest = np.array([rest, feed * (1 - rest) / (feed + kill)])
amounts = stirred(feed, kill, 4000)
off = np.abs(amounts[-1] - at_rest).max()
a, b = at_rest
turning = np.linalg.eigvals(np.eye(2) + [[-(b**2) - feed, -2 * a * b], [b**2, 2 * a * b - feed - kill]])
decay = np.abs(turning).max()
distance = np.linalg.norm(amounts - at_rest, axis=1)
ringing = np.nonzero((distance[1:-1] > distance[:-2]) & (distance[1:-1] > distance[2:]) & (distance[1:-1] > 1e-9) & (distance[1:-1] < 1e-2))[0] + 1
seen = (distance[ringing[-1]] / distance[ringing[0]]) ** (1 / (ringing[-1] - ringing[0]))
print(f"stirred: u = {amounts[-1, 0]:.8f}, by theory {rest:.8f}; nears it by {seen:.6f} a step, by theory {decay:.6f}")
assert off < 1e-6 and abs(seen - decay) < 1e-4

begin(12)
feed, kill = 0.037, 0.06
for _ in range(400 if SMALL else 6000):
    step(feed, kill)
before, reacted = v.to_numpy(), (u.to_numpy() * v.to_numpy() ** 2).sum()
step(feed, kill)
change = v.to_numpy().sum() - before.sum() - (reacted - (feed + kill) * before.sum())
print(f"what became of the second substance in a step, but for reaction and outflow: {change:.1e}")
assert abs(change) < 1e-9 * N

shown = qd.ui.Window("Gray and Scott", (768, 768), show_window=False)
gui = shown.get_gui()
with gui.sub_window("Reaction", 0.02, 0.02, 0.42, 0.24):
    gui.slider_float("feed", feed, 0.01, 0.08)
    gui.slider_float("kill", kill, 0.03, 0.07)
    gui.slider_int("steps a frame", 12, 1, 40)
    gui.color_edit_3("tint", (0.1, 0.2, 0.45))
    gui.button("begin anew")
draw(qd.Vector([0.1, 0.2, 0.45]))
shown.get_canvas().set_image(picture)
Path("out").mkdir(exist_ok=True)
shown.save_image("out/gray_scott.png")
