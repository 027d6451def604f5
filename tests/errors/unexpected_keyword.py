import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32) -> qd.f32:
    return qd.sin(x, scale=2.0)


wrong(1.0)
