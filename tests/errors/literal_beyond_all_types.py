import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    x = 1180591620717411303424
    return x


wrong()
