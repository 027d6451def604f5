import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    print("{".format(x))


wrong(1.0)
