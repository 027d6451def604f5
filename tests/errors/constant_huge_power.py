import quadrants as qd


@qd.kernel
def wrong(x: qd.i32):
    y = 6 ** 2147483647


wrong(1)
