import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    y = qd.sin(a)


wrong(1)
