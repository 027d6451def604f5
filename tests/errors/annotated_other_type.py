import quadrants as qd


@qd.kernel
def wrong():
    x = 1
    x: qd.f32 = 2.0


wrong()
