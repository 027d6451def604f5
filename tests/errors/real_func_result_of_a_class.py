import quadrants as qd

qd.init()


@qd.real_func
def wrong(a: qd.f32) -> list:
    return a
