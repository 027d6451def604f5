import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.f32) -> qd.f32:
    x = a
    qd.atomic_and(x, 3)
    return x


wrong(1.0)
