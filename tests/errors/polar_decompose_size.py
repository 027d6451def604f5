import quadrants as qd


@qd.kernel
def wrong():
    u, p = qd.polar_decompose(qd.Matrix.identity(qd.f32, 4))


wrong()
