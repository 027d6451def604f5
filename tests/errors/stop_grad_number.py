import quadrants as qd

x = qd.field(qd.f32, 4, needs_grad=True)


@qd.kernel
def wrong():
    for i in x:
        qd.stop_grad(x[i])


wrong()
