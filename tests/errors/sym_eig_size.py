import quadrants as qd


@qd.kernel
def wrong():
    w, v = qd.sym_eig(qd.Matrix.identity(qd.f32, 7))


wrong()
