import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    a = 1
    a = x
    b = missing


wrong(1.5)
