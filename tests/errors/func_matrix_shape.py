import quadrants as qd


@qd.func
def f(v: qd.types.vector(3, qd.f32)):
    return v.sum()


@qd.kernel
def wrong():
    y = f(qd.Vector([1.0, 2.0]))


wrong()
