import quadrants as qd


@qd.kernel
def wrong():
    u, s, v = qd.svd(qd.Matrix.identity(qd.f32, 4))


wrong()
