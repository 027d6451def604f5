import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    return qd.Vector([1, 2])


wrong()
