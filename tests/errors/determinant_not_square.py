import quadrants as qd


@qd.kernel
def wrong():
    y = qd.Matrix([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).determinant()


wrong()
