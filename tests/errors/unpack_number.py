import quadrants as qd


@qd.kernel
def wrong(c: qd.i32):
    a, b = c


wrong(1)
