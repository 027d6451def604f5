import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    y = qd.cast(x)


wrong(1.0)
