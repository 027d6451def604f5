import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    y = a // 0


wrong(1)
