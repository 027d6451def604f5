import quadrants as qd

qd.init()


@qd.kernel
def wrong(c: qd.i32):
    x = qd.select(c, qd.Vector([1, 2, 3]), qd.Vector([1, 2]))


wrong(1)
