import quadrants as qd


@qd.kernel
def wrong():
    v = qd.Matrix([[1, 2], [3, 4]])
    y = v[0]


wrong()
