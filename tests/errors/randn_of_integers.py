import quadrants as qd


@qd.kernel
def k(u: qd.math.vec3):
    v = qd.randn(qd.u32)


k(qd.Vector([1.0, 2.0, 3.0]))
