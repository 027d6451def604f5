import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    total = 1
    del total
    return total


wrong()
