import quadrants as qd


@qd.kernel
def wrong(c: qd.i32) -> qd.i32:
    if c > 1:
        return 1
    return 2


wrong(1)
