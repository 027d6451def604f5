import quadrants as qd


@qd.kernel
def wrong():
    x: qd.f32 = qd.static(1.0)


wrong()
