import quadrants as qd


@qd.kernel
def wrong():
    v = qd.Vector([[1, qd.Vector([1, 2])], [3, 4]])


wrong()
