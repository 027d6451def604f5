import quadrants as qd

x = qd.ndarray(qd.f32, 4, needs_grad=True)


@qd.kernel
def wrong(x: qd.types.ndarray()):
    for i in x:
        x[i] -= x.grad[i]


wrong.grad(x)
