import quadrants as qd


@qd.kernel
def wrong():
    a, b = qd.Matrix([[1, 2], [3, 4]])


wrong()
