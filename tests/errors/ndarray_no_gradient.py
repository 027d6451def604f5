import quadrants as qd


@qd.kernel
def wrong(x: qd.types.ndarray()):
    for i in x:
        x.grad[i] = 1


wrong(qd.ndarray(qd.f32, 4))
