import quadrants as qd

x = qd.field(qd.f32, 4, needs_grad=True)


@qd.kernel
def wrong():
    for i in x:
        v = x[i]
        while v < 10:
            v *= v
        x[i] += v


wrong.grad()
