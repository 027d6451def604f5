import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    b = x and 1


wrong(1.0)
