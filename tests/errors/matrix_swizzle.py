import quadrants as qd


@qd.kernel
def wrong():
    x = qd.Matrix([[1.0, 2.0], [3.0, 4.0]]).xy


wrong()
