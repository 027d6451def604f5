import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    total = 0
    for i in qd.static(range(1, 2147483647, 3)):
        total += i
    return total


wrong()
