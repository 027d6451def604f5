import quadrants as qd


@qd.kernel
def k() -> qd.f32:
    v = qd.Vector([1.0, 2.0, 3.0])
    return v.nrom()


k()
