import quadrants as qd


@qd.kernel
def wrong(x: qd.i32):
    y = [x] * 2147483647


wrong(1)
