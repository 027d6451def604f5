import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    b = a not in (1, 2)


wrong(1)
