import quadrants as qd


@qd.kernel
def wrong():
    x = qd.f32(1)


wrong()
