import quadrants as qd


@qd.kernel
def wrong():
    v = qd.Vector([1, 2])
    w = 1 if v > 1 else 2


wrong()
