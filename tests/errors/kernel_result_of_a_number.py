import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.f32) -> (qd.f32, 2.5):
    return a, a
