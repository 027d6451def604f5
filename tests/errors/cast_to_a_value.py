import quadrants as qd


@qd.kernel
def k(u: qd.math.vec3):
    v = u.cast(u)


k(qd.Vector([1.0, 2.0, 3.0]))
