import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    b = a is None


wrong(1)
