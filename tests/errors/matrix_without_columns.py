import quadrants as qd


@qd.kernel
def k(u: qd.math.vec3):
    v = qd.Matrix.one(qd.f64, 3, 0)


k(qd.Vector([1.0, 2.0, 3.0]))
