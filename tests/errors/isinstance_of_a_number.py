import quadrants as qd


@qd.kernel
def k(a: qd.f32):
    b = isinstance(1, a)


k(1.0)
