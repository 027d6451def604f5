import quadrants as qd

y = qd.field(qd.f32, 5, needs_grad=True)


@qd.kernel
def wrong():
    for i in range(4):
        y[i + 1] = y[i] * 0.5


wrong.grad()
