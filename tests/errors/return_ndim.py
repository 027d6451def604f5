import quadrants as qd

qd.init()


@qd.kernel
def wrong() -> qd.types.matrix(2, 2, qd.i32):
    return qd.Vector([1, 2])


wrong()
