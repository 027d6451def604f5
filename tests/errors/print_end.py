import quadrants as qd


@qd.kernel
def wrong(x: qd.i32):
    print(x, sep=None, end=-1)


wrong(1)
