import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    pair = (1, 2) if a > 0 else (1, 2, 3)


wrong(1)
