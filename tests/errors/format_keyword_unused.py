import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    print("{}".format(x, k=1))


wrong(1.0)
