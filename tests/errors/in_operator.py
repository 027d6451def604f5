import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    b = a in (1, 2)


wrong(1)
