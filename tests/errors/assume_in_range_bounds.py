import quadrants as qd


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return qd.assume_in_range(n, 0, 0, n)


wrong(1)
