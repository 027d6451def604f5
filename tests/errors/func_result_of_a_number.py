import quadrants as qd

qd.init()


@qd.func
def wrong(a: qd.f32) -> 2.5:
    return a
