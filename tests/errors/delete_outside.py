import quadrants as qd


@qd.kernel
def wrong(n: qd.i32):
    total = 0
    if n > 0:
        del total


wrong(1)
