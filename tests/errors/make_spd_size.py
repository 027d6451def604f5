import quadrants as qd


@qd.kernel
def wrong():
    p = qd.make_spd(qd.Matrix.zero(qd.f32, 2, 3))


wrong()
