import quadrants as qd


@qd.kernel
def wrong() -> qd.types.vector(3, qd.f32):
    return qd.Vector([1.0, 2.0])


wrong()
