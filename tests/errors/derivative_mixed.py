import quadrants as qd

x = qd.field(qd.f32, 4, needs_grad=True)
loss = qd.field(qd.f32, (), needs_grad=True)


@qd.kernel
def wrong():
    scale = 2.0
    for i in x:
        loss[None] += scale * x[i]


wrong.grad()
