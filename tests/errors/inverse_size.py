import quadrants as qd


@qd.kernel
def wrong():
    m = qd.Matrix.identity(qd.f32, 13).inverse()


wrong()
