import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    while x:
        x0 = 1


wrong(1.0)
