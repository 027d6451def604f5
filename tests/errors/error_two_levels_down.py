import quadrants as qd


@qd.func
def f(a):
    return a << 1


@qd.func
def g(a):
    b = a * 2.0
    return f(b)


@qd.kernel
def wrong(x: qd.f32):
    y = g(x)


wrong(1.0)
