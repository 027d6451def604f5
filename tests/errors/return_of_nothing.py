import quadrants as qd


@qd.func
def nothing(v: qd.i32):
    w = v + 1


@qd.kernel
def wrong() -> qd.i32:
    return nothing(1) + 1


wrong()
