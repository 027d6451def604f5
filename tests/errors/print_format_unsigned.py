import quadrants as qd


@qd.kernel
def wrong(x: qd.u32):
    print("{:d}".format(x))


wrong(1)
