import quadrants as qd


@qd.kernel
def k(n: qd.i32) -> qd.i32:
    found = n > 2 and (m := n * 2) > 4
    return m if found else 0


k(3)
