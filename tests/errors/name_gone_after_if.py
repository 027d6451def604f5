import quadrants as qd


@qd.kernel
def wrong(c: qd.i32):
    n = 3
    if c > n:
        a = 1
    b = a


wrong(1)
