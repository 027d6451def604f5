import quadrants as qd

qd.init()


@qd.kernel
def wrong(c: qd.i32):
    x = qd.select(qd.Vector([c, c]), qd.Vector([1, 2, 3]), 0)


wrong(1)
