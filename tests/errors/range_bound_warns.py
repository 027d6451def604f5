import quadrants as qd


@qd.kernel
def wrong(n: qd.i64):
    for i in range(n):
        pass
    b = missing


wrong(3)
