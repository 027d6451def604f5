import quadrants as qd


@qd.kernel
def wrong():
    x = qd.solve(qd.Matrix.identity(qd.f32, 4), qd.Vector([1.0, 2.0, 3.0, 4.0]))


wrong()
