import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32) -> qd.i32:
    return 1 << x


wrong(1.0)
