import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    print("%f %f" % x)


wrong(1.0)
