import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    total = 0
    for i, j in qd.static(qd.ndrange(100000, 100000)):
        total += i
    return total


wrong()
