import quadrants as qd


f = qd.field(qd.f32, shape=(2, 2))


@qd.kernel
def wrong():
    f[0] = 1.0


wrong()
