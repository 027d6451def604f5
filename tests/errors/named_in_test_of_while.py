import quadrants as qd


@qd.kernel
def k(n: qd.i32) -> qd.i32:
    s = 0
    while (m := n - s) > 3:
        s += 1
    return m


k(3)
