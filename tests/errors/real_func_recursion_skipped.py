import quadrants as qd


@qd.real_func
def positive(n: qd.i32) -> qd.u1:
    return n > 0 and positive(n - 1)


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return positive(n)


wrong(4)
