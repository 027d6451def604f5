import quadrants as qd


@qd.kernel
def wrong():
    w, v = qd.eig(qd.Matrix.identity(qd.f32, 3))


wrong()
