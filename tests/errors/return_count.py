import quadrants as qd


@qd.kernel
def wrong() -> (qd.i32, qd.i32, qd.i32):
    return 1, 2


wrong()
