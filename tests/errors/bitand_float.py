import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    y = x & 1


wrong(1.0)
