import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    print("{99999999999999}".format(x))


wrong(1.0)
