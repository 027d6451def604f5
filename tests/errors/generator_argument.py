import quadrants as qd


@qd.kernel
def wrong(a: qd.i32) -> qd.i32:
    return sum(a * i for i in range(3))


wrong(1)
