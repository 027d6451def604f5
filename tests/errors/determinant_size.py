import quadrants as qd


@qd.kernel
def wrong():
    x = qd.Matrix.identity(qd.f32, 5).determinant()


wrong()
