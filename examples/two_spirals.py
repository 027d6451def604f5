"""A small neural network, trained end to end, separates two spirals.

The problem is that of K. J. Lang and M. J. Witbrock (Learning to tell two spirals apart, Connectionist Models Summer School
1988): two intertwined spirals of 97 points each, which no straight line separates. The network has two hidden tanh layers
between the two coordinates of a point and one output, and is trained with the Adam optimiser of D. P. Kingma and J. Ba (ICLR
2015). A layer is a kernel; the gradients of all weights come from a Tape around the kernels.

Look at: the gradient against backpropagation written out in numpy (D. E. Rumelhart, G. E. Hinton and R. J. Williams,
Nature 323, 1986), which is the same to rounding; the answers, which are right for all 194 points.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)

SMALL = "--small" in sys.argv
TURNS = 1.5 if SMALL else 3.0
WIDTH = 16 if SMALL else 24
EPOCHS = 500 if SMALL else 2000

turn = np.arange(97) / 96
angle = turn * TURNS * 2 * np.pi
arm = np.stack([np.sin(angle), np.cos(angle)], axis=1) * (0.1 + 0.9 * turn)[:, None]
points = np.concatenate([arm, -arm])
answers = np.repeat([1.0, -1.0], 97)
N = len(points)


def reals(*shape):
    return qd.field(qd.f64, shape=shape, needs_grad=True)


layers = [reals(N, 2), reals(N, WIDTH), reals(N, WIDTH), reals(N, 1)]
weights = [reals(WIDTH, 2), reals(WIDTH, WIDTH), reals(1, WIDTH)]
biases = [reals(WIDTH), reals(WIDTH), reals(1)]
answer = qd.field(qd.f64, shape=N)
loss = reals()


@qd.kernel
def layer(below: qd.template(), w: qd.template(), b: qd.template(), above: qd.template()):
    for s, j in above:
        total = b[j]
        for k in qd.static(range(w.shape[1])):
            total += w[j, k] * below[s, k]
        above[s, j] = qd.tanh(total)


@qd.kernel
def disagreement(told: qd.template()):
    for s in range(N):
        loss[None] += (told[s, 0] - answer[s]) ** 2 / N


@qd.kernel
def adam(w: qd.template(), mean: qd.template(), square: qd.template(), rate: qd.f64, epoch: qd.i32):
    for I in qd.grouped(w):
        g = w.grad[I]
        mean[I] += 0.1 * (g - mean[I])
        square[I] += 0.001 * (g * g - square[I])
        step = mean[I] / (1 - 0.9**epoch) / (qd.sqrt(square[I] / (1 - 0.999**epoch)) + 1e-8)
        w[I] -= rate * step


def forward():
    for k in range(3):
        layer(layers[k], weights[k], biases[k], layers[k + 1])


rng = np.random.default_rng(3)
layers[0].from_numpy(points)
answer.from_numpy(answers)
for w in weights:
    w.from_numpy(rng.standard_normal(w.shape) * 2.5 / np.sqrt(w.shape[1]))
for b in biases:
    b.from_numpy(rng.standard_normal(b.shape) * 0.5)
trained = [*weights, *biases]
moments = [[qd.field(qd.f64, shape=w.shape) for _ in range(2)] for w in trained]

# The first gradient, and the same by backpropagation written out.
with qd.ad.Tape(loss=loss):
    forward()
    disagreement(layers[3])
values, back = [a.to_numpy() for a in layers], 2 * (layers[3].to_numpy() - answers[:, None]) / N
off = 0.0
for k in reversed(range(3)):
    back = back * (1 - values[k + 1] ** 2)
    for mine, theirs in ((back.T @ values[k], weights[k]), (back.sum(axis=0), biases[k])):
        off = max(off, abs(theirs.grad.to_numpy() - mine).max() / abs(mine).max())
    back = back @ weights[k].to_numpy()
print(f"the gradient is off backpropagation by {off:.1e}")
assert off < 1e-12

losses = []
for epoch in range(1, EPOCHS + 1):
    with qd.ad.Tape(loss=loss):
        forward()
        disagreement(layers[3])
    losses.append(loss[None])
    for w, (mean, square) in zip(trained, moments):
        adam(w, mean, square, 0.02 if epoch < EPOCHS // 2 else 0.005, epoch)
forward()
right = int((layers[3].to_numpy()[:, 0] * answers > 0).sum())
print(f"{EPOCHS} epochs, loss {losses[0]:.3f} to {losses[-1]:.2e}; {right} of {N} points answered rightly")
assert right == N

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
side = np.linspace(-1.25, 1.25, 160)
told = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
for w, b in zip(weights, biases):
    told = np.tanh(told @ w.to_numpy().T + b.to_numpy())
fig, (left, middle) = plt.subplots(1, 2, gridspec_kw={"width_ratios": (1, 1.2)})
left.imshow(told.reshape(160, 160), extent=(-1.25, 1.25) * 2, origin="lower", cmap="RdBu", vmin=-1.6, vmax=1.6)
for sign, colour in ((1, "#1f4e79"), (-1, "#9c2f1b")):
    left.plot(*points[answers == sign].T, "o", color=colour, ms=3.5, mec="white", mew=0.4)
left.set(xticks=[], yticks=[], title="What the network answers")
middle.semilogy(losses, color="C0", lw=1)
middle.set(xlabel="epoch", ylabel="loss", title=f"{sum(int(np.prod(w.shape)) for w in trained)} weights, full batches")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/two_spirals.png")
