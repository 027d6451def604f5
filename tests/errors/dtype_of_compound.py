import quadrants as qd


@qd.kernel
def wrong():
    x = qd.f32(qd.Vector([1, 2]))


wrong()
