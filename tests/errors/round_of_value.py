import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    y = round(x)


wrong(1.0)
