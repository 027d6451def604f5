import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    a += 2


wrong(1)
