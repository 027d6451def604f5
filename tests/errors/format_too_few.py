import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    print("{} {} {}".format(x, x))


wrong(1.0)
