"""The gradient of a sum of squares."""

import quadrants as qd

qd.init(arch=qd.cpu)
x = qd.field(qd.f32, shape=3, needs_grad=True)
loss = qd.field(qd.f32, shape=(), needs_grad=True)


@qd.kernel
def squares():
    for i in x:
        loss[None] += x[i] ** 2


for i in range(3):
    x[i] = i
with qd.ad.Tape(loss=loss) as tape:
    squares()
assert tape.gradient_evaluated and [x.grad[i] for i in range(3)] == [0, 2, 4]
squares.grad()
