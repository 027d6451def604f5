import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    a = 1


wrong()
