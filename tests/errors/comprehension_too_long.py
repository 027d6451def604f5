import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    return qd.Vector([1 for i in range(2147483647)]).sum()


wrong()
