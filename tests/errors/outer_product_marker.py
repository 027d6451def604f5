import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    a = qd.Vector([1.0, 2.0])
    b = qd.outer(a, a)


wrong()
