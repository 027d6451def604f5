import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    b = not x


wrong(1.0)
